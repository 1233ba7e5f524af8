/* The gl device against the CPU: the same scenes, step by step and over seconds. */
#include <pthread.h>
#include <stdio.h>

#include "worlds.h"

/* Names the device in messages and leaves out what it cannot do here. */
static bool has_gl(void) {
    for (int i = 0; i < toile_device_count(); i++) {
        toile_device_info info = toile_device_get_info(i);
        if (strcmp(info.name, "gl") == 0) {
            if (!info.available) {
                printf("skipped: %s\n", info.reason);
            }
            return info.available;
        }
    }
    return false;
}

typedef toile_world *make_scene(const toile_world_def *def);

static toile_body_id add_shape(toile_world *world, toile_shape_kind kind, float x) {
    toile_body_def body = toile_default_body_def();
    const float a[3] = {x, 0.0f, -0.3f}, b[3] = {x, 0.1f, 0.3f}, half[3] = {0.2f, 0.2f, 0.2f};
    body.shape = kind;
    body.center[0] = x;
    memcpy(body.a, a, sizeof a);
    memcpy(body.b, b, sizeof b);
    memcpy(body.half, half, sizeof half);
    body.radii[0] = 0.2f;
    body.radii[1] = 0.15f;
    body.radii[2] = 0.25f;
    body.rotate[2] = 20.0f;
    body.reflection = 0.1f;
    return add_body(world, &body);
}

/* Pins, of which one moves and turns, and gusts. */
static toile_world *make_flag(const toile_world_def *def) {
    toile_world_def windy = *def;
    windy.wind.velocity[0] = 3.0f;
    windy.wind.velocity[2] = 2.0f;
    windy.wind.gust = 0.5f;
    toile_world *world = make_world(&windy);
    toile_cloth_def sheet = square_def(21);
    sheet.size[0] = 0.93f;
    toile_cloth_id cloth = add_cloth(world, &sheet);
    pin_corner(world, cloth, TOILE_CORNER_TOP_LEFT);
    const toile_keyframe frames[2] = {
        {0}, {.time = 1.0f, .translate = {-0.2f, 0.1f, 0.3f}, .rotate = {30.0f, 60.0f, 0.0f}}};
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_POINT;
    pin.point[0] = 0.9f;
    pin.point[1] = 0.9f;
    pin.radius = 0.1f;
    pin.keyframes = frames;
    pin.keyframe_count = 2;
    add_pin(world, cloth, &pin);
    return world;
}

/* Two cloths fall on bodies of every shape, of which one moves and turns. */
static toile_world *make_drop(const toile_world_def *def) {
    toile_world *world = make_world(def);
    const toile_keyframe frames[2] = {
        {0}, {.time = 1.0f, .translate = {0.0f, 0.1f, 0.0f}, .rotate = {0.0f, 90.0f, 0.0f}}};
    for (int kind = 0; kind < TOILE_SHAPE_PLANE; kind++) {
        add_shape(world, (toile_shape_kind)kind, 0.3f * (float)kind - 0.45f);
    }
    toile_body_def box = toile_default_body_def();
    box.shape = TOILE_SHAPE_BOX;
    box.center[2] = 0.4f;
    box.half[0] = box.half[1] = box.half[2] = 0.15f;
    box.keyframes = frames;
    box.keyframe_count = 2;
    add_body(world, &box);
    toile_body_def ground = toile_default_body_def();
    ground.shape = TOILE_SHAPE_PLANE;
    ground.center[1] = -0.25f;
    ground.normal[1] = 1.0f;
    add_body(world, &ground);
    toile_cloth_def sheet = lying_def(19, 0.32f);
    add_cloth(world, &sheet);
    toile_cloth_def small = lying_def(9, 0.5f);
    small.size[0] = 0.4f;
    small.transform.translate[0] = 0.2f;
    add_cloth(world, &small);
    return world;
}

/* The largest distance of two worlds' texels, all cloths. */
static double apart(const toile_world *a, const toile_world *b) {
    toile_cloth_id ids[4];
    double most = 0.0;
    int cloths = toile_world_get_cloths(a, ids, 4);
    for (int c = 0; c < cloths; c++) {
        float *x = texel_positions(a, ids[c]), *y = texel_positions(b, ids[c]);
        size_t count = 3 * toile_cloth_get_info(a, ids[c]).texels;
        for (size_t i = 0; i < count; i++) {
            most = fmax(most, fabs((double)x[i] - (double)y[i]));
        }
        free(x);
        free(y);
    }
    return most;
}

typedef struct device_pair {
    toile_world *cpu, *gl;
} device_pair;

static device_pair make_pair(make_scene *make, toile_world_def def) {
    def.threads = 1;
    device_pair p;
    def.device = "cpu";
    p.cpu = make(&def);
    def.device = "gl";
    p.gl = make(&def);
    return p;
}

static void run_pair(device_pair p, int steps) {
    run_steps(p.cpu, steps, 1.0f / 60.0f);
    run_steps(p.gl, steps, 1.0f / 60.0f);
}

static void destroy_pair(device_pair p) {
    toile_world_destroy(p.cpu);
    toile_world_destroy(p.gl);
}

/* Cloths are a metre wide: within 1e-5 of that after one step, from the start and from where the
 * CPU has got in half a second, when everything touches and pulls. */
static void assert_same_step(make_scene *make, const toile_world_def *def, const char *what) {
    device_pair p = make_pair(make, *def);
    run_pair(p, 1);
    double first = apart(p.cpu, p.gl);
    run_steps(p.cpu, 30, 1.0f / 60.0f);
    size_t size = toile_world_state_size(p.cpu);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_ok(toile_world_save_state(p.cpu, bytes, size));
    assert_ok(toile_world_load_state(p.gl, bytes, size));
    free(bytes);
    run_pair(p, 1);
    double later = apart(p.cpu, p.gl);
    printf("%s: %.2g m after the first step, %.2g m after a later one\n", what, first, later);
    assert_below(first, 1e-5);
    assert_below(later, 1e-5);
    destroy_pair(p);
}

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spring_steps),
        cmocka_unit_test(test_multilevel_steps),
    };
    return has_gl() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
