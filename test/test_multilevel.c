/* The multilevel solver as a whole gives the same bits with any number of threads, any instruction
 * set, and after a stop. Its constraints are in test_distance.c, the order of its sets in
 * test_relax.c, and what physics says about it in test_multilevel_truth.c. */
#include "levels.h"
#include "solids.h"
#include "zoo.h"

/* Two cloths with other numbers of levels; both ways of relaxing; two cycles. */
static toile_world *make_zoo(int threads) {
    static const toile_level_def mixed[5] = {{TOILE_RELAXATION_GAUSS_SEIDEL, 1},
                                             {TOILE_RELAXATION_JACOBI, 3},
                                             {TOILE_RELAXATION_GAUSS_SEIDEL, 2},
                                             {TOILE_RELAXATION_JACOBI, 2},
                                             {TOILE_RELAXATION_GAUSS_SEIDEL, 3}};
    toile_world_def def = multilevel_def(5, mixed);
    def.solver.substeps = 4;
    def.solver.cycles = 2;
    toile_world *world = make_zoo_of(def, threads);
    add_floor(world, -0.3f);
    return world;
}

static void test_threads_and_instruction_sets(void **state) {
    (void)state;
    assert_same_bits(make_zoo, 20);
}

static void test_resume(void **state) {
    (void)state;
    assert_resumes(make_zoo, 7, 9);
}

static toile_world *make_meshes(int threads) {
    toile_world_def def = multilevel_def(0, NULL);
    def.threads = threads;
    toile_world *world = make_world(&def);
    test_mesh ball = test_ball(0.2f, 12, 9, NULL);
    toile_body_def body = toile_default_body_def();
    body.shape = TOILE_SHAPE_MESH;
    body.mesh = test_mesh_def(&ball);
    add_body(world, &body);
    test_mesh_free(&ball);
    toile_cloth_def sheet = lying_def(19, 0.22f);
    add_cloth(world, &sheet);
    return world;
}

/* Stopped on a mesh: the first step of a world knows its meshes, too. */
static void test_resume_on_a_mesh(void **state) {
    (void)state;
    assert_resumes(make_meshes, 12, 3);
}

/* A cloth by itself, and beside another one with more levels. */
static void test_cloths_do_not_change_each_other(void **state) {
    (void)state;
    float *found[2];
    for (int i = 0; i < 2; i++) {
        toile_world_def def = multilevel_def(0, NULL);
        toile_world *world = make_world(&def);
        toile_cloth_def sheet = square_def(27);
        toile_cloth_id id = add_cloth(world, &sheet);
        pin_corner(world, id, TOILE_CORNER_TOP_LEFT);
        if (i == 1) {
            sheet = square_def(60);
            sheet.transform.translate[2] = 1.0f;
            pin_corner(world, add_cloth(world, &sheet), TOILE_CORNER_TOP_RIGHT);
        }
        run_steps(world, 20, 1.0f / 60.0f);
        found[i] = texel_positions(world, id);
        toile_world_destroy(world);
    }
    assert_memory_equal(found[0], found[1], 27 * 27 * 3 * sizeof(float));
    free(found[0]);
    free(found[1]);
}

/* No substep is too long, so none is given as the longest, nor blamed when numbers run out. */
static void test_any_substep_is_stable(void **state) {
    (void)state;
    toile_world_def def = multilevel_def(0, NULL);
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = square_def(9);
    toile_cloth_id id = add_cloth(world, &sheet);
    run_steps(world, 1, 1.0f / 60.0f);
    toile_solver_info info = toile_world_get_solver_info(world);
    assert_true(isinf(info.stable_substep) && isinf(info.true_substep));
    float far[9 * 9 * 3];
    for (int i = 0; i < 9 * 9 * 3; i++) {
        far[i] = i % 2 ? 3e38f : -3e38f;
    }
    assert_int_equal(toile_cloth_set_texel_positions(world, id, far, 9 * 9), TOILE_OK);
    assert_int_equal(toile_world_step(world, 1.0f / 60.0f), TOILE_ERROR_NUMERICAL);
    assert_non_null(strstr(toile_error_message(), "left all bounds"));
    assert_null(strstr(toile_error_message(), "stable"));
    toile_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_and_instruction_sets),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_resume_on_a_mesh),
        cmocka_unit_test(test_cloths_do_not_change_each_other),
        cmocka_unit_test(test_any_substep_is_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
