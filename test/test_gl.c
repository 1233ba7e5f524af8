/* The gl devices against the CPU: the same scenes, step by step and over seconds. */
#include <pthread.h>

#include "gl_scenes.h"

static toile_world_def spring_def(toile_integrator integrator) {
    toile_world_def def = test_world_def();
    def.solver.integrator = integrator;
    def.solver.max_substeps = 32;
    return def;
}

static void test_spring_steps(void **state) {
    (void)state;
    static const char *const names[] = {"euler", "verlet", "velocity verlet"};
    for (int i = 0; i <= TOILE_INTEGRATOR_VELOCITY_VERLET; i++) {
        toile_world_def def = spring_def((toile_integrator)i);
        assert_same_step(make_flag, &def, names[i]);
        assert_same_step(make_drop, &def, names[i]);
    }
}

static toile_world_def multilevel_def(const toile_level_def *levels, int count) {
    toile_world_def def = test_world_def();
    def.solver.kind = TOILE_SOLVER_MULTILEVEL;
    def.solver.levels = levels;
    def.solver.level_count = count;
    return def;
}

static toile_world_def implicit_def(int order) {
    toile_world_def def = test_world_def();
    def.solver.kind = TOILE_SOLVER_IMPLICIT;
    def.solver.order = order;
    return def;
}

static void test_multilevel_steps(void **state) {
    (void)state;
    static const toile_level_def seidel[3] = {{TOILE_RELAXATION_GAUSS_SEIDEL, 2},
                                              {TOILE_RELAXATION_GAUSS_SEIDEL, 3},
                                              {TOILE_RELAXATION_GAUSS_SEIDEL, 4}};
    static const toile_level_def jacobi[3] = {{TOILE_RELAXATION_JACOBI, 2},
                                              {TOILE_RELAXATION_JACOBI, 3},
                                              {TOILE_RELAXATION_GAUSS_SEIDEL, 1}};
    toile_world_def def = multilevel_def(seidel, 3);
    assert_same_step(make_flag, &def, "gauss-seidel");
    assert_same_step(make_drop, &def, "gauss-seidel");
    def = multilevel_def(jacobi, 3);
    def.solver.cycles = 2;
    assert_same_step(make_flag, &def, "jacobi, two cycles");
    assert_same_step(make_drop, &def, "jacobi, two cycles");
}

static void test_spring_drape(void **state) {
    (void)state;
    toile_world_def springs = spring_def(TOILE_INTEGRATOR_VELOCITY_VERLET);
    springs.solver.max_substeps = 8;
    springs.solver.damping = 2.0f;
    assert_same_drape(&springs, "mass-spring");
}

static void test_drape(void **state) {
    (void)state;
    toile_world_def levels = multilevel_def(NULL, 0);
    levels.solver.damping = 2.0f;
    assert_same_drape(&levels, "multilevel");
    toile_world_def implicit = implicit_def(1);
    implicit.solver.damping = 2.0f;
    assert_same_drape(&implicit, "implicit");
}

static void test_spring_bits(void **state) {
    (void)state;
    toile_world_def springs = spring_def(TOILE_INTEGRATOR_VELOCITY_VERLET);
    assert_same_hash(hash_after(make_drop, springs, 20), hash_after(make_drop, springs, 20),
                     "mass-spring again");
}

static void test_same_bits(void **state) {
    (void)state;
    toile_world_def levels = multilevel_def(NULL, 0);
    assert_same_hash(hash_after(make_drop, levels, 20), hash_after(make_drop, levels, 20),
                     "multilevel again");
}

typedef struct thread_run {
    pthread_t thread;
    uint64_t hash;
} thread_run;

static void *run_thread(void *argument) {
    thread_run *run = argument;
    run->hash = hash_after(make_ball, spring_def(TOILE_INTEGRATOR_EULER), 10);
    return NULL;
}

/* Worlds of several threads at once, each as if it were alone. */
static void test_threads(void **state) {
    (void)state;
    thread_run runs[3];
    uint64_t alone = hash_after(make_ball, spring_def(TOILE_INTEGRATOR_EULER), 10);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_create(&runs[i].thread, NULL, run_thread, &runs[i]), 0);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(runs[i].thread, NULL);
        assert_same_hash(runs[i].hash, alone, "in a thread");
    }
}

static void test_coarse_steps(void **state) {
    (void)state;
    toile_world_def def = multilevel_def(NULL, 0);
    assert_same_step(make_meshes, &def, "meshes");
    def.collision = TOILE_COLLISION_COARSE;
    assert_same_step(make_meshes, &def, "meshes, coarse only");
    assert_same_step(make_drop, &def, "shapes, coarse only");
}

static void test_self_steps(void **state) {
    (void)state;
    toile_world_def def = multilevel_def(NULL, 0);
    def.solver.self_collision = true;
    assert_same_step(make_heap, &def, "self-collision");
    assert_same_step(make_uneven_heap, &def, "self-collision, uneven");
    assert_same_hash(hash_after(make_heap, def, 20), hash_after(make_heap, def, 20),
                     "self-collision again");
}

static void test_implicit_steps(void **state) {
    (void)state;
    for (int order = 1; order <= 2; order++) {
        toile_world_def def = implicit_def(order);
        assert_same_step(make_flag, &def, "implicit, in wind");
        assert_same_step(make_drop, &def, "implicit, on shapes");
    }
    toile_world_def def = implicit_def(1);
    assert_same_step(make_meshes, &def, "implicit, on meshes");
    def.collision = TOILE_COLLISION_COARSE;
    assert_same_step(make_meshes, &def, "implicit, meshes and coarse only");
    def = implicit_def(1);
    def.solver.self_collision = true;
    assert_same_step(make_heap, &def, "implicit, self-collision");
    def = implicit_def(1);
    def.solver.tolerance = 1e-6f;
    assert_same_step(make_ball, &def, "implicit, with a tolerance");
    assert_same_hash(hash_after(make_drop, implicit_def(1), 20),
                     hash_after(make_drop, implicit_def(1), 20), "implicit again");
}

int main(void) {
    const struct CMUnitTest springs[] = {
        cmocka_unit_test(test_spring_steps),
        cmocka_unit_test(test_spring_drape),
        cmocka_unit_test(test_spring_bits),
        cmocka_unit_test(test_threads),
    };
    const struct CMUnitTest others[] = {
        cmocka_unit_test(test_multilevel_steps),
        cmocka_unit_test(test_coarse_steps),
        cmocka_unit_test(test_drape),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_self_steps),
        cmocka_unit_test(test_implicit_steps),
    };
    int failed = cmocka_run_group_tests(springs, NULL, NULL);
    if (strcmp(test_device(), "gl-fragment") != 0) {
        failed += cmocka_run_group_tests(others, NULL, NULL);
    }
    return failed;
}
