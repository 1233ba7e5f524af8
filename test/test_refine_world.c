/* The refine solver in worlds: a coarse cloth that is stepped, and a fine one that is seen. */
#include "solids.h"

#include "allocations.h"

#define STEP (1.0f / 60.0f)

static long allocations;

static bool may_allocate(void) {
    allocations++;
    return true;
}

static toile_world_def refine_def(void) {
    toile_world_def def = test_world_def();
    def.solver.kind = TOILE_SOLVER_REFINE;
    def.solver.refine.levels = 2;
    def.solver.refine.resolution = 128;
    return def;
}

/* 33 x 33 texels, lying at a height. */
static toile_cloth_def sheet_def(float height) {
    toile_cloth_def def = toile_default_cloth_def();
    def.size[0] = def.size[1] = 0.8f;
    def.spacing = 0.025f;
    def.transform.rotate[0] = -90.0f;
    def.transform.translate[1] = height;
    return def;
}

static toile_body_id add_mesh(toile_world *world, const test_mesh *m, toile_shape_kind kind) {
    toile_body_def body = toile_default_body_def();
    body.shape = kind;
    body.mesh = test_mesh_def(m);
    return add_body(world, &body);
}

/* The deepest texel in a body. */
static double depth_in(const toile_world *world, toile_cloth_id cloth, toile_body_id body) {
    float *x = texel_positions(world, cloth);
    double deepest = -1e9;
    for (size_t t = 0; t < toile_cloth_get_info(world, cloth).texels; t++) {
        deepest = fmax(deepest, -(double)toile_body_get_distance(world, body, x + 3 * t, NULL));
    }
    free(x);
    return deepest;
}

static float *texel_velocities(const toile_world *world, toile_cloth_id cloth) {
    size_t count = toile_cloth_get_info(world, cloth).texels;
    float *velocities = malloc(3 * count * sizeof *velocities);
    assert_non_null(velocities);
    assert_ok(toile_cloth_get_texel_velocities(world, cloth, velocities, count));
    return velocities;
}

/* ---- falling ------------------------------------------------------------------------------------
 */

enum { BALL, BOX, MESH, THINGS };

static toile_body_id add_thing(toile_world *world, int thing) {
    toile_body_def body = toile_default_body_def();
    if (thing == MESH) {
        test_mesh ball = test_ball(0.25f, 24, 12, NULL);
        toile_body_id id = add_mesh(world, &ball, TOILE_SHAPE_MESH);
        test_mesh_free(&ball);
        return id;
    }
    body.shape = thing == BALL ? TOILE_SHAPE_SPHERE : TOILE_SHAPE_BOX;
    return add_body(world, &body);
}

static double fall(toile_correction correction, bool edges, int thing, uint64_t *inside) {
    toile_world_def def = refine_def();
    def.solver.refine.correction = correction;
    def.solver.refine.coarse_edges = edges;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = sheet_def(0.27f);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    toile_body_id body = add_thing(world, thing);
    double deepest = -1.0;
    *inside = 0;
    for (int frame = 0; frame < 20; frame++) {
        assert_ok(toile_world_step(world, STEP));
        deepest = fmax(deepest, depth_in(world, cloth, body));
        toile_solver_info info = toile_world_get_solver_info(world);
        *inside += info.refine_inside;
        assert_true(info.refine_corrected <= info.refine_inside);
    }
    assert_string_equal(toile_world_get_solver_info(world).device, test_device());
    toile_world_destroy(world);
    return deepest;
}

static void cloth_stays_out(void **state) {
    (void)state;
    for (int thing = 0; thing < THINGS; thing++) {
        for (int c = TOILE_CORRECTION_OBJECT; c <= TOILE_CORRECTION_NONE; c++) {
            if (thing == BALL && c != TOILE_CORRECTION_OBJECT) {
                continue; /* its surface has many triangles, and the mesh is round, too */
            }
            uint64_t inside;
            double deepest = fall((toile_correction)c, false, thing, &inside);
            print_message("thing %d, correction %d: deepest %.3g mm, %u inside\n", thing, c,
                          1e3 * deepest, (unsigned)inside);
            assert_true(inside > 0);
            if (c == TOILE_CORRECTION_OBJECT || c == TOILE_CORRECTION_HISTORY) {
                assert_below(deepest, 0.001);
            } else if (c == TOILE_CORRECTION_NONE) {
                assert_true(deepest > 0.002);
            }
        }
    }
}

/* Edges of the coarse cloth keep off a mesh most of what refinement would have to correct. */
static void coarse_edges_keep_off(void **state) {
    (void)state;
    uint64_t inside;
    double with = fall(TOILE_CORRECTION_NONE, true, MESH, &inside);
    double without = fall(TOILE_CORRECTION_NONE, false, MESH, &inside);
    print_message("deepest %.3g mm, without edges %.3g mm\n", 1e3 * with, 1e3 * without);
    assert_below(with, 0.5 * without);
}

/* A plane is there, too, and tilted. */
static void planes_hold(void **state) {
    (void)state;
    toile_world_def def = refine_def();
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = sheet_def(0.5f);
    sheet.transform.rotate[0] = -60.0f;
    toile_cloth_id cloth = add_cloth(world, &sheet);
    toile_body_def body = toile_default_body_def();
    body.shape = TOILE_SHAPE_PLANE;
    body.normal[0] = 0.3f;
    toile_body_id plane = add_body(world, &body);
    for (int frame = 0; frame < 25; frame++) {
        assert_ok(toile_world_step(world, STEP));
        assert_below(depth_in(world, cloth, plane), 0.001);
    }
    toile_world_destroy(world);
}

/* Only where the camera looks, and only once there is one. */
static void the_camera_sees(void **state) {
    (void)state;
    toile_world_def def = refine_def();
    def.solver.refine.directions = 0;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = sheet_def(0.27f);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    toile_body_id ball = add_thing(world, BALL);
    assert_int_equal(toile_world_step(world, STEP), TOILE_ERROR_INVALID);
    assert_message("toile_world_set_camera()");
    toile_camera camera = toile_default_camera();
    camera.fov = 0.5f;
    assert_int_equal(toile_world_set_camera(world, &camera), TOILE_ERROR_INVALID);
    camera.fov = 40.0f;
    camera.eye[0] = camera.eye[1] = camera.eye[2] = 1.5f;
    camera.target[2] = 0.0f;
    assert_ok(toile_world_set_camera(world, &camera));
    for (int frame = 0; frame < 10; frame++) {
        assert_ok(toile_world_step(world, STEP));
    }
    print_message("from a camera: deepest %.3g mm\n", 1e3 * depth_in(world, cloth, ball));
    assert_true(toile_world_get_solver_info(world).refine_corrected > 0);
    toile_world_destroy(world);
}

/* ---- Figure 6.9 ---------------------------------------------------------------------------------
 */

/* How much longer than at rest the longest thread of a cloth on a table is. */
static double table_strain(bool forces, bool parents) {
    toile_world_def def = refine_def();
    def.solver.refine.forces = forces;
    def.solver.refine.move_parents = parents;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = sheet_def(0.27f);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    toile_body_id box = add_thing(world, BOX);
    run_steps(world, 30, STEP);
    toile_strain strain;
    assert_ok(toile_cloth_get_strain(world, cloth, &strain));
    assert_below(depth_in(world, cloth, box), 0.001);
    toile_world_destroy(world);
    return strain.p99;
}

static void parents_take_strain_away(void **state) {
    (void)state;
    double alone = table_strain(false, false), forces = table_strain(true, false);
    double parents = table_strain(false, true);
    print_message("p99 strain on a table: %.3g alone, %.3g with forces, %.3g with parents\n", alone,
                  forces, parents);
    assert_below(forces, 0.95 * alone);
    assert_below(parents, 0.7 * alone);
}

/* ---- pins and bodies that move ------------------------------------------------------------------
 */

static void pins_hold(void **state) {
    (void)state;
    toile_world_def def = refine_def();
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = sheet_def(0.5f);
    sheet.transform.rotate[0] = 0.0f;
    sheet.transform.translate[2] = -0.26f;
    toile_cloth_id cloth = add_cloth(world, &sheet);
    toile_body_id ball = add_thing(world, MESH);
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_EDGE;
    pin.edge = TOILE_EDGE_TOP;
    toile_pin_id held = add_pin(world, cloth, &pin);
    uint32_t texels[9];
    assert_int_equal(toile_pin_get_info(world, held).texels, 9);
    assert_ok(toile_pin_get_texels(world, held, texels, 9));
    for (uint32_t t = 0; t < 9; t++) {
        assert_int_equal(texels[t], 32 * 33 + 4 * t);
    }
    float *start = texel_positions(world, cloth);
    run_steps(world, 10, STEP);
    float *now = texel_positions(world, cloth);
    assert_memory_equal(start + 3 * 32 * 33, now + 3 * 32 * 33, 3 * sizeof *now);
    free(start);
    free(now);

    /* One that a body carries takes them along. */
    toile_world_remove_pin(world, held);
    pin.body = ball;
    held = add_pin(world, cloth, &pin);
    start = texel_positions(world, cloth);
    for (int frame = 1; frame <= 10; frame++) {
        toile_pose pose = {{0.02f * (float)frame, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
        assert_ok(toile_world_move_body(world, ball, &pose));
        assert_ok(toile_world_step(world, STEP));
        assert_below(depth_in(world, cloth, ball), 0.001);
    }
    now = texel_positions(world, cloth);
    for (size_t i = 32 * 33; i < 33 * 33; i += 4) {
        assert_near((double)(now[3 * i] - start[3 * i]), 0.2, 1e-5);
        assert_near((double)(now[3 * i + 1] - start[3 * i + 1]), 0.0, 1e-5);
    }
    free(start);
    free(now);
    toile_world_destroy(world);
}

/* A ball that swells and flies up takes the cloth along. */
static void deforming_bodies_carry(void **state) {
    (void)state;
    toile_world_def def = refine_def();
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = sheet_def(0.28f);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    test_mesh ball = test_ball(0.2f, 24, 12, NULL);
    toile_body_id body = add_mesh(world, &ball, TOILE_SHAPE_DEFORMING);
    float *moved = malloc(3 * ball.vertices * sizeof *moved);
    for (int frame = 1; frame <= 20; frame++) {
        for (size_t k = 0; k < 3 * ball.vertices; k++) {
            moved[k] = ball.positions[k] * (1.0f + 0.02f * (float)frame) +
                       (k % 3 == 1 ? 0.05f * (float)frame : 0.0f);
        }
        assert_ok(toile_world_move_vertices(world, body, moved, ball.vertices));
        assert_ok(toile_world_step(world, STEP));
        assert_below(depth_in(world, cloth, body), 0.001);
    }
    float *x = texel_positions(world, cloth), *v = texel_velocities(world, cloth);
    assert_true(x[3 * (16 * 33 + 16) + 1] > 1.25f); /* on top of it */
    assert_near((double)v[3 * (16 * 33 + 16) + 1], 3.24, 0.5);
    free(x);
    free(v);
    free(moved);
    test_mesh_free(&ball);
    toile_world_destroy(world);
}

/* Two jaws close until they overlap. The coarse vertices between them have no room, whatever their
 * own step does: they are brought out, and go on from there. */
static void jaws_leave_nothing_inside(void **state) {
    (void)state;
    toile_world_def def = refine_def();
    def.gravity[1] = 0.0f;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = sheet_def(0.0f);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    toile_body_id jaws[2];
    test_mesh jaw = test_cube(0.12f);
    for (int k = 0; k < 2; k++) {
        toile_body_def body = toile_default_body_def();
        body.shape = TOILE_SHAPE_MESH;
        body.mesh = test_mesh_def(&jaw);
        body.center[1] = k ? 0.18f : -0.18f;
        jaws[k] = add_body(world, &body);
    }
    test_mesh_free(&jaw);
    for (int frame = 1; frame <= 15; frame++) {
        for (int k = 0; k < 2; k++) {
            const float height = 0.18f - 0.005f * (float)frame;
            toile_pose pose = {{0.0f, k ? height : -height, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
            assert_ok(toile_world_move_body(world, jaws[k], &pose));
        }
        assert_ok(toile_world_step(world, STEP));
        assert_below(depth_in(world, cloth, jaws[0]), 0.001);
        assert_below(depth_in(world, cloth, jaws[1]), 0.001);
    }
    toile_world_destroy(world);
}

/* ---- state --------------------------------------------------------------------------------------
 */

static toile_world *make_scenery(int threads, toile_cloth_id *cloth, toile_body_id *ball) {
    toile_world_def def = refine_def();
    def.threads = threads;
    def.solver.refine.correction = TOILE_CORRECTION_HISTORY;
    def.solver.refine.forces = def.solver.refine.move_parents = true;
    def.wind.velocity[2] = 1.0f;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = sheet_def(0.27f);
    *cloth = add_cloth(world, &sheet);
    sheet.transform.translate[1] = 0.4f;
    add_cloth(world, &sheet);
    *ball = add_thing(world, MESH);
    pin_corner(world, *cloth, TOILE_CORNER_TOP_LEFT);
    return world;
}

static void go_on(toile_world *world, toile_body_id ball, int from, int to) {
    for (int frame = from; frame < to; frame++) {
        toile_pose pose = {{0.01f * (float)frame, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
        assert_ok(toile_world_move_body(world, ball, &pose));
        assert_ok(toile_world_step(world, STEP));
    }
}

static void resumed_goes_on_to_the_bit(void **state) {
    (void)state;
    toile_cloth_id cloth;
    toile_body_id ball;
    toile_world *world = make_scenery(1, &cloth, &ball);
    go_on(world, ball, 0, 5);
    size_t size = toile_world_state_size(world);
    void *bytes = malloc(size);
    assert_ok(toile_world_save_state(world, bytes, size));
    go_on(world, ball, 5, 8);
    const uint64_t hash = toile_world_hash(world);
    assert_ok(toile_world_load_state(world, bytes, size));
    go_on(world, ball, 5, 8);
    assert_true(toile_world_hash(world) == hash);
    toile_world_destroy(world);

    for (int threads = 2; threads <= 3; threads++) {
        world = make_scenery(threads, &cloth, &ball);
        assert_ok(toile_world_load_state(world, bytes, size));
        go_on(world, ball, 5, 8);
        assert_true(toile_world_hash(world) == hash);
        toile_world_destroy(world);
    }
    free(bytes);
}

/* Texels that the caller puts somewhere are where the coarse cloth goes on from. */
static void texels_can_be_moved(void **state) {
    (void)state;
    toile_world_def def = refine_def();
    def.gravity[1] = 0.0f;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = sheet_def(1.0f);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    run_steps(world, 2, STEP);
    const size_t count = 33 * 33;
    float *x = texel_positions(world, cloth), *v = texel_velocities(world, cloth);
    for (size_t t = 0; t < count; t++) {
        x[3 * t] += 2.0f;
        v[3 * t + 1] = 1.0f;
    }
    assert_ok(toile_cloth_set_texel_positions(world, cloth, x, count));
    assert_ok(toile_cloth_set_texel_velocities(world, cloth, v, count));
    run_steps(world, 6, STEP);
    float *now = texel_positions(world, cloth);
    for (size_t t = 0; t < count; t++) {
        assert_near((double)now[3 * t], (double)x[3 * t], 1e-3);
        assert_near((double)(now[3 * t + 1] - x[3 * t + 1]), 0.1, 0.002);
    }
    free(x);
    free(v);
    free(now);
    toile_world_destroy(world);
}

static bool stops(void *user) {
    return *(bool *)user;
}

/* A step that fails changes nothing. */
static void a_stopped_step_changes_nothing(void **state) {
    (void)state;
    bool stop = false;
    toile_world_def def = refine_def();
    def.stop = stops;
    def.stop_user = &stop;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = sheet_def(0.27f);
    add_cloth(world, &sheet);
    add_thing(world, BALL);
    run_steps(world, 3, STEP);
    const uint64_t hash = toile_world_hash(world);
    stop = true;
    assert_int_equal(toile_world_step(world, STEP), TOILE_ERROR_STOPPED);
    assert_true(toile_world_hash(world) == hash);
    assert_int_equal(toile_world_step_count(world), 3);
    toile_world_destroy(world);
}

/* Cloths, bodies and pins come and go. */
static void things_come_and_go(void **state) {
    (void)state;
    toile_cloth_id cloth;
    toile_body_id ball;
    toile_world *world = make_scenery(1, &cloth, &ball);
    run_steps(world, 2, STEP);
    toile_world_remove_cloth(world, cloth); /* and its pin */
    run_steps(world, 2, STEP);
    toile_cloth_def sheet = sheet_def(0.8f);
    cloth = add_cloth(world, &sheet);
    for (int i = 0; i < 8; i++) { /* so that lists move in memory */
        toile_body_def far = toile_default_body_def();
        far.center[0] = 10.0f + (float)i;
        far.shape = TOILE_SHAPE_BOX;
        add_body(world, &far);
    }
    run_steps(world, 2, STEP);
    toile_world_remove_body(world, ball);
    pin_edge(world, cloth, TOILE_EDGE_LEFT);
    run_steps(world, 2, STEP);
    toile_metrics metrics;
    assert_ok(toile_world_measure(world, (toile_cloth_id){0}, &metrics));
    assert_true(metrics.elastic_energy >= 0.0 && metrics.kinetic_energy > 0.0);
    toile_world_destroy(world);
}

static void later_steps_allocate_nothing(void **state) {
    (void)state;
    toile_cloth_id cloth;
    toile_body_id ball;
    toile_world *world = make_scenery(1, &cloth, &ball);
    float *x = texel_positions(world, cloth);
    go_on(world, ball, 0, 2);
    const long before = allocations;
    assert_true(before > 0);
    go_on(world, ball, 2, 6);
    assert_ok(toile_cloth_get_texel_positions(world, cloth, x, 33 * 33));
    assert_int_equal(allocations, before);
    free(x);
    toile_world_destroy(world);
}

/* ---- refusals -----------------------------------------------------------------------------------
 */

static void refuse_cloth(toile_world *world, const toile_cloth_def *def, const char *part) {
    assert_int_equal(toile_world_add_cloth(world, def).slot, 0);
    assert_message(part);
}

static void sizes_are_refused(void **state) {
    (void)state;
    toile_world_def def = refine_def();
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = sheet_def(0.0f);
    sheet.size[0] = 0.85f;
    refuse_cloth(world, &sheet, "multiples of 4, as with 0.9 x 0.8 m at this spacing");
    sheet.size[0] = sheet.size[1] = 0.05f;
    refuse_cloth(world, &sheet, "a grid of 3 x 3 texels");
    sheet.size[0] = 200.0f;
    sheet.size[1] = 0.1f;
    refuse_cloth(world, &sheet, "at most 4096 x 4096 when refined");
    toile_world_destroy(world);
}

static void refuse_world(const toile_world_def *def, const char *part) {
    toile_world *world;
    assert_int_equal(toile_world_create(def, &world), TOILE_ERROR_INVALID);
    assert_message(part);
}

static void options_are_refused(void **state) {
    (void)state;
    toile_world_def def = refine_def();
    def.solver.refine.levels = 6;
    refuse_world(&def, "solver.refine: levels is 6: expected 1 to 5");
    def = refine_def();
    def.solver.refine.visible_only = true;
    refuse_world(&def, "visible_only needs the view of the camera");
    def = refine_def();
    def.solver.refine.one_pass = def.solver.refine.move_parents = true;
    refuse_world(&def, "one_pass");
    def = refine_def();
    def.collision = TOILE_COLLISION_MAPS;
    refuse_world(&def, "expected collision \"auto\" or \"ccd\"");
    def = refine_def();
    def.device = "cpu";
    def.solver.order = 2;
    refuse_world(&def, "solver.order");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cloth_stays_out),
        cmocka_unit_test(coarse_edges_keep_off),
        cmocka_unit_test(planes_hold),
        cmocka_unit_test(the_camera_sees),
        cmocka_unit_test(parents_take_strain_away),
        cmocka_unit_test(pins_hold),
        cmocka_unit_test(deforming_bodies_carry),
        cmocka_unit_test(jaws_leave_nothing_inside),
        cmocka_unit_test(resumed_goes_on_to_the_bit),
        cmocka_unit_test(texels_can_be_moved),
        cmocka_unit_test(a_stopped_step_changes_nothing),
        cmocka_unit_test(things_come_and_go),
        cmocka_unit_test(later_steps_allocate_nothing),
        cmocka_unit_test(sizes_are_refused),
        cmocka_unit_test(options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
