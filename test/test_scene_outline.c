/* Outlines and the multilevel solver in scene files. */
#include "scenes.h"

static scene *parse_cloth(const char *keys) {
    char text[2048];
    snprintf(text, sizeof text, "{\"toile\": 1, \"cloths\": [{%s}]}", keys);
    return parse(text);
}

static void assert_cloth_refused(const char *keys, const char *message) {
    char text[2048];
    snprintf(text, sizeof text, "{\"toile\": 1, \"cloths\": [{%s}]}", keys);
    assert_refused(text, message);
}

static void assert_curve_refused(const char *curve, const char *message) {
    char keys[1024];
    snprintf(keys, sizeof keys,
             "\"outline\": [{\"start\": [0, 0], \"curves\": [{\"line\": [1, 1]}, %s]}]", curve);
    assert_cloth_refused(keys, message);
}

static void test_outline(void **state) {
    (void)state;
    scene *s;
    if (scene_load(in_source("test/good/every_key.json"), &s) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    const scene_cloth *c = &s->cloths[2];
    assert_int_equal(c->outline.loop_count, 2);
    const toile_loop *loop = c->outline.loops;
    assert_pair(loop[0].start, 0.0f, 0.0f);
    assert_int_equal(loop[0].curve_count, 4);
    const toile_curve *curve = loop[0].curves;
    assert_int_equal(curve[0].kind, TOILE_CURVE_LINE);
    assert_pair(curve[0].to, 0.5f, 0.0f);
    assert_int_equal(curve[1].kind, TOILE_CURVE_CUBIC);
    assert_pair(curve[1].to, 0.4f, 0.6f);
    assert_pair(curve[1].control[0], 0.6f, 0.2f);
    assert_pair(curve[1].control[1], 0.5f, 0.5f);
    assert_int_equal(curve[2].kind, TOILE_CURVE_QUADRATIC);
    assert_pair(curve[2].to, 0.1f, 0.6f);
    assert_pair(curve[2].control[0], 0.25f, 0.4f);
    assert_int_equal(curve[3].kind, TOILE_CURVE_ARC);
    assert_pair(curve[3].to, 0.0f, 0.0f);
    assert_pair(curve[3].control[0], -0.05f, 0.3f);
    assert_int_equal(loop[1].curve_count, 3);
    assert_pair(loop[1].start, 0.2f, 0.1f);
    const float corners[3][2] = {{0.3f, 0.1f}, {0.25f, 0.2f}, {0.2f, 0.1f}};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(loop[1].curves[i].kind, TOILE_CURVE_LINE);
        assert_pair(loop[1].curves[i].to, corners[i][0], corners[i][1]);
    }
    assert_float_equal(c->grain, 30.0f, 0);
    assert_float_equal(c->coarse_edge, 0.1f, 0);
    assert_float_equal(c->render_edge, 0.03f, 0);
    assert_true(c->snap);
    assert_int_equal(s->cloths[0].outline.loop_count, 0);
    scene_free(s);
    s = parse_cloth("\"coarse_edge\": \"auto\", \"snap\": true");
    assert_float_equal(s->cloths[0].coarse_edge, 0.0f, 0);
    scene_free(s);
}

static void test_bad_panels(void **state) {
    (void)state;
    const char *triangle = "\"outline\": [{\"points\": [[0, 0], [1, 0], [0, 1]]}]";
    char keys[512];
    snprintf(keys, sizeof keys, "\"rectangle\": [1, 1], %s", triangle);
    assert_cloth_refused(keys, "cloths[0]: expected either rectangle or outline, found both");
    assert_cloth_refused("\"grain\": 10", "cloths[0]: expected grain only beside outline");
    assert_cloth_refused("\"render_edge\": 0.1",
                         "cloths[0]: expected render_edge only beside outline");
    snprintf(keys, sizeof keys, "\"grain\": 361, %s", triangle);
    assert_cloth_refused(keys, "cloths[0].grain: expected a number from -360 to 360 degrees");
    snprintf(keys, sizeof keys, "\"coarse_edge\": 0, %s", triangle);
    assert_cloth_refused(keys, "cloths[0].coarse_edge: expected \"auto\" or a number from 1e-05");
    snprintf(keys, sizeof keys, "\"snap\": 1, %s", triangle);
    assert_cloth_refused(keys, "cloths[0].snap: expected true or false");
}

static void test_bad_loops(void **state) {
    (void)state;
    assert_cloth_refused("\"outline\": {}", "cloths[0].outline: expected an array");
    assert_cloth_refused("\"outline\": []", "cloths[0].outline: expected at least one loop");
    assert_cloth_refused("\"outline\": [[[0, 0]]]", "cloths[0].outline[0]: expected an object");
    const char *either = "cloths[0].outline[0]: expected either points or both start and curves";
    assert_cloth_refused("\"outline\": [{}]", either);
    assert_cloth_refused("\"outline\": [{\"start\": [0, 0]}]", either);
    assert_cloth_refused("\"outline\": [{\"curves\": []}]", either);
    assert_cloth_refused("\"outline\": [{\"start\": [0, 0], \"points\": [[0, 0], [1, 0], [0, 1]]}]",
                         either);
    assert_cloth_refused("\"outline\": [{\"points\": [[0, 0], [1, 0]]}]",
                         "cloths[0].outline[0].points: expected at least 3 points");
    assert_cloth_refused("\"outline\": [{\"points\": 3}]",
                         "cloths[0].outline[0].points: expected an array of at most 262144");
    assert_cloth_refused("\"outline\": [{\"points\": [[0, 0], [1, 0], [0]]}]",
                         "cloths[0].outline[0].points[2]: expected an array of 2 numbers");
    assert_cloth_refused("\"outline\": [{\"points\": [[0, 0], [10001, 0], [0, 1]]}]",
                         "cloths[0].outline[0].points[1][0]: expected a number from -10000 to "
                         "10000 m, found 10001");
    assert_cloth_refused("\"outline\": [{\"start\": [0, \"x\"], \"curves\": []}]",
                         "cloths[0].outline[0].start[1]: expected a number");
    assert_cloth_refused("\"outline\": [{\"start\": [0, 0], \"curve\": []}]",
                         "unknown key, did you mean \"curves\"?");
}

static void test_bad_curves(void **state) {
    (void)state;
    assert_curve_refused("{}",
                         "curves[1]: expected one of line, arc, quadratic, cubic, found none");
    assert_curve_refused("{\"line\": [0, 1], \"arc\": [0, 1], \"through\": [1, 2]}",
                         "curves[1]: expected one of its kinds, found both line and arc");
    assert_curve_refused("{\"arc\": [0, 1]}",
                         "curves[1]: expected arc and through together, found only arc");
    assert_curve_refused("{\"line\": [0, 1], \"through\": [1, 1]}",
                         "curves[1]: expected arc and through together, found only through");
    assert_curve_refused("{\"quadratic\": [0, 1]}",
                         "curves[1]: expected quadratic and control together");
    assert_curve_refused("{\"cubic\": [0, 1], \"control\": [1, 1]}",
                         "curves[1]: expected quadratic and control together, found only control");
    assert_curve_refused("{\"cubic\": [0, 1]}", "curves[1]: expected cubic and controls together");
    assert_curve_refused("{\"cubic\": [0, 1], \"controls\": [1, 1]}",
                         "curves[1].controls[0]: expected an array of 2 numbers");
    assert_curve_refused("{\"cubic\": [0, 1], \"controls\": [[1, 1]]}",
                         "curves[1].controls: expected an array of 2 points, found an array of 1");
    assert_curve_refused("{\"cubic\": [0, 1], \"controls\": [[1, 1], [1e5, 0]]}",
                         "curves[1].controls[1][0]: expected a number from -10000 to 10000 m");
}

static void test_solver(void **state) {
    (void)state;
    scene *s = parse("{\"toile\": 1, \"cloths\": [{}], \"collision\": \"coarse\", \"solver\": "
                     "{\"kind\": \"multilevel\", \"cycles\": 3, \"constraint_stiffness\": 0.25, "
                     "\"strain_limit\": 0.02, \"self_collision\": true, \"levels\": "
                     "[{\"iterations\": 5}, {\"relaxation\": \"jacobi\", \"iterations\": 7}]}}");
    const toile_solver_def *solver = &s->world.solver;
    assert_int_equal(solver->kind, TOILE_SOLVER_MULTILEVEL);
    assert_int_equal(solver->cycles, 3);
    assert_float_equal(solver->constraint_stiffness, 0.25f, 0);
    assert_float_equal(solver->strain_limit, 0.02f, 0);
    assert_true(solver->self_collision);
    assert_int_equal(solver->level_count, 2);
    assert_int_equal(solver->levels[0].relaxation, TOILE_RELAXATION_GAUSS_SEIDEL);
    assert_int_equal(solver->levels[0].iterations, 5);
    assert_int_equal(solver->levels[1].relaxation, TOILE_RELAXATION_JACOBI);
    assert_int_equal(solver->levels[1].iterations, 7);
    assert_int_equal(s->world.collision, TOILE_COLLISION_COARSE);
    scene_free(s);
    s = parse("{\"toile\": 1, \"cloths\": [{}], \"collision\": {\"kind\": \"coarse\"}, "
              "\"solver\": {\"kind\": \"multilevel\", \"levels\": 4}}");
    assert_int_equal(s->world.solver.level_count, 4);
    assert_null(s->world.solver.levels);
    assert_int_equal(s->world.collision, TOILE_COLLISION_COARSE);
    scene_free(s);
    s = parse("{\"toile\": 1, \"cloths\": [{}]}");
    assert_int_equal(s->world.solver.level_count, 0);
    assert_int_equal(s->world.collision, TOILE_COLLISION_AUTO);
    scene_free(s);
}

static void assert_solver_refused(const char *solver, const char *message) {
    char text[512];
    snprintf(text, sizeof text, "{\"toile\": 1, \"cloths\": [{}], \"solver\": {%s}}", solver);
    assert_refused(text, message);
}

static void test_bad_solvers(void **state) {
    (void)state;
    assert_solver_refused("\"levels\": 0", "solver.levels: expected a number of levels, 1 to 16");
    assert_solver_refused("\"levels\": 17", "solver.levels: expected a number of levels, 1 to 16");
    assert_solver_refused("\"levels\": 1.5", "solver.levels: expected a number of levels, 1 to 16");
    assert_solver_refused("\"levels\": \"many\"",
                          "solver.levels: expected a number of levels, 1 to 16, or an array of as "
                          "many, found \"many\"");
    assert_solver_refused("\"levels\": []", "or an array of as many, found an array of 0");
    assert_solver_refused("\"levels\": [{}]", "solver.levels[0].iterations: expected, but it is");
    assert_solver_refused("\"levels\": [{\"iterations\": 0}]",
                          "solver.levels[0].iterations: expected a whole number from 1 to 10000");
    assert_solver_refused("\"levels\": [{\"iterations\": 1, \"relaxation\": \"sor\"}]",
                          "expected \"gauss-seidel\" or \"jacobi\", found \"sor\"");
    assert_solver_refused("\"levels\": [{\"iterations\": 1, \"relaxations\": \"jacobi\"}]",
                          "did you mean \"relaxation\"?");
}

/* A ring of 1 m around a hole of 0.4 m, 0.1 m between texels, and a body. */
static toile_result build_ring(const char *body) {
    char text[1024];
    snprintf(text, sizeof text,
             "{\"toile\": 1, \"cloths\": [{\"name\": \"ring\", \"spacing\": 0.1, \"outline\": "
             "[{\"points\": [[0, 0], [1, 0], [1, 1], [0, 1]]}, {\"points\": [[0.3, 0.3], "
             "[0.7, 0.3], [0.7, 0.7], [0.3, 0.7]]}]}], \"bodies\": [%s]}",
             body);
    scene *s = parse(text);
    toile_world *world;
    scene_ids ids;
    toile_result result = scene_build(s, NULL, NULL, &world, &ids);
    if (result == TOILE_OK) {
        toile_cloth_info info = toile_cloth_get_info(world, ids.cloths[0]);
        assert_int_equal(info.columns, 11);
        assert_float_equal((float)info.mass, 0.84f * info.fabric.density, 1e-6f);
        scene_ids_free(&ids);
        toile_world_destroy(world);
    }
    scene_free(s);
    return result;
}

static void assert_ring_refused(const char *body, const char *message) {
    assert_int_equal(build_ring(body), TOILE_ERROR_INVALID);
    if (!strstr(toile_error_message(), message)) {
        fail_msg("expected: %s\nfound: %s", message, toile_error_message());
    }
}

/* A body may start in a hole, but neither in a texel nor between them. */
static void test_bodies_in_a_ring(void **state) {
    (void)state;
    assert_int_equal(build_ring("{\"sphere\": {\"radius\": 0.14}}"), TOILE_OK);
    assert_int_equal(build_ring("{\"sphere\": {\"radius\": 9, \"center\": [0, 0, 9.1]}}"),
                     TOILE_OK);
    assert_ring_refused("{\"sphere\": {\"radius\": 0.25}}", "12 texels of \"ring\" start inside");
    assert_ring_refused("{\"sphere\": {\"radius\": 0.02, \"center\": [0.45, 0.45, 0]}}",
                        "starts in \"ring\" between its texels, 20 mm deep");
    assert_ring_refused("{\"capsule\": {\"radius\": 0.01, \"a\": [0.45, 0.05, -1], \"b\": "
                        "[0.45, 0.05, 1]}}",
                        "starts in \"ring\" between its texels, 10 mm deep");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outline),          cmocka_unit_test(test_bad_panels),
        cmocka_unit_test(test_bad_loops),        cmocka_unit_test(test_bad_curves),
        cmocka_unit_test(test_solver),           cmocka_unit_test(test_bad_solvers),
        cmocka_unit_test(test_bodies_in_a_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
