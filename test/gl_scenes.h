/* Scenes that devices are compared in, and how far they may be apart. */
#ifndef TOILE_TEST_GL_SCENES_H
#define TOILE_TEST_GL_SCENES_H

#include <stdio.h>

#include "pairs.h"
#include "solids.h"

typedef toile_world *make_scene(const toile_world_def *def);

static inline toile_body_id add_shape(toile_world *world, toile_shape_kind kind, float x) {
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
static inline toile_world *make_flag(const toile_world_def *def) {
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
        {0}, {.time = 1.0f, .translate = {-0.05f, 0.0f, 0.1f}, .rotate = {20.0f, 10.0f, 0.0f}}};
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
static inline toile_world *make_drop(const toile_world_def *def) {
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
    add_floor(world, -0.25f);
    toile_cloth_def sheet = lying_def(19, 0.32f);
    add_cloth(world, &sheet);
    toile_cloth_def small = lying_def(9, 0.5f);
    small.size[0] = 0.4f;
    small.transform.translate[0] = 0.2f;
    add_cloth(world, &small);
    return world;
}

/* A cloth falls on a ball and a cube that are meshes, of which one moves and turns. */
static inline toile_world *make_meshes(const toile_world_def *def) {
    toile_world *world = make_world(def);
    const toile_keyframe frames[2] = {
        {0}, {.time = 1.0f, .translate = {0.05f, 0.0f, 0.05f}, .rotate = {0.0f, 20.0f, 0.0f}}};
    test_mesh ball = test_ball(0.2f, 12, 9, NULL), cube = test_cube(0.15f);
    toile_body_def body = toile_default_body_def();
    body.shape = TOILE_SHAPE_MESH;
    body.mesh = test_mesh_def(&ball);
    body.center[0] = -0.2f;
    add_body(world, &body);
    body.mesh = test_mesh_def(&cube);
    body.center[0] = 0.25f;
    body.keyframes = frames;
    body.keyframe_count = 2;
    add_body(world, &body);
    add_shape(world, TOILE_SHAPE_SPHERE, 0.6f);
    test_mesh_free(&ball);
    test_mesh_free(&cube);
    toile_cloth_def sheet = lying_def(19, 0.25f);
    add_cloth(world, &sheet);
    return world;
}

typedef struct device_pair {
    toile_world *cpu, *gl;
} device_pair;

static inline device_pair make_pair(make_scene *make, toile_world_def def) {
    def.threads = 1;
    device_pair p;
    def.device = "cpu";
    p.cpu = make(&def);
    def.device = test_device();
    p.gl = make(&def);
    return p;
}

static inline void run_pair(device_pair p, int steps) {
    run_steps(p.cpu, steps, 1.0f / 60.0f);
    run_steps(p.gl, steps, 1.0f / 60.0f);
}

static inline void destroy_pair(device_pair p) {
    toile_world_destroy(p.cpu);
    toile_world_destroy(p.gl);
}

/* Puts every texel of a world aside by the last digit of its position, in one of many ways. */
static inline void disturb(toile_world *world, size_t way) {
    toile_cloth_id ids[8];
    int cloths = toile_world_get_cloths(world, ids, 8);
    for (int c = 0; c < cloths; c++) {
        size_t texels = toile_cloth_get_info(world, ids[c]).texels;
        float *x = texel_positions(world, ids[c]);
        for (size_t i = 0; i < 3 * texels; i++) {
            x[i] += 6e-8f * ((float)((i * 7919 + way * (i / 3)) % 3) - 1.0f);
        }
        assert_ok(toile_cloth_set_texel_positions(world, ids[c], x, texels));
        free(x);
    }
}

/* Cloths are a metre wide: within 1e-5 of that after one step from the start, and within a bound
 * after one from where the CPU has got in almost half a second, when everything touches and pulls.
 * A step of constraints in a storm makes more of a last digit than that, on any device: then it is
 * three times what the CPU makes of one. */
static inline void assert_step_within(make_scene *make, const toile_world_def *def,
                                      const char *what, double bound) {
    toile_world_def own = *def;
    device_pair p = make_pair(make, *def);
    run_pair(p, 1);
    double first = apart(p.cpu, p.gl);
    run_steps(p.cpu, 26, 1.0f / 60.0f);
    copy_world(p.cpu, p.gl);
    double digit = 0.0;
    toile_world *beside[3];
    own.device = "cpu";
    for (size_t way = 0; way < 3; way++) {
        beside[way] = make(&own);
        copy_world(p.cpu, beside[way]);
        disturb(beside[way], way);
        run_steps(beside[way], 1, 1.0f / 60.0f);
    }
    run_pair(p, 1);
    double later = apart(p.cpu, p.gl);
    for (int way = 0; way < 3; way++) {
        digit = fmax(digit, apart(p.cpu, beside[way]));
        toile_world_destroy(beside[way]);
    }
    printf("%s: %.2g m after the first step, %.2g m after a later one; a digit makes %.2g m\n",
           what, first, later, digit);
    assert_below(first, 1e-5);
    assert_below(later, fmax(bound, 3.0 * digit));
    destroy_pair(p);
}

static inline void assert_same_step(make_scene *make, const toile_world_def *def,
                                    const char *what) {
    assert_step_within(make, def, what, 1e-5);
}

/* A ball under one cloth, which is pinned at its corners. */
static inline toile_world *make_ball(const toile_world_def *def) {
    toile_world *world = make_world(def);
    toile_cloth_def sheet = lying_def(17, 0.1f);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    add_ball(world, -0.2f, 0.2f);
    for (int corner = 0; corner <= TOILE_CORNER_BOTTOM_RIGHT; corner++) {
        pin_corner(world, cloth, (toile_corner)corner);
    }
    return world;
}

/* Five seconds later texels are elsewhere, but the drape is the same. */
static inline void assert_same_drape(const toile_world_def *def, const char *what) {
    device_pair p = make_pair(make_ball, *def);
    run_pair(p, 300);
    toile_cloth_id cloth;
    toile_world_get_cloths(p.cpu, &cloth, 1);
    toile_metrics cpu = measure(p.cpu, cloth), gl = measure(p.gl, cloth);
    printf("%s: lowest %.5f and %.5f m, area %.5f and %.5f m^2, mean strain %.5f and %.5f\n", what,
           cpu.lowest, gl.lowest, cpu.area, gl.area, cpu.strain.mean, gl.strain.mean);
    assert_near(gl.lowest, cpu.lowest, 0.01 * fabs(cpu.lowest));
    assert_near(gl.area, cpu.area, 0.01 * cpu.area);
    assert_near(gl.strain.mean, cpu.strain.mean, 0.01 * cpu.strain.mean);
    destroy_pair(p);
}

static inline uint64_t hash_after(make_scene *make, toile_world_def def, int steps) {
    def.device = test_device();
    toile_world *world = make(&def);
    run_steps(world, steps, 1.0f / 60.0f);
    uint64_t hash = toile_world_hash(world);
    toile_world_destroy(world);
    return hash;
}

/* A strip that falls in folds onto another cloth and the ground, of a fabric that is thicker than
 * its spacing. */
static inline toile_world *make_heap_of(const toile_world_def *def, float spacing) {
    toile_world *world = make_world(def);
    toile_cloth_def sheet = lying_def(13, 0.06f);
    sheet.size[0] = sheet.size[1] = 0.5f;
    sheet.spacing = 0.5f / 12.0f;
    add_cloth(world, &sheet);
    toile_cloth_def strip = toile_default_cloth_def();
    strip.size[0] = 0.2f;
    strip.size[1] = 0.8f;
    strip.spacing = spacing;
    strip.fabric.thickness = 1.2f * spacing;
    strip.transform.translate[1] = 0.5f;
    strip.transform.rotate[0] = 5.0f;
    add_cloth(world, &strip);
    add_floor(world, 0.0f);
    return world;
}

static inline toile_world *make_heap(const toile_world_def *def) {
    return make_heap_of(def, 0.025f);
}

/* Spacings that differ so much that cloths are in cells of different sizes. */
static inline toile_world *make_uneven_heap(const toile_world_def *def) {
    return make_heap_of(def, 0.01f);
}

#endif
