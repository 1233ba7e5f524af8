/* The implicit solver with steps whose length or order changes. */
#include "truths.h"

#include "step/world.h"

/* The last crossing of the middle and the amplitude of the pendulum of truths.h, which is let go at
 * ten degrees, with steps of two lengths in turn. */
typedef struct swung {
    double period, wanted; /* s */
    double amplitude;      /* the last one by the first */
} swung;

static swung swing(int order, float step, float other, int substeps, double seconds) {
    const double start = 10.0 * 3.14159265358979 / 180.0, length = 0.5;
    toile_world_def def = implicit_def(order, 0.0f);
    def.solver.substeps = substeps;
    def.solver.iterations = 10;
    toile_world *world = make_world(&def);
    toile_cloth_id id;
    const double axis_z = hang_pendulum(world, length, &id);
    double first = -1.0, last = -1.0, before = 0.0, widest[2] = {0.0, 0.0};
    int periods = -1;
    for (int s = 0; toile_world_time(world) < seconds; s++) {
        float now_step = s % 2 ? other : step;
        assert_ok(toile_world_step(world, now_step));
        float *x = texel_positions(world, id);
        double now = (double)x[2] - axis_z;
        free(x);
        if (before < 0.0 && now >= 0.0) {
            last = toile_world_time(world) - (double)now_step * now / (now - before);
            first = first < 0.0 ? last : first;
            periods++;
            widest[1] = 0.0;
        }
        widest[periods > 0] = fmax(widest[periods > 0], now);
        before = now;
    }
    assert_true(periods >= 4);
    toile_world_destroy(world);
    return (swung){.period = (last - first) / periods,
                   .wanted =
                       2.0 * 3.14159265358979 * sqrt(length / 9.81) * (1.0 + start * start / 16.0),
                   .amplitude = widest[1] / widest[0]};
}

static void test_pendulum_of_two_steps(void **state) {
    (void)state;
    if (strcmp(test_device(), "cpu") != 0) {
        skip(); /* eight seconds of it take as long */
    }
    for (int substeps = 1; substeps <= 4; substeps *= 2) {
        swung even = swing(2, 1.0f / 40.0f, 1.0f / 40.0f, substeps, 8.0);
        swung odd = swing(2, 1.0f / 60.0f, 1.0f / 30.0f, substeps, 8.0);
        print_message("substeps %d: period %+.3f %% and %+.3f %%, amplitude %.4f and %.4f\n",
                      substeps, 100.0 * (even.period / even.wanted - 1.0),
                      100.0 * (odd.period / odd.wanted - 1.0), even.amplitude, odd.amplitude);
        assert_near(odd.period, odd.wanted, 0.01 * odd.wanted);
        assert_near(odd.amplitude, even.amplitude, 0.05 / substeps);
    }
}

/* Free fall has one acceleration: whatever the steps, each adds its own share of it. */
static void test_fall_of_any_steps(void **state) {
    (void)state;
    toile_world_def def = implicit_def(2, 0.0f);
    def.device = test_device();
    def.solver.substeps = 1;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = square_def(5);
    toile_cloth_id id = add_cloth(world, &sheet);
    run_steps(world, 30, 0.01f);
    double speed = measure(world, id).momentum[1], time = toile_world_time(world);
    for (int s = 0; s < 40; s++) {
        assert_ok(toile_world_step(world, s % 2 ? 0.01f : 0.02f));
    }
    double mass = toile_cloth_get_info(world, id).mass;
    double gained = (measure(world, id).momentum[1] - speed) / mass;
    assert_near(gained, -9.81 * (toile_world_time(world) - time), 2e-3);
    toile_world_destroy(world);
}

/* A step that is ten thousand times as long as the one before does not blow its rounding up. */
static void test_wild_steps(void **state) {
    (void)state;
    toile_world_def def = implicit_def(2, 0.1f);
    def.device = test_device();
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = lying_def(17, 0.5f);
    toile_cloth_id id = add_cloth(world, &sheet);
    pin_corner(world, id, TOILE_CORNER_TOP_LEFT);
    double most = 0.0;
    for (int s = 0; s < 60; s++) {
        assert_ok(toile_world_step(world, s % 3 ? 1.0f / 60.0f : 1e-6f));
        most = fmax(most, measure(world, id).kinetic_energy);
    }
    assert_below(most, 9.81 * toile_cloth_get_info(world, id).mass);
    toile_world_destroy(world);
}

/* The state of a world to another one. */
static void hand_on(const toile_world *from, toile_world *to) {
    size_t size = toile_world_state_size(from);
    void *bytes = malloc(size);
    assert_ok(toile_world_save_state(from, bytes, size));
    assert_ok(toile_world_load_state(to, bytes, size));
    free(bytes);
}

/* A state that is loaded goes on as the one that was saved, also in the first step after it. */
static void test_saved_between_steps(void **state) {
    (void)state;
    toile_world_def def = implicit_def(2, 0.1f);
    def.device = test_device();
    toile_world *worlds[2];
    for (int i = 0; i < 2; i++) {
        worlds[i] = make_world(&def);
        toile_cloth_def sheet = lying_def(9, 0.5f);
        pin_corner(worlds[i], add_cloth(worlds[i], &sheet), TOILE_CORNER_TOP_LEFT);
    }
    run_steps(worlds[0], 5, 1.0f / 480.0f);
    hand_on(worlds[0], worlds[1]);
    for (int i = 0; i < 2; i++) {
        run_steps(worlds[i], 3, 1.0f / 700.0f);
    }
    assert_true(toile_world_hash(worlds[0]) == toile_world_hash(worlds[1]));
    toile_world_destroy(worlds[0]);
    toile_world_destroy(worlds[1]);
}

/* A scrap of 1 mm spacing that falls upon a ball, beside its middle. */
static toile_world *drop_scrap(toile_cloth_id *id) {
    const float spacing = 0.001f, size = 16.0f * spacing;
    toile_world_def def = implicit_def(2, 0.1f);
    def.device = test_device();
    toile_world *world = make_world(&def);
    toile_cloth_def scrap = toile_default_cloth_def();
    scrap.size[0] = scrap.size[1] = size;
    scrap.spacing = spacing;
    scrap.transform.rotate[0] = -90.0f;
    scrap.transform.translate[0] = 0.3f * size;
    scrap.transform.translate[1] = size;
    *id = add_cloth(world, &scrap);
    toile_body_def ball = toile_default_body_def();
    ball.shape = TOILE_SHAPE_SPHERE;
    ball.radii[0] = 0.3f * size;
    add_body(world, &ball);
    return world;
}

/* Is the next step of first order? */
static bool lands(const toile_world *world) {
    return world->time < world->calm;
}

/* A texel that is stopped while its neighbour goes on by itself for a third of a substep would
 * stretch their thread, and throw the scrap. While it lands, steps are of first order; once it
 * falls freely again, they are of second. */
static void test_blow(void **state) {
    (void)state;
    toile_cloth_id id;
    toile_world *world = drop_scrap(&id);
    const double fall = toile_cloth_get_info(world, id).mass * 9.81 * 0.016;
    const double start = measure(world, id).potential_energy;
    double most = 0.0, longest = 0.0;
    int first = 0; /* steps of first order */
    for (int s = 0; s < 60; s++) {
        run_steps(world, 1, 1.0f / 60.0f);
        toile_metrics m = measure(world, id);
        most = fmax(most, (m.kinetic_energy + m.potential_energy - start) / fall);
        longest = fmax(longest, m.strain.max);
        first += lands(world);
        assert_true(s > 0 || !lands(world));
    }
    print_message("gained %.3f, strain %.3f, %d steps of first order\n", most, longest, first);
    assert_below(most, 0.05);
    assert_below(longest, 0.15);
    assert_true(first >= 6 && !lands(world));
    toile_world_destroy(world);
}

/* A world that lands goes on in first order, also when it is loaded. */
static void test_saved_in_a_blow(void **state) {
    (void)state;
    toile_cloth_id id;
    toile_world *worlds[2] = {drop_scrap(&id), drop_scrap(&id)};
    while (!lands(worlds[0])) {
        run_steps(worlds[0], 1, 1.0f / 60.0f);
        assert_true(toile_world_time(worlds[0]) < 0.5);
    }
    run_steps(worlds[0], 3, 1.0f / 60.0f); /* nothing may strike it any more */
    hand_on(worlds[0], worlds[1]);
    for (int i = 0; i < 2; i++) {
        run_steps(worlds[i], 1, 1.0f / 60.0f);
        assert_true(lands(worlds[i]));
    }
    assert_true(toile_world_hash(worlds[0]) == toile_world_hash(worlds[1]));
    toile_world_destroy(worlds[0]);
    toile_world_destroy(worlds[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum_of_two_steps),
        cmocka_unit_test(test_fall_of_any_steps),
        cmocka_unit_test(test_wild_steps),
        cmocka_unit_test(test_saved_between_steps),
        cmocka_unit_test(test_blow),
        cmocka_unit_test(test_saved_in_a_blow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
