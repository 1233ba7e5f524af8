/* A step ends when its caller wants it to, with the state before it. */
#include "worlds.h"

/* Says yes at one of its calls, counted from the last step. */
typedef struct stopper {
    int calls;
    int at; /* 0: never */
} stopper;

static bool stop(void *user) {
    stopper *s = user;
    return ++s->calls == s->at;
}

static toile_world *make_busy_world(toile_world_def def, stopper *s) {
    def.device = test_device();
    def.threads = 2;
    def.wind.velocity[0] = 2.0f;
    def.stop = s ? stop : NULL;
    def.stop_user = s;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = lying_def(9, 0.25f);
    pin_corner(world, add_cloth(world, &sheet), TOILE_CORNER_TOP_LEFT);
    toile_body_def ball = toile_default_body_def();
    ball.shape = TOILE_SHAPE_SPHERE;
    ball.radii[0] = 0.2f;
    toile_keyframe keys[2] = {{.time = 0.0f}, {.time = 1.0f, .translate = {1.0f, 0.5f, 0.0f}}};
    ball.keyframes = keys;
    ball.keyframe_count = 2;
    add_body(world, &ball);
    return world;
}

/* Stopped before the first substep, in front of another one, and again; what follows is as if
 * nothing had been. */
static void check_stops(toile_world_def def) {
    stopper s = {0};
    def.solver.substeps = 9;
    toile_world *plain = make_busy_world(def, NULL), *world = make_busy_world(def, &s);
    for (int n = 0; n < 4; n++) {
        uint64_t hash = toile_world_hash(world);
        for (int at = 1; at <= 7; at += 3) {
            s = (stopper){.at = at};
            assert_int_equal(toile_world_step(world, 1.0f / 60.0f), TOILE_ERROR_STOPPED);
            assert_message("was stopped; the state before it is kept");
            assert_int_equal(s.calls, at);
            assert_true(toile_world_hash(world) == hash);
            assert_int_equal(toile_world_step_count(world), n);
        }
        s = (stopper){0};
        run_steps(world, 1, 1.0f / 60.0f);
        assert_true(s.calls >= def.solver.substeps);
        run_steps(plain, 1, 1.0f / 60.0f);
        assert_same_hash(toile_world_hash(world), toile_world_hash(plain), "stopped in between");
    }
    toile_world_destroy(plain);
    toile_world_destroy(world);
}

static void test_springs_stop(void **state) {
    (void)state;
    check_stops(test_world_def());
}

static bool has_levels(void) {
    return strcmp(test_device(), "gl-fragment") != 0;
}

static void test_solvers_with_levels_stop(void **state) {
    (void)state;
    toile_world_def def = toile_default_world_def();
    for (int order = 1; order <= 2 && has_levels(); order++) {
        def.solver.order = order;
        def.solver.self_collision = order == 1;
        check_stops(def);
    }
    def.solver.order = 1;
    def.solver.kind = TOILE_SOLVER_MULTILEVEL;
    if (has_levels()) {
        check_stops(def);
    }
}

/* Thousands of substeps, of which only those up to the stop are made. */
static void test_a_long_step_ends_early(void **state) {
    (void)state;
    stopper s = {.at = 5};
    toile_world_def def = test_world_def();
    def.solver.substeps = 100000;
    toile_world *world = make_busy_world(def, &s);
    assert_int_equal(toile_world_step(world, 1.0f / 60.0f), TOILE_ERROR_STOPPED);
    assert_int_equal(s.calls, 5);
    toile_world_destroy(world);
}

/* Iterations of a substep are not endless either. */
static void test_iterations_end_early(void **state) {
    (void)state;
    if (strcmp(test_device(), "cpu") != 0) {
        skip();
    }
    stopper s = {.at = 3};
    toile_world_def def = toile_default_world_def();
    def.solver.substeps = 1;
    def.solver.iterations = 1000;
    def.solver.tolerance = 1e-12f; /* more than two of them */
    toile_world *world = make_busy_world(def, &s);
    uint64_t hash = toile_world_hash(world);
    assert_int_equal(toile_world_step(world, 1.0f / 60.0f), TOILE_ERROR_STOPPED);
    assert_int_equal(s.calls, 3);
    assert_int_equal(toile_world_get_solver_info(world).iterations, 2);
    assert_true(toile_world_hash(world) == hash);
    toile_world_destroy(world);
}

/* A step that bursts is no step that was stopped. */
static void test_a_failure_stays_one(void **state) {
    (void)state;
    stopper s = {0};
    toile_world_def def = test_world_def();
    def.solver.stiffness = TOILE_STIFFNESS_TRUE;
    def.solver.substeps = 200;
    toile_world *world = make_busy_world(def, &s);
    assert_int_equal(toile_world_step(world, 1.0f), TOILE_ERROR_NUMERICAL);
    assert_message("left all bounds");
    s = (stopper){.at = 3};
    assert_int_equal(toile_world_step(world, 1.0f), TOILE_ERROR_STOPPED);
    toile_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_springs_stop),
        cmocka_unit_test(test_solvers_with_levels_stop),
        cmocka_unit_test(test_a_long_step_ends_early),
        cmocka_unit_test(test_iterations_end_early),
        cmocka_unit_test(test_a_failure_stays_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
