/* Outlines that several tests are made of. */
#ifndef TOILE_TEST_OUTLINES_H
#define TOILE_TEST_OUTLINES_H

#include "worlds.h"

enum { MOST_CURVES = 24, MOST_LOOPS = 3 };

/* A definition with the memory it points to. Stays where it is made. */
typedef struct test_outline {
    toile_outline def;
    toile_loop loops[MOST_LOOPS];
    toile_curve curves[MOST_LOOPS][MOST_CURVES];
} test_outline;

static inline toile_loop *add_loop(test_outline *o, float x, float y) {
    int index = o->def.loop_count++;
    o->def.loops = o->loops;
    o->loops[index] = (toile_loop){{x, y}, o->curves[index], 0};
    return &o->loops[index];
}

static inline toile_curve *add_curve(test_outline *o, toile_curve_kind kind, float x, float y) {
    toile_loop *loop = &o->loops[o->def.loop_count - 1];
    toile_curve *curve = &o->curves[o->def.loop_count - 1][loop->curve_count++];
    *curve = (toile_curve){.kind = kind, .to = {x, y}};
    return curve;
}

static inline void add_line(test_outline *o, float x, float y) {
    add_curve(o, TOILE_CURVE_LINE, x, y);
}

static inline void add_circle(test_outline *o, float x, float y, float radius) {
    add_loop(o, x - radius, y);
    toile_curve *half = add_curve(o, TOILE_CURVE_ARC, x + radius, y);
    half->control[0][0] = x;
    half->control[0][1] = y - radius;
    half = add_curve(o, TOILE_CURVE_ARC, x - radius, y);
    half->control[0][0] = x;
    half->control[0][1] = y + radius;
}

static inline void add_rectangle(test_outline *o, float x, float y, float width, float height) {
    add_loop(o, x, y);
    add_line(o, x + width, y);
    add_line(o, x + width, y + height);
    add_line(o, x, y + height);
    add_line(o, x, y);
}

static inline void make_circle(test_outline *o) {
    *o = (test_outline){0};
    add_circle(o, 3.0f, -2.0f, 0.5f);
}

static inline void make_ring(test_outline *o) {
    make_circle(o);
    add_circle(o, 3.05f, -2.0f, 0.25f);
}

static inline void make_star(test_outline *o) {
    *o = (test_outline){0};
    for (int i = 0; i <= 10; i++) {
        float angle = (float)i * 0.62831853f, radius = i % 2 ? 0.22f : 0.5f;
        float x = i == 10 ? 0.0f : radius * sinf(angle), y = i == 10 ? 0.5f : radius * cosf(angle);
        if (i == 0) {
            add_loop(o, x, y);
        } else {
            add_line(o, x, y);
        }
    }
}

/* A curved top, straight sides, and a round hole. */
static inline void make_sleeve(test_outline *o) {
    *o = (test_outline){0};
    add_loop(o, 0.1f, 0.0f);
    add_line(o, 0.5f, 0.0f);
    add_line(o, 0.6f, 0.4f);
    toile_curve *cap = add_curve(o, TOILE_CURVE_CUBIC, 0.0f, 0.4f);
    cap->control[0][0] = 0.4f;
    cap->control[0][1] = 0.4f;
    cap->control[1][0] = 0.35f;
    cap->control[1][1] = 0.75f;
    add_line(o, 0.1f, 0.0f);
    add_circle(o, 0.3f, 0.2f, 0.08f);
}

static inline toile_panel *cook_outline(const test_outline *o, float spacing, float grain) {
    toile_panel_def def = toile_default_panel_def();
    def.outline = &o->def;
    def.spacing = spacing;
    def.grain = grain;
    toile_panel *panel = NULL;
    assert_ok(toile_panel_cook(&def, &panel));
    return panel;
}

typedef void outline_maker(test_outline *o);

enum { MAKERS = 4 };
static outline_maker *const makers[MAKERS]
    __attribute__((unused)) = {make_circle, make_ring, make_star, make_sleeve};

static inline toile_cloth_def panel_cloth(const toile_panel *piece) {
    toile_cloth_def def = toile_default_cloth_def();
    def.panel = piece;
    return def;
}

/* Free with free(). */
static inline float *mesh_positions(const toile_world *world, toile_cloth_id cloth) {
    size_t count = toile_cloth_get_info(world, cloth).vertices;
    float *positions = malloc(count * 3 * sizeof(float));
    assert_non_null(positions);
    assert_ok(toile_cloth_get_mesh_positions(world, cloth, positions, count));
    return positions;
}

/* A cloth that hangs from a corner over a ball. */
static inline toile_world *swing(const toile_cloth_def *def, toile_cloth_id *cloth, int steps) {
    toile_world_def world_def = test_world_def();
    world_def.solver.max_substeps = 16;
    toile_world *world = make_world(&world_def);
    *cloth = add_cloth(world, def);
    pin_corner(world, *cloth, TOILE_CORNER_TOP_RIGHT);
    add_ball(world, 0.0f, 0.2f);
    accept_start(world);
    run_steps(world, steps, 1.0f / 60.0f);
    return world;
}

#endif
