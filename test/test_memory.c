/* A step allocates nothing, but for the first one and those in which more cloth meets than ever
 * before, and neither does measuring. */
#include "outlines.h"
#include "solids.h"

#include "allocations.h"

static long allocations;
static bool refused; /* are they? */

static bool may_allocate(void) {
    allocations++;
    return !refused;
}

static void check_steps(toile_solver_kind kind, int order) {
    static const toile_level_def mixed[3] = {{TOILE_RELAXATION_GAUSS_SEIDEL, 1},
                                             {TOILE_RELAXATION_JACOBI, 3},
                                             {TOILE_RELAXATION_GAUSS_SEIDEL, 2}};
    long before = allocations;
    toile_world_def def = toile_default_world_def();
    def.solver.kind = kind;
    def.solver.self_collision = kind != TOILE_SOLVER_MASS_SPRING && order == 1;
    def.threads = 2;
    if (kind == TOILE_SOLVER_IMPLICIT) {
        def.solver.order = order;
        def.solver.substeps = 8;
        def.solver.tolerance = 1e-4f;
    } else if (kind == TOILE_SOLVER_MULTILEVEL) {
        def.solver.level_count = 3;
        def.solver.levels = mixed;
        def.solver.cycles = 2;
    }
    def.wind.velocity[0] = 1.0f;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = lying_def(21, 0.3f);
    sheet.fabric.curvature[0] = kind == TOILE_SOLVER_IMPLICIT ? 5.0f : 0.0f;
    toile_cloth_id cloth = add_cloth(world, &sheet);
    pin_corner(world, cloth, TOILE_CORNER_TOP_LEFT);
    test_outline ring;
    make_ring(&ring);
    toile_panel *panel = cook_outline(&ring, 0.05f, 10.0f);
    sheet.panel = panel;
    sheet.transform.translate[1] = 0.6f;
    pin_corner(world, add_cloth(world, &sheet), TOILE_CORNER_TOP_LEFT);
    toile_panel_destroy(panel);
    toile_body_id ball = add_ball(world, 0.0f, 0.25f);
    assert_true(allocations > before); /* the counters count */
    run_steps(world, 1, 1.0f / 60.0f);

    before = allocations;
    const float gravity[3] = {0.0f, -5.0f, 0.0f};
    for (int s = 0; s < 30; s++) {
        toile_pose pose = toile_body_get_pose(world, ball);
        pose.position[0] += 0.001f;
        assert_ok(toile_world_move_body(world, ball, &pose));
        assert_ok(toile_world_set_gravity(world, gravity));
        assert_ok(toile_world_step(world, s % 2 ? 1.0f / 60.0f : 1.0f / 30.0f));
    }
    assert_int_equal(allocations, before);
    toile_world_destroy(world);
}

static void test_steps_do_not_allocate(void **state) {
    (void)state;
    check_steps(TOILE_SOLVER_MASS_SPRING, 1);
    check_steps(TOILE_SOLVER_MULTILEVEL, 1);
    check_steps(TOILE_SOLVER_IMPLICIT, 1);
    check_steps(TOILE_SOLVER_IMPLICIT, 2);
}

/* Tied cloths on a soft pin that moves; the tie lets go on the way. */
static void test_tied_steps_do_not_allocate(void **state) {
    (void)state;
    static const float left[4] = {0.5f, 0.0f, 0.5f, 1.0f}, right[4] = {0.0f, 0.0f, 0.0f, 1.0f};
    const toile_keyframe keys[2] = {{.time = 0.0f},
                                    {.time = 1.0f, .translate = {0.0f, 0.1f, 0.0f}}};
    toile_world_def def = toile_default_world_def();
    def.threads = 2;
    toile_world *world = make_world(&def);
    toile_cloth_id cloths[2];
    for (int k = 0; k < 2; k++) {
        toile_cloth_def half = lying_def(k ? 41 : 31, 0.3f);
        half.size[0] = 0.5f;
        half.transform.translate[0] = k ? 0.25f : -0.25f;
        cloths[k] = add_cloth(world, &half);
    }
    toile_tie_def tie = toile_default_tie_def();
    tie.runs[0] = (toile_tie_run){cloths[0], left, 2};
    tie.runs[1] = (toile_tie_run){cloths[1], right, 2};
    tie.until = 0.2f;
    assert_true(toile_world_add_tie(world, &tie).slot != 0);
    toile_pin_def pin = toile_default_pin_def();
    pin.stiffness = 100.0f;
    pin.keyframes = keys;
    pin.keyframe_count = 2;
    add_pin(world, cloths[0], &pin);
    run_steps(world, 1, 1.0f / 60.0f);
    const long before = allocations;
    run_steps(world, 20, 1.0f / 60.0f);
    assert_int_equal(allocations, before);
    toile_world_destroy(world);
}

/* Sheets close above each other fall on a floor. Where there is no memory for their springs, the
 * step fails, and nothing has happened. Returns the hash at the end; fails: the number of steps in
 * which memory was asked for. */
static uint64_t drop_stack(bool refuses, int threads, int *fails) {
    toile_world_def def = toile_default_world_def();
    def.threads = threads;
    toile_world *world = make_stack(&def);
    run_steps(world, 1, 1.0f / 60.0f);
    *fails = 0;
    for (int s = 0; s < 30; s++) {
        const uint64_t hash = toile_world_hash(world);
        const long before = allocations;
        refused = refuses;
        const toile_result result = toile_world_step(world, 1.0f / 60.0f);
        refused = false;
        *fails += allocations > before;
        if (refuses && allocations > before) {
            assert_int_equal(result, TOILE_ERROR_MEMORY);
            assert_message("springs between texels that meet");
            assert_true(toile_world_hash(world) == hash);
            assert_ok(toile_world_step(world, 1.0f / 60.0f));
        } else {
            assert_int_equal(result, TOILE_OK);
        }
    }
    const uint64_t hash = toile_world_hash(world);
    toile_world_destroy(world);
    return hash;
}

static void test_springs_grow(void **state) {
    (void)state;
    int grown, failed;
    const uint64_t hash = drop_stack(false, 1, &grown);
    print_message("memory for springs grew in %d steps\n", grown);
    assert_true(grown > 0);
    assert_true(grown < 5);
    assert_true(drop_stack(true, 1, &failed) == hash);
    assert_true(drop_stack(true, 3, &failed) == hash);
    assert_int_equal(failed, grown);
}

static void test_measuring_does_not_allocate(void **state) {
    (void)state;
    toile_world_def def = test_world_def();
    def.threads = 2;
    toile_world *world = make_world(&def);
    test_mesh torus = test_torus(0.3f, 0.1f, 32, 16);
    toile_body_def ring = toile_default_body_def();
    ring.shape = TOILE_SHAPE_MESH;
    ring.mesh = test_mesh_def(&torus);
    add_body(world, &ring);
    toile_cloth_def sheet = lying_def(41, 0.3f);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    float *at = texel_positions(world, cloth);
    size_t texels = toile_cloth_get_info(world, cloth).texels;
    uint64_t most = 0;
    measure(world, cloth);
    long before = allocations;
    for (int s = 0; s < 10; s++) { /* through the ring */
        for (size_t t = 0; t < texels; t++) {
            at[3 * t + 1] -= 0.05f;
        }
        assert_ok(toile_cloth_set_texel_positions(world, cloth, at, texels));
        toile_penetration p = measure(world, cloth).penetration;
        most = p.crossings > most && p.count > 0 ? p.crossings : most;
    }
    assert_int_equal(allocations, before);
    assert_true(most > 0);
    free(at);
    test_mesh_free(&torus);
    toile_world_destroy(world);
}

static void test_a_particle_takes_a_hundred_bytes(void **state) {
    (void)state;
    toile_world_def def = test_world_def();
    toile_world *world = make_world(&def);
    const int sizes[] = {101, 225, 481};
    for (int i = 0; i < 3; i++) {
        toile_cloth_def sheet = square_def(sizes[i]);
        toile_cloth_info info = toile_cloth_get_info(world, add_cloth(world, &sheet));
        assert_below((double)info.solver_bytes / (double)info.texels, 100.0);
    }
    toile_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_do_not_allocate),
        cmocka_unit_test(test_tied_steps_do_not_allocate),
        cmocka_unit_test(test_springs_grow),
        cmocka_unit_test(test_measuring_does_not_allocate),
        cmocka_unit_test(test_a_particle_takes_a_hundred_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
