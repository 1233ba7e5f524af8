/* The public functions: what they accept, what they refuse and how they say it. On the null device
 * where nothing needs to move. */
#include "worlds.h"

#include <string.h>

static void test_world_definitions_are_checked(void **state) {
    (void)state;
    toile_world *world = (toile_world *)1;
    toile_world_def def = toile_default_world_def();
    def.device = "quantum";
    assert_int_equal(toile_world_create(&def, &world), TOILE_ERROR_UNAVAILABLE);
    assert_null(world);
    assert_message("quantum");
    assert_message("cpu");
    def = toile_default_world_def();
    def.gravity[2] = NAN;
    assert_int_equal(toile_world_create(&def, &world), TOILE_ERROR_INVALID);
    assert_message("gravity");
    def = toile_default_world_def();
    def.solver.max_substeps = 0;
    assert_int_equal(toile_world_create(&def, &world), TOILE_ERROR_INVALID);
    assert_message("max_substeps");
    def = toile_default_world_def();
    def.solver.integrator = TOILE_INTEGRATOR_EULER;
    assert_int_equal(toile_world_create(&def, &world), TOILE_ERROR_INVALID);
    assert_message(
        "solver.integrator is set: it is a field of the mass-spring or the refine solver, and the "
        "implicit solver was chosen");
    def.solver.kind = TOILE_SOLVER_MASS_SPRING;
    assert_int_equal(toile_world_create(&def, &world), TOILE_OK);
    toile_world_destroy(world);
    def.solver.tolerance = 1e-3f;
    assert_int_equal(toile_world_create(&def, &world), TOILE_ERROR_INVALID);
    assert_message("solver.tolerance");
    def = toile_default_world_def();
    def.wind.gust = 2.0f;
    assert_int_equal(toile_world_create(&def, &world), TOILE_ERROR_INVALID);
    assert_message("gust");
    def = toile_default_world_def();
    def.threads = -1;
    assert_int_equal(toile_world_create(&def, &world), TOILE_ERROR_INVALID);
    assert_message("threads");
}

static void test_the_definition_in_force_is_told(void **state) {
    (void)state;
    toile_world_def def = toile_default_world_def();
    def.device = "null";
    def.solver.damping = 0.5f;
    toile_world *world = make_world(&def);
    const float moon[3] = {0.0f, -1.62f, 0.0f};
    assert_ok(toile_world_set_gravity(world, moon));
    toile_world_def now = toile_world_get_def(world);
    assert_string_equal(now.device, "null");
    assert_true(now.gravity[1] == -1.62f);
    assert_true(now.solver.damping == 0.5f);
    const float bad[3] = {0.0f, INFINITY, 0.0f};
    assert_int_equal(toile_world_set_gravity(world, bad), TOILE_ERROR_INVALID);
    assert_true(toile_world_get_def(world).gravity[1] == -1.62f);
    toile_world_destroy(world);
    toile_world_destroy(NULL);
}

static void assert_cloth_refused(toile_world *world, const toile_cloth_def *def, const char *part) {
    toile_cloth_id cloth = toile_world_add_cloth(world, def);
    assert_int_equal(cloth.slot, 0);
    assert_message(part);
}

static void test_cloths_are_checked(void **state) {
    (void)state;
    toile_world *world = make_null_world();
    const float bad_sizes[] = {0.0f, -1.0f, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        toile_cloth_def def = toile_default_cloth_def();
        def.size[1] = bad_sizes[i];
        assert_cloth_refused(world, &def, "size");
        def = toile_default_cloth_def();
        def.spacing = bad_sizes[i];
        assert_cloth_refused(world, &def, "spacing");
    }
    toile_cloth_def def = toile_default_cloth_def();
    def.spacing = 10.0f;
    assert_cloth_refused(world, &def, "2 x 2");
    def.spacing = 2e-5f;
    assert_cloth_refused(world, &def, "texels");
    def.spacing = 1e-7f;
    assert_cloth_refused(world, &def, "spacing");
    def = toile_default_cloth_def();
    def.fabric.density = -1.0f;
    assert_cloth_refused(world, &def, "density");
    def.fabric = toile_fabric_named("mithril");
    assert_message("cotton");
    assert_cloth_refused(world, &def, "density");
    assert_int_equal(toile_world_get_cloths(world, NULL, 0), 0);
    toile_world_destroy(world);
}

/* A width of (n - 1) spacings within rounding has n texels; others keep their exact outline. */
static void test_texels_of_a_width(void **state) {
    (void)state;
    static const struct {
        float width, spacing;
        int columns;
    } cases[] = {{1.0f, 0.1f, 11},  {0.3f, 0.1f, 4},      {0.7f, 0.07f, 11},
                 {1.04f, 0.1f, 11}, {1.06f, 0.1f, 12},    {0.1f, 0.1f, 2},
                 {0.06f, 0.1f, 2},  {2.0f, 0.002f, 1001}, {1.0f, 1.0f / 480.0f, 481}};
    for (int i = 0; i < 9; i++) {
        toile_world *world = make_null_world();
        toile_cloth_def def = toile_default_cloth_def();
        def.size[0] = cases[i].width;
        def.size[1] = cases[i].spacing;
        def.spacing = cases[i].spacing;
        toile_cloth_id cloth = add_cloth(world, &def);
        toile_cloth_info info = toile_cloth_get_info(world, cloth);
        assert_int_equal(info.columns, cases[i].columns);
        assert_int_equal(info.rows, 2);
        assert_near(info.mass,
                    (double)def.fabric.density * (double)def.size[0] * (double)def.size[1],
                    1e-5 * info.mass);
        float *mesh = malloc(info.vertices * 3 * sizeof *mesh);
        assert_ok(toile_cloth_get_mesh_positions(world, cloth, mesh, info.vertices));
        float low = mesh[0], high = mesh[0];
        for (size_t v = 0; v < info.vertices; v++) {
            low = fminf(low, mesh[3 * v]);
            high = fmaxf(high, mesh[3 * v]);
        }
        assert_near((double)(high - low), (double)cases[i].width, 1e-6);
        free(mesh);
        toile_world_destroy(world);
    }
}

static void test_the_mesh_fits_together(void **state) {
    (void)state;
    toile_world *world = make_null_world();
    toile_cloth_def def = toile_default_cloth_def();
    def.size[0] = 0.1f;
    def.size[1] = 0.06f;
    toile_cloth_id cloth = add_cloth(world, &def);
    toile_cloth_info info = toile_cloth_get_info(world, cloth);
    assert_int_equal(info.texels, 6 * 4);
    assert_int_equal(info.triangles, 2 * 5 * 3);
    float *positions = malloc(info.vertices * 3 * sizeof *positions);
    float *normals = malloc(info.vertices * 3 * sizeof *normals);
    float *coordinates = malloc(info.vertices * 2 * sizeof *coordinates);
    uint32_t *triangles = malloc(info.triangles * 3 * sizeof *triangles);
    assert_ok(toile_cloth_get_mesh_positions(world, cloth, positions, info.vertices));
    assert_ok(toile_cloth_get_mesh_normals(world, cloth, normals, info.vertices));
    assert_ok(toile_cloth_get_mesh_coordinates(world, cloth, coordinates, info.vertices));
    assert_ok(toile_cloth_get_mesh_triangles(world, cloth, triangles, info.triangles));
    double area = 0.0;
    for (size_t t = 0; t < info.triangles; t++) {
        const uint32_t *k = triangles + 3 * t;
        assert_true(k[0] < info.vertices && k[1] < info.vertices && k[2] < info.vertices);
        const float *a = coordinates + 2 * k[0], *b = coordinates + 2 * k[1],
                    *c = coordinates + 2 * k[2];
        double twice = (double)((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
        assert_true(twice > 0.0); /* counter-clockwise about +z */
        area += 0.5 * twice;
    }
    assert_near(area, 0.1 * 0.06, 1e-8);
    for (size_t v = 0; v < info.vertices; v++) {
        assert_near((double)normals[3 * v + 2], 1.0, 1e-6);
        assert_near((double)(positions[3 * v] - coordinates[2 * v]), -0.05, 1e-6);
    }
    assert_int_equal(toile_cloth_get_mesh_positions(world, cloth, positions, 3),
                     TOILE_ERROR_INVALID);
    assert_message("24");
    free(positions);
    free(normals);
    free(coordinates);
    free(triangles);
    toile_world_destroy(world);
}

static void test_texels_can_be_put_and_read(void **state) {
    (void)state;
    toile_world *world = make_null_world();
    toile_cloth_def def = square_def(3);
    toile_cloth_id cloth = add_cloth(world, &def);
    float in[27], out[27];
    for (int i = 0; i < 27; i++) {
        in[i] = (float)i;
    }
    assert_ok(toile_cloth_set_texel_velocities(world, cloth, in, 9));
    assert_ok(toile_cloth_get_texel_velocities(world, cloth, out, 9));
    assert_memory_equal(in, out, sizeof in);
    in[5] = NAN;
    assert_int_equal(toile_cloth_set_texel_positions(world, cloth, in, 9), TOILE_ERROR_INVALID);
    assert_int_equal(toile_cloth_set_texel_velocities(world, cloth, in, 9), TOILE_ERROR_INVALID);
    assert_ok(toile_cloth_get_texel_velocities(world, cloth, out, 9));
    assert_true(out[5] == 5.0f);
    toile_world_destroy(world);
}

static void test_pins_are_checked(void **state) {
    (void)state;
    toile_world *world = make_null_world();
    toile_cloth_def def = square_def(5);
    toile_cloth_id cloth = add_cloth(world, &def);
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_POINT;
    pin.point[0] = 1.5f;
    assert_int_equal(toile_cloth_add_pin(world, cloth, &pin).slot, 0);
    assert_message("point");
    pin.point[0] = 0.5f;
    pin.radius = -1.0f;
    assert_int_equal(toile_cloth_add_pin(world, cloth, &pin).slot, 0);
    assert_message("radius");
    pin.radius = 0.0f;
    toile_keyframe keys[2] = {{.time = 1.0f}, {.time = 0.5f}};
    pin.keyframes = keys;
    pin.keyframe_count = 2;
    assert_int_equal(toile_cloth_add_pin(world, cloth, &pin).slot, 0);
    assert_message("time");
    toile_world_destroy(world);
}

static void test_bodies_are_checked(void **state) {
    (void)state;
    toile_world *world = make_null_world();
    toile_body_def body = toile_default_body_def();
    body.shape = TOILE_SHAPE_SPHERE;
    body.radii[0] = 0.0f;
    assert_int_equal(toile_world_add_body(world, &body).slot, 0);
    assert_message("radius");
    body.shape = TOILE_SHAPE_PLANE;
    memset(body.normal, 0, sizeof body.normal);
    assert_int_equal(toile_world_add_body(world, &body).slot, 0);
    assert_message("normal");
    toile_world_destroy(world);
}

/* Pins move what they hold and nothing else stays where it was. */
static void test_pins_hold_and_let_go(void **state) {
    (void)state;
    toile_world_def def = test_world_def();
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = square_def(11);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_CORNER;
    pin.corner = TOILE_CORNER_BOTTOM_LEFT;
    toile_pin_id id = add_pin(world, cloth, &pin);
    float *start = texel_positions(world, cloth);
    run_steps(world, 20, 1.0f / 60.0f);
    float *now = texel_positions(world, cloth);
    assert_memory_equal(now, start, 3 * sizeof(float));
    assert_true(now[3 * 60 + 1] < start[3 * 60 + 1] - 0.01f);
    const float move[3] = {0.1f, 0.0f, 0.0f}, turn[4] = {0.0f, 0.0f, 0.0f, 1.0f};
    assert_ok(toile_world_move_pin(world, id, move, turn));
    run_steps(world, 1, 1.0f / 60.0f);
    free(now);
    now = texel_positions(world, cloth);
    assert_near((double)(now[0] - start[0]), 0.1, 1e-5);
    toile_world_remove_pin(world, id);
    run_steps(world, 20, 1.0f / 60.0f);
    free(now);
    now = texel_positions(world, cloth);
    assert_true(now[1] < start[1] - 0.1f);
    free(now);
    free(start);
    toile_world_destroy(world);
}

/* Pinned texels are on the way of their pin after every step, with every integrator. */
static void test_pins_follow_their_keyframes(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        toile_world_def def = test_world_def();
        def.solver.integrator = (toile_integrator)i;
        toile_world *world = make_world(&def);
        toile_cloth_def sheet = square_def(5);
        toile_cloth_id cloth = add_cloth(world, &sheet);
        toile_pin_def pin = toile_default_pin_def();
        pin.corner = TOILE_CORNER_BOTTOM_LEFT;
        toile_keyframe keys[2] = {{.time = 0.0f}, {.time = 1.0f, .translate = {0.5f, 0.0f, 0.0f}}};
        pin.keyframes = keys;
        pin.keyframe_count = 2;
        add_pin(world, cloth, &pin);
        for (int s = 1; s <= 6; s++) {
            run_steps(world, 1, 1.0f / 60.0f);
            float *x = texel_positions(world, cloth), v[75];
            assert_near((double)x[0], -0.5 + 0.5 * s / 60.0, 1e-5);
            assert_ok(toile_cloth_get_texel_velocities(world, cloth, v, 25));
            assert_near((double)v[0], 0.5, 1e-2);
            free(x);
        }
        toile_world_destroy(world);
    }
}

/* Ids of what is gone are not mistaken for what took its place. */
static jmp_buf asserted;

static void jump_back(const char *condition, const char *file, int line) {
    (void)condition;
    (void)file;
    (void)line;
    longjmp(asserted, 1);
}

static void test_old_ids_are_a_mistake(void **state) {
    (void)state;
    toile_world *world = make_null_world();
    toile_cloth_def def = square_def(3);
    toile_cloth_id first = add_cloth(world, &def);
    toile_world_remove_cloth(world, first);
    toile_cloth_id second = add_cloth(world, &def);
    assert_int_equal(second.slot, first.slot);
    assert_true(second.generation != first.generation);
    toile_set_assert_handler(jump_back);
    bool caught = setjmp(asserted) != 0;
    if (!caught) {
        toile_cloth_get_info(world, first);
    }
    toile_set_assert_handler(NULL);
    assert_true(caught);
    toile_world_destroy(world);
}

/* A sheet on a plate that is pushed away from under it: the cloth feels the plate's velocity. */
static void test_bodies_carry_cloth(void **state) {
    (void)state;
    toile_world_def def = test_world_def();
    toile_world *world = make_world(&def);
    toile_body_def plate = toile_default_body_def();
    plate.shape = TOILE_SHAPE_BOX;
    plate.half[0] = plate.half[2] = 1.0f;
    plate.half[1] = 0.1f;
    toile_body_id body = add_body(world, &plate);
    toile_cloth_def sheet = toile_default_cloth_def();
    sheet.size[0] = sheet.size[1] = 0.2f;
    sheet.transform.rotate[0] = -90.0f;
    sheet.transform.translate[1] = 0.1f + 0.5f * sheet.fabric.thickness;
    toile_cloth_id cloth = add_cloth(world, &sheet);
    float *start = texel_positions(world, cloth);
    for (int s = 0; s < 60; s++) { /* slowly enough for friction to hold: 0.2 m/s^2 */
        float time = (float)(s + 1) / 60.0f;
        toile_pose pose = toile_body_get_pose(world, body);
        pose.position[0] = 0.1f * time * time;
        assert_ok(toile_world_move_body(world, body, &pose));
        run_steps(world, 1, 1.0f / 60.0f);
    }
    float *now = texel_positions(world, cloth);
    assert_near((double)(now[3 * 60] - start[3 * 60]), 0.1, 2e-3);
    free(start);
    free(now);
    toile_world_destroy(world);
}

static void test_a_thousand_texels_wide(void **state) {
    (void)state;
    toile_world_def def = toile_default_world_def();
    def.solver.self_collision = false;
    def.solver.substeps = 2;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = square_def(1000);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    assert_int_equal(toile_cloth_get_info(world, cloth).texels, 1000 * 1000);
    run_steps(world, 2, 1.0f / 60.0f);
    assert_near(measure(world, cloth).momentum[1],
                -9.81 / 30.0 * toile_cloth_get_info(world, cloth).mass, 1e-3);
    toile_world_destroy(world);
}

static void test_tiny_cloths_move(void **state) {
    (void)state;
    static const int shapes[][2] = {{2, 2}, {2, 9}, {9, 2}, {3, 2}, {17, 3}};
    for (int i = 0; i < 5; i++) {
        toile_world_def def = test_world_def();
        toile_world *world = make_world(&def);
        toile_cloth_def sheet = toile_default_cloth_def();
        sheet.size[0] = 0.02f * (float)(shapes[i][0] - 1);
        sheet.size[1] = 0.02f * (float)(shapes[i][1] - 1);
        toile_cloth_id cloth = add_cloth(world, &sheet);
        pin_edge(world, cloth, TOILE_EDGE_TOP);
        add_ball(world, -1.0f, 0.25f);
        run_steps(world, 30, 1.0f / 60.0f);
        assert_below(measure(world, cloth).strain.max, 0.05);
        toile_world_destroy(world);
    }
}

/* Pinned texels that were put somewhere else are back at the end of the step, without a bang. */
static void test_pins_fetch_their_texels(void **state) {
    (void)state;
    toile_world_def def = test_world_def();
    def.gravity[1] = 0.0f;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = square_def(11);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    pin_edge(world, cloth, TOILE_EDGE_TOP);
    float *x = texel_positions(world, cloth), *start = texel_positions(world, cloth);
    for (size_t i = 0; i < 121; i++) {
        x[3 * i + 2] += 0.05f;
    }
    assert_ok(toile_cloth_set_texel_positions(world, cloth, x, 121));
    run_steps(world, 1, 1.0f / 60.0f);
    free(x);
    x = texel_positions(world, cloth);
    assert_near((double)x[3 * 110 + 2], (double)start[3 * 110 + 2], 1e-5);
    assert_below(measure(world, cloth).kinetic_energy, 0.5 * 0.12 * 9.0); /* all of it at 3 m/s */
    free(x);
    free(start);
    toile_world_destroy(world);
}

static void test_motion_of_pinned_texels_is_not_counted(void **state) {
    (void)state;
    toile_world_def def = test_world_def();
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = square_def(3);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_POINT;
    pin.point[0] = pin.point[1] = 0.5f;
    pin.radius = 1.0f;
    toile_keyframe keys[2] = {{.time = 0.0f}, {.time = 1.0f, .translate = {1.0f, 0.0f, 0.0f}}};
    pin.keyframes = keys;
    pin.keyframe_count = 2;
    add_pin(world, cloth, &pin);
    run_steps(world, 10, 1.0f / 60.0f);
    toile_metrics m = measure(world, cloth);
    assert_near(m.momentum[0], 0.0, 0.0);
    assert_near(m.kinetic_energy, 0.0, 0.0);
    assert_int_equal(toile_world_get_pins(world, NULL, 0), 1);
    toile_world_destroy(world);
}

/* What is pinned inside a body is wanted there; what is put there and free is not. */
static void test_pinned_texels_do_not_penetrate(void **state) {
    (void)state;
    for (int pinned = 0; pinned < 2; pinned++) {
        toile_world *world = make_null_world();
        toile_cloth_def sheet = square_def(5);
        toile_cloth_id cloth = add_cloth(world, &sheet);
        toile_body_def box = toile_default_body_def();
        box.shape = TOILE_SHAPE_BOX;
        box.center[1] = 0.5f;
        box.half[0] = box.half[2] = 1.0f;
        box.half[1] = 0.02f;
        add_body(world, &box);
        if (pinned) {
            pin_edge(world, cloth, TOILE_EDGE_TOP);
        }
        assert_int_equal(measure(world, cloth).penetration.count, pinned ? 0 : 5);
        toile_world_destroy(world);
    }
}

static void test_cloths_that_cross_are_seen(void **state) {
    (void)state;
    toile_world *world = make_null_world();
    toile_cloth_def sheet = square_def(5);
    toile_cloth_id first = add_cloth(world, &sheet);
    sheet.transform.rotate[1] = 80.0f;
    sheet.transform.translate[0] = 0.03f;
    sheet.transform.translate[1] = 0.07f; /* no edge or vertex in the plane of the other */
    sheet.transform.translate[2] = 0.02f;
    add_cloth(world, &sheet);
    assert_int_equal(measure(world, first).self_intersections, 0);
    assert_true(measure(world, (toile_cloth_id){0}).self_intersections > 4);
    toile_world_destroy(world);
}

typedef struct said {
    int count[TOILE_LOG_ITEM_COUNT];
} said;

static void listen(toile_log_item item, const char *message, void *user) {
    assert_true(strlen(message) > 10);
    ((said *)user)->count[item]++;
}

static void test_the_world_says_what_it_chose(void **state) {
    (void)state;
    said heard = {{0}};
    toile_world_def def = test_world_def();
    def.log = listen;
    def.log_user = &heard;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = square_def(101);
    add_cloth(world, &sheet);
    run_steps(world, 3, 1.0f / 60.0f);
    assert_int_equal(heard.count[TOILE_LOG_SUBSTEPS], 1);
    assert_int_equal(heard.count[TOILE_LOG_SOFTENED], 1);
    toile_solver_info info = toile_world_get_solver_info(world);
    assert_int_equal(info.substeps, 128);
    assert_true(info.stretch_scale < 1.0);
    assert_true(info.stable_substep * 128.0 >= 1.0 / 60.0);
    toile_world_destroy(world);

    heard = (said){{0}};
    def.solver.stiffness = TOILE_STIFFNESS_TRUE;
    def.solver.substeps = 3;
    world = make_world(&def);
    add_cloth(world, &sheet);
    toile_result result = toile_world_step(world, 1.0f / 60.0f);
    assert_true(result == TOILE_OK || result == TOILE_ERROR_NUMERICAL);
    assert_int_equal(heard.count[TOILE_LOG_SUBSTEPS_UNSTABLE], 1);
    toile_world_destroy(world);

    heard = (said){{0}};
    world = make_world(&def);
    add_cloth(world, &sheet);
    run_steps(world, 2, 1e-5f);
    assert_int_equal(heard.count[TOILE_LOG_SUBSTEPS_UNSTABLE], 0);
    result = toile_world_step(world, 1.0f / 60.0f);
    assert_true(result == TOILE_OK || result == TOILE_ERROR_NUMERICAL);
    assert_int_equal(heard.count[TOILE_LOG_SUBSTEPS_UNSTABLE], 1);
    toile_world_destroy(world);
}

static void test_steps_are_checked(void **state) {
    (void)state;
    toile_world *world = make_null_world();
    const float bad[] = {0.0f, -1.0f, 2.0f, NAN, 1e-12f};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(toile_world_step(world, bad[i]), TOILE_ERROR_INVALID);
    }
    assert_ok(toile_world_step(world, 1.0f)); /* a world without anything */
    assert_int_equal(toile_world_step_count(world), 1);
    assert_near(toile_world_time(world), 1.0, 0.0);
    toile_world_destroy(world);
}

static void test_devices_are_listed(void **state) {
    (void)state;
    bool cpu = false;
    for (int i = 0; i < toile_device_count(); i++) {
        toile_device_info info = toile_device_get_info(i);
        cpu |= strcmp(info.name, "cpu") == 0 && info.available;
        assert_true(info.available == (info.reason[0] == '\0'));
    }
    assert_true(cpu);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_world_definitions_are_checked),
        cmocka_unit_test(test_the_definition_in_force_is_told),
        cmocka_unit_test(test_cloths_are_checked),
        cmocka_unit_test(test_texels_of_a_width),
        cmocka_unit_test(test_the_mesh_fits_together),
        cmocka_unit_test(test_texels_can_be_put_and_read),
        cmocka_unit_test(test_pins_are_checked),
        cmocka_unit_test(test_bodies_are_checked),
        cmocka_unit_test(test_pins_hold_and_let_go),
        cmocka_unit_test(test_pins_follow_their_keyframes),
        cmocka_unit_test(test_old_ids_are_a_mistake),
        cmocka_unit_test(test_bodies_carry_cloth),
        cmocka_unit_test(test_a_thousand_texels_wide),
        cmocka_unit_test(test_tiny_cloths_move),
        cmocka_unit_test(test_pins_fetch_their_texels),
        cmocka_unit_test(test_motion_of_pinned_texels_is_not_counted),
        cmocka_unit_test(test_pinned_texels_do_not_penetrate),
        cmocka_unit_test(test_cloths_that_cross_are_seen),
        cmocka_unit_test(test_the_world_says_what_it_chose),
        cmocka_unit_test(test_steps_are_checked),
        cmocka_unit_test(test_devices_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
