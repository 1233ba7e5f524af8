/* What is special about the gl-fragment device: sizes of textures, old contexts, solvers that it
 * refuses, and its errors. test_gl holds it against the CPU. */
#include <epoxy/gl.h>

#include "gl/machine.h"
#include "pairs.h"
#include "refusals.h"

static toile_world_def fragment_def(void) {
    toile_world_def def = test_world_def();
    def.device = "gl-fragment";
    return def;
}

/* Comes first, while no program is made yet. */
static void test_broken_shader(void **state) {
    (void)state;
    toile_world_def def = fragment_def();
    toile_world *world = make_sheet(&def);
    fragment_break(FRAGMENT_force);
    assert_refused(world, TOILE_ERROR_UNAVAILABLE, "refuses the fragment shader 'force'");
    fragment_break(FRAGMENT_NONE);
    run_steps(world, 1, 1.0f / 60.0f);
    toile_world_destroy(world);
}

/* Mesa gives a context of the newest version it has unless told otherwise, and ctest tells it. */
static void test_old_context(void **state) {
    (void)state;
    if (!getenv("MESA_GL_VERSION_OVERRIDE")) {
        print_message("skipped: MESA_GL_VERSION_OVERRIDE is not set\n");
        return;
    }
    machine *m = machine_take(MACHINE_FRAGMENT);
    assert_non_null(m);
    bool mesa = strstr(m->context.description, "Mesa");
    if (mesa && !strstr(m->context.description, "OpenGL 3.3")) {
        fail_msg("%s: expected OpenGL 3.3", m->context.description);
    }
    machine_give(m, false);
}

static void test_other_solvers(void **state) {
    (void)state;
    static const char *const messages[] = {
        [TOILE_SOLVER_MULTILEVEL] = "device \"gl-fragment\" runs the mass-spring solver only, and "
                                    "the multilevel solver was chosen",
        [TOILE_SOLVER_IMPLICIT] = "the implicit solver was chosen: expected solver \"mass-spring\"",
    };
    for (int kind = TOILE_SOLVER_MULTILEVEL; kind <= TOILE_SOLVER_IMPLICIT; kind++) {
        toile_world_def def = fragment_def();
        def.solver.kind = (toile_solver_kind)kind;
        toile_world *world = NULL;
        assert_int_equal(toile_world_create(&def, &world), TOILE_ERROR_INVALID);
        assert_null(world);
        assert_message(messages[kind]);
    }
}

/* A ball that turns, so that sweeping a row again makes a difference. */
static void add_turning_ball(toile_world *world, float x) {
    const toile_keyframe turn[2] = {{0}, {.time = 0.1f, .rotate = {0.0f, 0.0f, 170.0f}}};
    toile_body_def ball = toile_default_body_def();
    ball.shape = TOILE_SHAPE_SPHERE;
    ball.center[0] = x;
    ball.radii[0] = 0.05f;
    ball.keyframes = turn;
    ball.keyframe_count = 2;
    add_body(world, &ball);
}

/* A cloth of so many texels in wind, with a ball under each end of its rows, held by an edge and by
 * a corner that moves. */
static toile_world *make_scene(const char *device, int columns, int rows, int substeps) {
    toile_world_def def = test_world_def();
    def.device = device;
    def.wind.velocity[0] = 3.0f;
    def.solver.substeps = substeps;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = lying_def(17, 0.055f);
    sheet.size[0] = sheet.spacing * (float)(columns - 1);
    sheet.size[1] = sheet.spacing * (float)(rows - 1);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    add_turning_ball(world, -0.3f * sheet.size[0]);
    add_turning_ball(world, 0.4f * sheet.size[0]);
    pin_edge(world, cloth, TOILE_EDGE_LEFT);
    const toile_keyframe frames[2] = {{0}, {.time = 1.0f, .translate = {-0.2f, 0.3f, 0.1f}}};
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_CORNER;
    pin.corner = TOILE_CORNER_TOP_RIGHT;
    pin.keyframes = frames;
    pin.keyframe_count = 2;
    add_pin(world, cloth, &pin);
    return world;
}

/* Rabenius' program went wrong at odd sizes, for it had texture coordinates for neighbours. */
static void test_sizes(void **state) {
    (void)state;
    /* Columns, rows, and substeps: more than are uploaded at a time, or so few that a row which
     * touches two bodies comes out otherwise when it is swept but once. */
    static const int sizes[][3] = {{2, 2, 70}, {2, 3, 70},  {3, 2, 70}, {17, 31, 70},
                                   {65, 4, 1}, {4, 65, 70}, {65, 4, 70}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        toile_world *cpu = make_scene("cpu", sizes[i][0], sizes[i][1], sizes[i][2]);
        toile_world *gl = make_scene("gl-fragment", sizes[i][0], sizes[i][1], sizes[i][2]);
        run_steps(cpu, 4, 1.0f / 60.0f);
        run_steps(gl, 4, 1.0f / 60.0f);
        toile_cloth_id cloth;
        toile_world_get_cloths(cpu, &cloth, 1);
        size_t texels = toile_cloth_get_info(cpu, cloth).texels;
        assert_int_equal(texels, sizes[i][0] * sizes[i][1]);
        double most = apart(cpu, gl);
        printf("%d x %d: %.2g m apart\n", sizes[i][0], sizes[i][1], most);
        assert_below(most, 1e-5);
        toile_world_destroy(cpu);
        toile_world_destroy(gl);
    }
}

/* A texel that was put beyond all bounds takes others along; the first of them is named, as on the
 * CPU. */
static void put_far(const char *device, char *message, size_t size) {
    toile_world_def def = fragment_def();
    def.device = device;
    toile_world *world = make_sheet(&def);
    toile_cloth_id cloth;
    toile_world_get_cloths(world, &cloth, 1);
    float *x = texel_positions(world, cloth);
    x[3 * (5 + 4 * 9) + 1] += 9e5f;
    assert_ok(toile_cloth_set_texel_positions(world, cloth, x, 81));
    assert_refused(world, TOILE_ERROR_NUMERICAL, "left all bounds at texel");
    snprintf(message, size, "%s", toile_error_message());
    x[3 * (5 + 4 * 9) + 1] -= 9e5f;
    assert_ok(toile_cloth_set_texel_positions(world, cloth, x, 81));
    run_steps(world, 1, 1.0f / 60.0f); /* nothing of it is left */
    free(x);
    toile_world_destroy(world);
}

static void test_explosion(void **state) {
    (void)state;
    char cpu[512], gl[512];
    put_far("cpu", cpu, sizeof cpu);
    put_far("gl-fragment", gl, sizeof gl);
    assert_string_equal(gl, cpu);
}

/* More texels along a side than a texture of this driver has. */
static void test_too_large(void **state) {
    (void)state;
    machine *m = machine_take(MACHINE_FRAGMENT);
    assert_non_null(m);
    int most = m->largest_texture;
    machine_give(m, false);
    toile_world_def def = fragment_def();
    toile_world *world = make_world(&def);
    toile_cloth_def strip = toile_default_cloth_def();
    strip.spacing = 0.01f;
    strip.size[0] = 0.01f * (float)most;
    strip.size[1] = 0.01f;
    assert_int_equal(toile_world_add_cloth(world, &strip).slot, 0);
    assert_message("expected at most");
    assert_message("along a side");
    toile_world_destroy(world);
}

/* A caller that draws finds its own context as it left it. */
static void test_callers_context(void **state) {
    (void)state;
    context own;
    context_before before;
    assert_ok(context_open(&own, &(context_need){3, 3, "to test with"}));
    assert_ok(context_enter(&own, &before));
    GLuint texture = 0;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    toile_world_def def = fragment_def();
    toile_world *world = make_sheet(&def);
    run_steps(world, 2, 1.0f / 60.0f);
    toile_world_hash(world);
    toile_world_destroy(world);
    assert_ptr_equal(eglGetCurrentContext(), own.handle);
    GLint bound = 0;
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
    assert_int_equal(bound, texture);
    context_leave(&own, &before);
    assert_ptr_equal(eglGetCurrentContext(), EGL_NO_CONTEXT);
    context_close(&own);
}

/* By the clock of the GPU. */
static void test_stage_times(void **state) {
    (void)state;
    toile_world_def def = fragment_def();
    toile_world *world = make_sheet(&def);
    run_steps(world, 2, 1.0f / 60.0f);
    toile_profile profile = toile_world_get_profile(world);
    double sum = 0.0;
    for (int stage = 0; stage < TOILE_STAGE_COUNT; stage++) {
        sum += profile.stage_ms[stage];
    }
    assert_true(profile.stage_ms[TOILE_STAGE_FORCE] > 0.0);
    assert_true(profile.stage_ms[TOILE_STAGE_MOVE] > 0.0);
    assert_true(profile.stage_ms[TOILE_STAGE_SOLVE] == 0.0);
    assert_true(sum > 0.0);
    toile_world_destroy(world);
}

static void test_many_worlds(void **state) {
    (void)state;
    toile_world_def def = fragment_def();
    def.solver.substeps = 1;
    check_many_worlds(&def, 500, 4e6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broken_shader),   cmocka_unit_test(test_old_context),
        cmocka_unit_test(test_other_solvers),   cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_explosion),       cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_callers_context), cmocka_unit_test(test_stage_times),
        cmocka_unit_test(test_many_worlds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
