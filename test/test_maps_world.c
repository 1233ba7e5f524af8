/* Cloth on bodies that it knows by images, with all solvers on both devices. */
#include "pairs.h"
#include "solids.h"

static const char *const devices[] = {"cpu", "gl"};
static const toile_solver_kind solvers[] = {TOILE_SOLVER_MASS_SPRING, TOILE_SOLVER_MULTILEVEL,
                                            TOILE_SOLVER_IMPLICIT};
enum { DEVICES = 2, SOLVERS = 3 };

/* Pixels of an image, and their size on a body of half a metre. */
enum { SIDE = 128 };
static const double PIXEL = 0.52 / (SIDE - 5);

static toile_world_def maps_def(const char *device, toile_solver_kind solver) {
    toile_world_def def = test_world_def();
    def.device = device;
    def.solver.kind = solver;
    def.solver.max_substeps = 24;
    def.collision = TOILE_COLLISION_MAPS;
    def.map_size = SIDE;
    return def;
}

/* ---- things -------------------------------------------------------------------------------------
 */

typedef enum thing { BALL, BOX, MESH, THINGS } thing;

static float bump(size_t vertex) {
    return 0.03f * (float)(vertex % 5) / 4.0f;
}

/* Half a metre wide, its top just below the origin. */
static toile_body_id add_thing(toile_world *world, thing what, const toile_keyframe *keyframes,
                               int keyframe_count) {
    toile_body_def def = toile_default_body_def();
    test_mesh mesh = test_ball(0.25f, 24, 12, bump);
    def.shape = what == BALL  ? TOILE_SHAPE_SPHERE
                : what == BOX ? TOILE_SHAPE_BOX
                              : TOILE_SHAPE_MESH;
    def.center[1] = -0.28f;
    def.half[0] = 0.2f;
    def.mesh = test_mesh_def(&mesh);
    def.friction = 0.5f;
    def.keyframes = keyframes;
    def.keyframe_count = keyframe_count;
    toile_body_id body = add_body(world, &def);
    test_mesh_free(&mesh);
    return body;
}

static toile_cloth_id add_sheet(toile_world *world) {
    toile_cloth_def sheet = toile_default_cloth_def();
    sheet.size[0] = sheet.size[1] = 0.8f;
    sheet.spacing = 0.05f;
    sheet.transform.rotate[0] = -90.0f;
    return add_cloth(world, &sheet);
}

static toile_world *make_fall(const toile_world_def *def, thing what) {
    toile_world *world = make_world(def);
    add_thing(world, what, NULL, 0);
    add_sheet(world);
    return world;
}

static toile_cloth_id the_cloth(const toile_world *world) {
    toile_cloth_id cloth;
    assert_int_equal(toile_world_get_cloths(world, &cloth, 1), 1);
    return cloth;
}

static toile_body_id the_body(const toile_world *world) {
    toile_body_id body;
    assert_int_equal(toile_world_get_bodies(world, &body, 1), 1);
    return body;
}

/* How deep texels are in the body at most. */
static double deepest(const toile_world *world) {
    float *positions = texel_positions(world, the_cloth(world));
    double depth = 0.0;
    for (size_t t = 0; t < toile_cloth_get_info(world, the_cloth(world)).texels; t++) {
        const float *p = positions + 3 * t;
        depth = fmax(depth, -(double)toile_body_get_distance(world, the_body(world), p, NULL));
    }
    free(positions);
    return depth;
}

/* The deepest of so many steps. */
static double run_and_look(toile_world *world, int steps) {
    double depth = 0.0;
    for (int step = 0; step < steps; step++) {
        run_steps(world, 1, 1.0f / 60.0f);
        depth = fmax(depth, deepest(world));
    }
    return depth;
}

/* ---- tests --------------------------------------------------------------------------------------
 */

/* Cloth that falls on a body stays on it, and out of it. */
static void test_falls(void **state) {
    (void)state;
    for (int i = 0; i < DEVICES * SOLVERS * THINGS; i++) {
        int d = i / (SOLVERS * THINGS), s = i / THINGS % SOLVERS, what = i % THINGS;
        toile_world_def def = maps_def(devices[d], solvers[s]);
        toile_world *world = make_fall(&def, (thing)what);
        double depth = run_and_look(world, 20);
        toile_metrics m = measure(world, the_cloth(world));
        print_message("%s, solver %d, body %d: %.2f pixels deep, %.3f to %.3f m\n", devices[d], s,
                      what, depth / PIXEL, m.lowest, m.highest);
        assert_below(depth, PIXEL);
        assert_true(m.highest > -0.06);
        assert_below(m.lowest, -0.15);
        assert_int_equal(toile_world_get_solver_info(world).ambiguous_texels, 0);
        toile_world_destroy(world);
    }
}

/* It lies where exact distances put it. Two frames later it folds, and a tenth of a millimetre
 * makes a centimetre of that, whatever it comes from. */
static void test_as_shapes(void **state) {
    (void)state;
    for (int i = 0; i < SOLVERS * 2; i++) {
        toile_world_def def = maps_def("cpu", solvers[i / 2]);
        toile_world *maps = make_fall(&def, (thing)(i % 2));
        def.collision = TOILE_COLLISION_SHAPES;
        toile_world *exact = make_fall(&def, (thing)(i % 2));
        run_steps(maps, 8, 1.0f / 60.0f);
        run_steps(exact, 8, 1.0f / 60.0f);
        print_message("solver %d, body %d: %.3f pixels\n", i / 2, i % 2,
                      apart(maps, exact) / PIXEL);
        assert_below(apart(maps, exact), 2.0 * PIXEL);
        toile_world_destroy(maps);
        toile_world_destroy(exact);
    }
}

/* A step on one device is one on the other, when cloth is in the air and when it lies. At the edge
 * of a box a rounding decides whether a texel lies, which is a fraction of a tenth of a millimetre.
 */
static void test_same_step(void **state) {
    (void)state;
    for (int i = 0; i < SOLVERS * THINGS; i++) {
        toile_world_def def = maps_def("cpu", solvers[i / THINGS]);
        toile_world *cpu = make_fall(&def, (thing)(i % THINGS));
        def.device = "gl";
        toile_world *gl = make_fall(&def, (thing)(i % THINGS));
        run_steps(cpu, 1, 1.0f / 60.0f);
        run_steps(gl, 1, 1.0f / 60.0f);
        double first = apart(cpu, gl);
        run_steps(cpu, 14, 1.0f / 60.0f);
        copy_world(cpu, gl);
        run_steps(cpu, 1, 1.0f / 60.0f);
        run_steps(gl, 1, 1.0f / 60.0f);
        print_message("solver %d, body %d: %.2g m, later %.2g m\n", i / THINGS, i % THINGS, first,
                      apart(cpu, gl));
        assert_below(first, 1e-5);
        assert_below(apart(cpu, gl), 1e-4);
        toile_world_destroy(cpu);
        toile_world_destroy(gl);
    }
}

/* A body that rises, goes aside and turns takes the cloth on it along. */
static void test_moves(void **state) {
    (void)state;
    const toile_keyframe way[] = {
        {.time = 0.1f},
        {.time = 0.5f, .translate = {0.1f, 0.1f, 0.05f}, .rotate = {10.0f, 30.0f, 5.0f}}};
    for (int i = 0; i < DEVICES * SOLVERS; i++) {
        toile_world_def def = maps_def(devices[i / SOLVERS], solvers[i % SOLVERS]);
        toile_world *world = make_world(&def);
        add_thing(world, i % 2 ? MESH : BOX, way, 2);
        add_sheet(world);
        double depth = run_and_look(world, 30);
        toile_metrics m = measure(world, the_cloth(world));
        float *p = texel_positions(world, the_cloth(world));
        size_t middle = toile_cloth_get_info(world, the_cloth(world)).texels / 2;
        print_message("%s, solver %d: %.2f pixels deep, highest %.3f m, middle at %.3f m\n",
                      devices[i / SOLVERS], i % SOLVERS, depth / PIXEL, m.highest,
                      (double)p[3 * middle]);
        assert_below(depth, 2.0 * PIXEL);
        assert_true(m.highest > 0.06);
        assert_true(p[3 * middle] > 0.05f);
        free(p);
        toile_world_destroy(world);
    }
}

/* Bodies that come later are drawn, and those that go are no longer in the way. */
static void test_bodies_change(void **state) {
    (void)state;
    for (int d = 0; d < DEVICES; d++) {
        toile_world_def def = maps_def(devices[d], TOILE_SOLVER_IMPLICIT);
        toile_world *world = make_world(&def);
        toile_cloth_id cloth = add_sheet(world);
        run_steps(world, 1, 1.0f / 60.0f);
        toile_body_id body = add_thing(world, BALL, NULL, 0);
        assert_below(run_and_look(world, 15), PIXEL);
        assert_true(measure(world, cloth).highest > -0.06);
        toile_world_remove_body(world, body);
        run_steps(world, 15, 1.0f / 60.0f);
        assert_below(measure(world, cloth).highest, -0.2);
        toile_world_destroy(world);
    }
}

static toile_world *make_threaded(int threads) {
    toile_world_def def = maps_def("cpu", TOILE_SOLVER_MULTILEVEL);
    def.threads = threads;
    return make_fall(&def, BOX);
}

static toile_world *make_on_gl(int threads) {
    (void)threads;
    toile_world_def def = maps_def("gl", TOILE_SOLVER_MULTILEVEL);
    return make_fall(&def, BOX);
}

/* The same bits from any number of threads, from run to run, and after a pause. */
static void test_repeats(void **state) {
    (void)state;
    assert_resumes(make_threaded, 8, 4);
    assert_resumes(make_on_gl, 8, 4);
}

/* A sheet between two flat balls, one behind the other: two cameras cannot tell about the texels
 * there, six can. Counted are those at the end of the step. */
static void test_ambiguity(void **state) {
    (void)state;
    static const float in_a_row[2][3] = {{0.0f, 0.0f, -0.12f}, {0.0f, 0.0f, 0.12f}};
    static const float flat[3] = {0.3f, 0.3f, 0.05f};
    for (int i = 0; i < DEVICES * SOLVERS * 3; i++) {
        toile_world_def def = maps_def(devices[i / 9], solvers[i / 3 % 3]);
        def.map_cameras = i % 3 == 0 ? 2 : 6;
        def.gravity[1] = 0.0f;
        def.solver.substeps = 2;
        toile_world *world = make_world(&def);
        test_mesh mesh = test_balls(in_a_row, i % 3 == 2 ? 1 : 2, flat);
        toile_body_def balls = toile_default_body_def();
        balls.shape = TOILE_SHAPE_MESH;
        balls.mesh = test_mesh_def(&mesh);
        add_body(world, &balls);
        toile_cloth_def sheet = square_def(9);
        toile_cloth_id cloth = add_cloth(world, &sheet);
        pin_corner(world, cloth, TOILE_CORNER_TOP_LEFT);
        run_steps(world, 2, 1.0f / 60.0f);
        /* Of the texels, 12.5 cm apart, 21 are within 0.3 m of the middle. */
        int wanted = i % 3 == 0 ? 21 : 0;
        assert_int_equal(toile_world_get_solver_info(world).ambiguous_texels, wanted);
        toile_world_destroy(world);
        test_mesh_free(&mesh);
    }
}

/* ---- refusals -----------------------------------------------------------------------------------
 */

static void assert_refused(const toile_world_def *def, const char *part) {
    toile_world *world;
    assert_int_equal(toile_world_create(def, &world), TOILE_ERROR_INVALID);
    assert_null(world);
    assert_message(part);
}

static void test_refusals(void **state) {
    (void)state;
    toile_world_def def = maps_def("cpu", TOILE_SOLVER_IMPLICIT);
    def.map_size = 15;
    assert_refused(&def, "map_size is 15: expected 16 to 2048");
    def.map_size = SIDE;
    def.map_cameras = 4;
    assert_refused(&def, "map_cameras is 4: expected 2, at the front and the back, or 6");
    def = maps_def("cpu", TOILE_SOLVER_MASS_SPRING);
    def.collision = TOILE_COLLISION_COARSE;
    assert_refused(&def, "expected \"auto\", \"shapes\", \"maps\" or \"ccd\" for mass-spring");
    def.collision = TOILE_COLLISION_SHAPES;
    toile_world *world = make_fall(&def, MESH);
    assert_int_equal(toile_world_step(world, 1.0f / 60.0f), TOILE_ERROR_INVALID);
    assert_message("\"maps\" or \"ccd\"");
    toile_world_destroy(world);
}

/* Without a driver the world says so before anything is made, and offers what there is. */
static void test_no_driver(void **state) {
    (void)state;
    toile_world_def def = maps_def("cpu", TOILE_SOLVER_IMPLICIT);
    toile_world *world;
    assert_int_equal(toile_world_create(&def, &world), TOILE_ERROR_UNAVAILABLE);
    assert_null(world);
    assert_message("collision \"maps\" draws bodies with OpenGL");
    assert_message("\"auto\", \"shapes\" and \"coarse\" do without");
    assert_message("no OpenGL 4.3");
    def.collision = TOILE_COLLISION_AUTO;
    world = make_fall(&def, BALL);
    run_steps(world, 1, 1.0f / 60.0f);
    toile_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_falls),         cmocka_unit_test(test_as_shapes),
        cmocka_unit_test(test_same_step),     cmocka_unit_test(test_moves),
        cmocka_unit_test(test_bodies_change), cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_ambiguity),     cmocka_unit_test(test_refusals),
    };
    const struct CMUnitTest without[] = {cmocka_unit_test(test_no_driver)};
    if (getenv("TOILE_TEST_NO_DRIVER")) {
        return cmocka_run_group_tests(without, NULL, NULL);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
