/* The implicit solver as a whole: the same bits with any number of threads, any instruction set,
 * and after a stop; its iterations; and that these lower the energy. */
#include "levels.h"
#include "solids.h"
#include "zoo.h"

#include "energies.h"

static toile_world_def implicit_def(int order) {
    toile_world_def def = test_world_def();
    def.solver.kind = TOILE_SOLVER_IMPLICIT;
    def.solver.order = order;
    return def;
}

/* ---- the same bits ------------------------------------------------------------------------------
 */

static void add_mesh(toile_world *world, float x, const toile_keyframe *keys, int key_count) {
    test_mesh ball = test_ball(0.15f, 16, 8, NULL);
    toile_body_def def = toile_default_body_def();
    def.shape = TOILE_SHAPE_MESH;
    def.mesh = test_mesh_def(&ball);
    def.center[0] = x;
    def.keyframes = keys;
    def.keyframe_count = key_count;
    add_body(world, &def);
    test_mesh_free(&ball);
}

/* A mesh beside the shape, and a third cloth, of one level; cloth against cloth. */
static toile_world *make_zoo(int order, int threads) {
    toile_world_def def = implicit_def(order);
    def.solver.substeps = 3;
    def.solver.self_collision = true;
    toile_world *world = make_zoo_of(def, threads);
    add_mesh(world, 0.3f, zoo_keys, 2);
    toile_cloth_def sheet = toile_default_cloth_def();
    sheet.size[0] = sheet.size[1] = 0.16f;
    sheet.transform.rotate[0] = -90.0f;
    sheet.transform.translate[1] = 0.4f;
    add_cloth(world, &sheet);
    return world;
}

static toile_world *make_first_zoo(int threads) {
    return make_zoo(1, threads);
}

static toile_world *make_second_zoo(int threads) {
    return make_zoo(2, threads);
}

static void test_threads_and_instruction_sets(void **state) {
    (void)state;
    assert_same_bits(make_first_zoo, 10);
    assert_same_bits(make_second_zoo, 10);
}

/* A sheet on a mesh that stands, which texels do not ask for in every substep. */
static toile_world *make_draped(int threads) {
    toile_world_def def = implicit_def(1);
    def.threads = threads;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = lying_def(33, 0.18f);
    add_cloth(world, &sheet);
    add_mesh(world, 0.1f, NULL, 0);
    return world;
}

/* A sheet on a ball that moves. It is small: threads run far ahead of each other. */
static toile_world *make_carried(int threads) {
    toile_world_def def = implicit_def(1);
    def.threads = threads;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = lying_def(11, 0.22f);
    add_cloth(world, &sheet);
    const toile_keyframe keys[2] = {{.time = 0.0f}, {.time = 0.2f, .translate = {0.1f}}};
    toile_body_def ball = toile_default_body_def();
    ball.shape = TOILE_SHAPE_SPHERE;
    ball.radii[0] = 0.2f;
    ball.keyframes = keys;
    ball.keyframe_count = 2;
    add_body(world, &ball);
    return world;
}

static void test_resume(void **state) {
    (void)state;
    assert_resumes(make_carried, 12, 6);
    assert_resumes(make_first_zoo, 15, 4);
    assert_resumes(make_second_zoo, 15, 4);
    assert_resumes(make_draped, 12, 6);
}

/* A cloth by itself, and beside another one. */
static void check_beside(int texels, int others) {
    float *found[2];
    for (int i = 0; i < 2; i++) {
        toile_world_def def = implicit_def(1);
        toile_world *world = make_world(&def);
        toile_cloth_def sheet = square_def(texels);
        sheet.transform.translate[2] = 0.21f;
        toile_cloth_id id = add_cloth(world, &sheet);
        pin_corner(world, id, TOILE_CORNER_TOP_LEFT);
        add_ball(world, -0.2f, 0.2f);
        if (i == 1) {
            sheet = square_def(others);
            sheet.transform.translate[2] = 1.0f;
            pin_corner(world, add_cloth(world, &sheet), TOILE_CORNER_TOP_RIGHT);
        }
        run_steps(world, 20, 1.0f / 60.0f);
        found[i] = texel_positions(world, id);
        toile_world_destroy(world);
    }
    assert_memory_equal(found[0], found[1], (size_t)(texels * texels) * 3 * sizeof(float));
    free(found[0]);
    free(found[1]);
}

static void test_cloths_do_not_change_each_other(void **state) {
    (void)state;
    check_beside(27, 60);
    check_beside(60, 27);
    check_beside(8, 60); /* of one grid, which is its coarsest */
    check_beside(60, 8);
}

/* ---- iterations ---------------------------------------------------------------------------------
 */

static void test_tolerance_is_reached_at_rest(void **state) {
    (void)state;
    toile_world_def def = implicit_def(1);
    def.solver.tolerance = 1e-5f;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = square_def(21);
    sheet.fabric.damping = 0.01f;
    pin_edge(world, add_cloth(world, &sheet), TOILE_EDGE_TOP);
    run_steps(world, 200, 1.0f / 60.0f);
    toile_solver_info info = toile_world_get_solver_info(world);
    assert_true(info.converged);
    assert_true(info.last_move <= (double)def.solver.tolerance);
    assert_in_range(info.iterations, info.substeps, 2 * info.substeps);
    toile_world_destroy(world);
}

static toile_solver_info info_after_a_blow(float tolerance, int iterations) {
    toile_world_def def = implicit_def(1);
    def.solver.tolerance = tolerance;
    def.solver.iterations = iterations;
    def.solver.substeps = 3;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = square_def(21);
    toile_cloth_id id = add_cloth(world, &sheet);
    pin_edge(world, id, TOILE_EDGE_TOP);
    float blow[21 * 21 * 3];
    for (int k = 0; k < 21 * 21 * 3; k++) {
        blow[k] = k % 3 == 2 ? 5.0f * random_float() : 0.0f;
    }
    assert_ok(toile_cloth_set_texel_velocities(world, id, blow, 21 * 21));
    run_steps(world, 1, 1.0f / 60.0f);
    toile_solver_info info = toile_world_get_solver_info(world);
    toile_world_destroy(world);
    return info;
}

static void test_too_few_iterations_are_told(void **state) {
    (void)state;
    toile_solver_info few = info_after_a_blow(1e-5f, 2), all = info_after_a_blow(1e-5f, 1000);
    assert_false(few.converged);
    assert_int_equal(few.iterations, 2 * 3);
    assert_true(few.last_move > 1e-5);
    assert_true(all.converged);
    assert_in_range(all.iterations, 3 * 3, 3 * 1000 - 1);
    assert_true(all.last_move <= 1e-5);
    assert_in_range(info_after_a_blow(0.0f, 0).iterations, 3, 50 * 3);
    assert_in_range(info_after_a_blow(0.0f, 7).iterations, 3, 7 * 3);
}

static void refuse(const toile_world_def *def, const char *name, const char *range) {
    toile_world *world = NULL;
    assert_int_equal(toile_world_create(def, &world), TOILE_ERROR_INVALID);
    assert_message(name);
    assert_message(range);
}

static void test_bad_values_are_refused(void **state) {
    (void)state;
    static const int orders[] = {-1, 0, 3}, counts[] = {-1, 1001};
    static const float tolerances[] = {-1e-9f, 1.001f, NAN, INFINITY};
    toile_world_def def = implicit_def(1);
    for (int i = 0; i < 3; i++) {
        def.solver.order = orders[i];
        refuse(&def, "solver.order", "1 to 2");
    }
    def = implicit_def(1);
    for (int i = 0; i < 2; i++) {
        def.solver.iterations = counts[i];
        refuse(&def, "solver.iterations", "0 to 1000");
    }
    def = implicit_def(1);
    for (int i = 0; i < 4; i++) {
        def.solver.tolerance = tolerances[i];
        refuse(&def, "solver.tolerance", "0 to 1");
    }
}

/* ---- worlds that change -------------------------------------------------------------------------
 */

/* A step that fails leaves nothing behind. */
static void test_failure_leaves_no_trace(void **state) {
    (void)state;
    for (int order = 1; order <= 2; order++) {
        uint64_t found[2];
        for (int i = 0; i < 2; i++) {
            toile_world_def def = implicit_def(order);
            toile_world *world = make_world(&def);
            toile_cloth_def sheet = square_def(30);
            toile_cloth_id id = add_cloth(world, &sheet);
            pin_corner(world, id, TOILE_CORNER_TOP_LEFT);
            run_steps(world, 5, 1.0f / 60.0f);
            if (i == 1) {
                size_t count = toile_cloth_get_info(world, id).texels;
                float *far = malloc(3 * count * sizeof(float));
                float *here = texel_positions(world, id);
                assert_non_null(far);
                for (size_t k = 0; k < 3 * count; k++) {
                    far[k] = k % 2 ? 3e38f : -3e38f;
                }
                assert_ok(toile_cloth_set_texel_positions(world, id, far, count));
                uint64_t before = toile_world_hash(world);
                assert_int_equal(toile_world_step(world, 1.0f / 60.0f), TOILE_ERROR_NUMERICAL);
                assert_message("left all bounds");
                assert_same_hash(toile_world_hash(world), before, "after the failure");
                assert_ok(toile_cloth_set_texel_positions(world, id, here, count));
                free(far);
                free(here);
            }
            run_steps(world, 5, 1.0f / 60.0f);
            found[i] = toile_world_hash(world);
            toile_world_destroy(world);
        }
        assert_same_hash(found[1], found[0], "after going on");
    }
}

/* Steps of all lengths, to and fro: the sheet stays a sheet. */
static void test_time_steps_may_change(void **state) {
    (void)state;
    static const float lengths[] = {1.0f / 60.0f, 1.0f / 24.0f, 1e-3f, 1.0f / 60.0f, 1e-4f, 0.1f};
    for (int order = 1; order <= 2; order++) {
        toile_world_def def = implicit_def(order);
        toile_world *world = make_world(&def);
        toile_cloth_def sheet = square_def(21);
        toile_cloth_id id = add_cloth(world, &sheet);
        pin_edge(world, id, TOILE_EDGE_TOP);
        for (int s = 0; s < 120; s++) {
            run_steps(world, 1, lengths[s % 6]);
            toile_metrics m = measure(world, id);
            assert_below(m.strain.max, 0.05);
            assert_below(fabs(m.highest - m.lowest - 1.0), 0.05);
        }
        toile_world_destroy(world);
    }
}

static void test_removed_pin_lets_go(void **state) {
    (void)state;
    toile_world_def def = implicit_def(1);
    def.solver.damping = 0.0f;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = square_def(25);
    toile_cloth_id id = add_cloth(world, &sheet);
    pin_edge(world, id, TOILE_EDGE_TOP);
    run_steps(world, 60, 1.0f / 60.0f);
    double before = measure(world, id).highest;
    toile_pin_id held;
    assert_int_equal(toile_world_get_pins(world, &held, 1), 1);
    toile_world_remove_pin(world, held);
    run_steps(world, 60, 1.0f / 60.0f);
    /* All of it falls; the last that was held swings a little, and shrinks by what it was
     * stretched.
     */
    assert_near(measure(world, id).highest - before, -0.5 * 9.81, 0.15);
    toile_world_destroy(world);
}

/* Four texels, of any spacing, fall as anything does. */
static void test_smallest_cloth_falls(void **state) {
    (void)state;
    static const float spacings[] = {1e-3f, 0.02f, 0.1f};
    for (int order = 1; order <= 2; order++) {
        for (int i = 0; i < 3; i++) {
            toile_world_def def = implicit_def(order);
            def.solver.damping = 0.0f;
            toile_world *world = make_world(&def);
            toile_cloth_def sheet = toile_default_cloth_def();
            sheet.spacing = sheet.size[0] = sheet.size[1] = spacings[i];
            toile_cloth_id id = add_cloth(world, &sheet);
            assert_int_equal(toile_cloth_get_info(world, id).texels, 4);
            double before = measure(world, id).lowest;
            run_steps(world, 60, 1.0f / 60.0f);
            /* Backward Euler is half a substep ahead, second order starts half of one late. */
            double late = 0.5 * 9.81 / (60.0 * toile_world_get_solver_info(world).substeps);
            assert_near(measure(world, id).lowest - before, -0.5 * 9.81, 1.2 * late);
            assert_below(measure(world, id).strain.max, 1e-3);
            toile_world_destroy(world);
        }
    }
}

static void test_all_pinned_stays(void **state) {
    (void)state;
    toile_world_def def = implicit_def(1);
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = square_def(17);
    toile_cloth_id id = add_cloth(world, &sheet);
    toile_pin_def all = toile_default_pin_def();
    all.kind = TOILE_PIN_POINT;
    all.point[0] = all.point[1] = 0.5f;
    all.radius = 2.0f;
    add_pin(world, id, &all);
    float *before = texel_positions(world, id);
    run_steps(world, 10, 1.0f / 60.0f);
    float *after = texel_positions(world, id);
    assert_memory_equal(before, after, 17 * 17 * 3 * sizeof(float));
    free(before);
    free(after);
    toile_world_destroy(world);
}

/* ---- bodies -------------------------------------------------------------------------------------
 */

/* Cloth stays on a floor that stands, rises or sinks. */
static void test_floor_carries(void **state) {
    (void)state;
    for (int n = 0; n < 6; n++) {
        const float speed = (float)(n % 3) - 1.0f;
        toile_world_def def = implicit_def(1 + n / 3);
        toile_world *world = make_world(&def);
        const toile_keyframe keys[2] = {{.time = 0.0f},
                                        {.time = 1.0f, .translate = {0.0f, 0.5f * speed, 0.0f}}};
        toile_body_def floor = toile_default_body_def();
        floor.shape = TOILE_SHAPE_PLANE;
        floor.keyframes = keys;
        floor.keyframe_count = 2;
        add_body(world, &floor);
        toile_cloth_def sheet = lying_def(21, 0.05f);
        toile_cloth_id id = add_cloth(world, &sheet);
        double gap = 0.5 * (double)sheet.fabric.thickness;
        run_steps(world, 30, 1.0f / 60.0f);
        for (int s = 30; s < 60; s++) {
            run_steps(world, 1, 1.0f / 60.0f);
            toile_metrics m = measure(world, id);
            double height = 0.5 * (double)speed * toile_world_time(world);
            assert_near(m.lowest - height, gap, 1e-5);
            assert_near(m.highest - height, gap, 1e-3); /* it may flutter down from the fall */
        }
        toile_world_destroy(world);
    }
}

/* A ball of triangles holds a sheet, and carries it up. */
static void check_mesh_holds(int order, toile_collision collision) {
    toile_world_def def = implicit_def(order);
    def.collision = collision;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = lying_def(33, 0.2f);
    toile_cloth_id id = add_cloth(world, &sheet);
    const toile_keyframe keys[3] = {
        {.time = 0.0f}, {.time = 0.4f}, {.time = 0.8f, .translate = {0.1f, 0.6f, 0.0f}}};
    add_mesh(world, 0.0f, keys, 3);
    for (int s = 0; s < 48; s++) {
        run_steps(world, 1, 1.0f / 60.0f);
        assert_below(measure(world, id).penetration.max_depth_m, 1e-3);
    }
    assert_below(0.6, measure(world, id).highest);
    toile_world_destroy(world);
}

static void test_meshes_hold(void **state) {
    (void)state;
    check_mesh_holds(1, TOILE_COLLISION_AUTO);
    check_mesh_holds(2, TOILE_COLLISION_AUTO);
}

static void test_collision_of_shapes_refuses_meshes(void **state) {
    (void)state;
    toile_world_def def = implicit_def(1);
    def.collision = TOILE_COLLISION_SHAPES;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = lying_def(5, 0.2f);
    add_cloth(world, &sheet);
    run_steps(world, 1, 1.0f / 60.0f);
    add_mesh(world, 0.0f, NULL, 0);
    assert_int_equal(toile_world_step(world, 1.0f / 60.0f), TOILE_ERROR_INVALID);
    assert_message("is a mesh");
    toile_world_destroy(world);
}

/* ---- the energy ---------------------------------------------------------------------------------
 */

enum { SIDE = 12, TEXELS = SIDE * SIDE };

/* How a sheet lies before the step. */
typedef struct disorder {
    float wide;   /* distance of texels in spacings */
    float moved;  /* by up to so many, in all directions */
    float thrown; /* so many a substep, across the sheet */
    bool slow;    /* for short substeps only: in longer ones compressed cloth buckles further than a
                     spacing, where the second derivative at the start says nothing any more */
} disorder;

typedef struct trial {
    toile_fabric fabric;
    float spacing, substep;
    float positions[3 * TEXELS], velocities[3 * TEXELS];
} trial;

static void fill_trial(trial *t, disorder d) {
    for (int k = 0; k < 3 * TEXELS; k++) {
        int texel = k / 3, axis = k % 3;
        float flat = axis == 0 ? (float)(texel % SIDE) : axis == 1 ? (float)(texel / SIDE) : 0.0f;
        t->positions[k] = t->spacing * (d.wide * flat + d.moved * random_float());
        t->velocities[k] = axis == 2 ? d.thrown * t->spacing / t->substep * random_float() : 0.0f;
    }
}

/* Without wind, damping by air and bodies. */
static toile_world *start_trial(const trial *t) {
    toile_world_def def = implicit_def(1);
    def.solver.damping = 0.0f;
    def.solver.substeps = 1;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = toile_default_cloth_def();
    sheet.fabric = t->fabric;
    sheet.spacing = t->spacing;
    sheet.size[0] = sheet.size[1] = t->spacing * (float)(SIDE - 1);
    toile_cloth_id id = add_cloth(world, &sheet);
    assert_ok(toile_cloth_set_texel_positions(world, id, t->positions, TEXELS));
    assert_ok(toile_cloth_set_texel_velocities(world, id, t->velocities, TEXELS));
    pin_corner(world, id, TOILE_CORNER_TOP_LEFT); /* where it is now */
    return world;
}

/* A substep ends with less energy than it began with. A single iteration may gain some: there is
 * no line search, and random cloth is far from where its second derivative holds. */
static void check_energies(const trial *t, const char *what) {
    double start[3 * TEXELS], wanted[3 * TEXELS], x[3 * TEXELS];
    const double time = (double)t->substep;
    toile_world *world = start_trial(t);
    run_steps(world, 1, t->substep);
    const cloth *c = world_cloth(world, 0);
    float inverse_mass[TEXELS];
    cloth_inverse_masses(world, c, inverse_mass);
    energy_of e = {.grid = &c->grid,
                   .coverage = c->panel->coverage,
                   .inverse_mass = inverse_mass,
                   .params = &world->plan.cloths[0],
                   .substep = time,
                   .start = start,
                   .wanted = wanted};
    for (int k = 0; k < 3 * TEXELS; k++) {
        bool free = inverse_mass[k / 3] > 0.0f;
        start[k] = (double)t->positions[k];
        x[k] = start[k] + (free ? time * (double)t->velocities[k] : 0.0);
        wanted[k] = x[k] - (free && k % 3 == 1 ? 9.81 * time * time : 0.0);
    }
    const double before = energy_at(&e, x);
    float *found = texel_positions(world, (toile_cloth_id){1, c->slot.generation});
    for (int k = 0; k < 3 * TEXELS; k++) {
        x[k] = (double)found[k];
    }
    const double after = energy_at(&e, x);
    free(found);
    toile_world_destroy(world);
    if (!(after <= 0.95 * before + 1e-12)) {
        fail_msg("%s, spacing %g, substep %g: the energy goes from %.6g to %.6g", what,
                 (double)t->spacing, time, before, after);
    }
}

static void test_substeps_lower_the_energy(void **state) {
    (void)state;
    static const float spacings[] = {1e-3f, 1e-2f, 1e-1f},
                       substeps[] = {1.0f / 480.0f, 1.0f / 60.0f};
    static const disorder disorders[] = {{1.0f, 0.01f, 0.0f, false}, {1.0f, 0.1f, 0.3f, false},
                                         {1.0f, 1.0f, 0.0f, false},  {0.7f, 0.1f, 0.0f, true},
                                         {1.5f, 0.1f, 0.0f, false},  {1.0f, 0.0f, 1.0f, false}};
    seed = 6;
    for (int n = 0; n < toile_fabric_count() * 36; n++) {
        const char *name = toile_fabric_name(n / 36);
        trial t = {.fabric = toile_fabric_named(name),
                   .spacing = spacings[n % 3],
                   .substep = substeps[n / 3 % 2]};
        disorder d = disorders[n / 6 % 6];
        fill_trial(&t, d);
        if (!d.slow || n / 3 % 2 == 0) {
            check_energies(&t, name);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_and_instruction_sets),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_cloths_do_not_change_each_other),
        cmocka_unit_test(test_tolerance_is_reached_at_rest),
        cmocka_unit_test(test_too_few_iterations_are_told),
        cmocka_unit_test(test_bad_values_are_refused),
        cmocka_unit_test(test_failure_leaves_no_trace),
        cmocka_unit_test(test_time_steps_may_change),
        cmocka_unit_test(test_removed_pin_lets_go),
        cmocka_unit_test(test_smallest_cloth_falls),
        cmocka_unit_test(test_all_pinned_stays),
        cmocka_unit_test(test_floor_carries),
        cmocka_unit_test(test_meshes_hold),
        cmocka_unit_test(test_collision_of_shapes_refuses_meshes),
        cmocka_unit_test(test_substeps_lower_the_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
