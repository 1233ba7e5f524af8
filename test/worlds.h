/* Worlds that several tests start from. A test that cannot make its world has failed. */
#ifndef TOILE_TEST_WORLDS_H
#define TOILE_TEST_WORLDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "toile/toile.h"

#define assert_ok(call)                                                                            \
    do {                                                                                           \
        toile_result result_ = (call);                                                             \
        if (result_ != TOILE_OK) {                                                                 \
            fail_msg("%s: %s", #call, toile_error_message());                                      \
        }                                                                                          \
    } while (0)

/* `value` within `tolerance` of `wanted`. */
#define assert_near(value, wanted, tolerance)                                                      \
    do {                                                                                           \
        double value_ = (value), wanted_ = (wanted), tolerance_ = (tolerance);                     \
        if (!(fabs(value_ - wanted_) <= tolerance_)) {                                             \
            fail_msg("%s is %.9g: expected %.9g +- %.3g", #value, value_, wanted_, tolerance_);    \
        }                                                                                          \
    } while (0)

#define assert_below(value, bound)                                                                 \
    do {                                                                                           \
        double value_ = (value), bound_ = (bound);                                                 \
        if (!(value_ < bound_)) {                                                                  \
            fail_msg("%s is %.9g: expected less than %.9g", #value, value_, bound_);               \
        }                                                                                          \
    } while (0)

/* The device that tests of worlds run on: ctest runs them again with others. */
static inline const char *test_device(void) {
    const char *name = getenv("TOILE_TEST_DEVICE");
    return name ? name : "cpu";
}

/* Springs, unless a test chooses otherwise, and cloth that does not see itself. Nothing sleeps:
 * tests of rest and energy see how cloth moves, or does not, by itself. One thread: tests
 * run beside each other, and the bits are the same. */
static inline toile_world_def test_world_def(void) {
    toile_world_def def = toile_default_world_def();
    def.device = test_device();
    def.solver.kind = TOILE_SOLVER_MASS_SPRING;
    def.solver.self_collision = false;
    def.solver.sleep = false;
    def.threads = 1;
    return def;
}

/* Without air. */
static inline toile_world_def quiet_def(void) {
    toile_world_def def = test_world_def();
    def.solver.damping = 0.0f;
    return def;
}

static inline toile_world *make_world(const toile_world_def *def) {
    toile_world *world = NULL;
    assert_ok(toile_world_create(def, &world));
    return world;
}

/* The last error says this. */
static inline void assert_message(const char *part) {
    if (!strstr(toile_error_message(), part)) {
        fail_msg("the message '%s' does not say '%s'", toile_error_message(), part);
    }
}

/* A world in which nothing moves. */
static inline toile_world *make_null_world(void) {
    toile_world_def def = toile_default_world_def();
    def.device = "null";
    return make_world(&def);
}

static inline toile_cloth_id add_cloth(toile_world *world, const toile_cloth_def *def) {
    toile_cloth_id cloth = toile_world_add_cloth(world, def);
    if (cloth.slot == 0) {
        fail_msg("add_cloth: %s", toile_error_message());
    }
    return cloth;
}

static inline toile_body_id add_body(toile_world *world, const toile_body_def *def) {
    toile_body_id body = toile_world_add_body(world, def);
    if (body.slot == 0) {
        fail_msg("add_body: %s", toile_error_message());
    }
    return body;
}

static inline toile_pin_id add_pin(toile_world *world, toile_cloth_id cloth,
                                   const toile_pin_def *def) {
    toile_pin_id pin = toile_cloth_add_pin(world, cloth, def);
    if (pin.slot == 0) {
        fail_msg("add_pin: %s", toile_error_message());
    }
    return pin;
}

static inline void pin_corner(toile_world *world, toile_cloth_id cloth, toile_corner corner) {
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_CORNER;
    pin.corner = corner;
    add_pin(world, cloth, &pin);
}

static inline void pin_edge(toile_world *world, toile_cloth_id cloth, toile_edge edge) {
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_EDGE;
    pin.edge = edge;
    add_pin(world, cloth, &pin);
}

static inline toile_body_id add_ball(toile_world *world, float y, float radius) {
    toile_body_def ball = toile_default_body_def();
    ball.shape = TOILE_SHAPE_SPHERE;
    ball.center[1] = y;
    ball.radii[0] = radius;
    return add_body(world, &ball);
}

static inline toile_body_id add_floor(toile_world *world, float y) {
    toile_body_def floor = toile_default_body_def();
    floor.shape = TOILE_SHAPE_PLANE;
    floor.center[1] = y;
    return add_body(world, &floor);
}

/* A square cloth of n x n texels, a metre wide. */
static inline toile_cloth_def square_def(int n) {
    toile_cloth_def def = toile_default_cloth_def();
    def.spacing = 1.0f / (float)(n - 1);
    return def;
}

/* The same, lying flat at a height. */
static inline toile_cloth_def lying_def(int n, float height) {
    toile_cloth_def def = square_def(n);
    def.transform.rotate[0] = -90.0f;
    def.transform.translate[1] = height;
    return def;
}

/* Six small sheets, one close above the other, that fall on a floor: each texel meets some of the
 * sheet above and of the one below. */
static inline toile_world *make_stack(const toile_world_def *def) {
    toile_world *world = make_world(def);
    for (int i = 0; i < 6; i++) {
        toile_cloth_def sheet = lying_def(13, 0.02f + 0.02f * (float)i);
        sheet.size[0] = sheet.size[1] = 0.24f;
        sheet.spacing = 0.02f;
        sheet.transform.rotate[1] = 20.0f * (float)i;
        add_cloth(world, &sheet);
    }
    add_floor(world, 0.0f);
    return world;
}

/* A square of n x n texels that swings from level by two corners. */
static inline toile_cloth_id add_swinging(toile_world *world, int n, float z) {
    toile_cloth_def sheet = lying_def(n, 0.0f);
    sheet.transform.translate[2] = z;
    toile_cloth_id cloth = add_cloth(world, &sheet);
    pin_corner(world, cloth, TOILE_CORNER_TOP_LEFT);
    pin_corner(world, cloth, TOILE_CORNER_TOP_RIGHT);
    return cloth;
}

/* A ribbon of silk over a floor, that falls on its edge into a pile. */
static inline toile_cloth_id add_ribbon(toile_world *world, const float size[2], float spacing,
                                        float height) {
    toile_cloth_def ribbon = toile_default_cloth_def();
    memcpy(ribbon.size, size, sizeof ribbon.size);
    ribbon.spacing = spacing;
    ribbon.fabric = toile_fabric_named("silk");
    ribbon.transform.rotate[0] = 2.0f;
    ribbon.transform.translate[1] = height;
    add_floor(world, 0.0f);
    return add_cloth(world, &ribbon);
}

/* For cloth that is to start inside a body: what a saved state holds is not refused. */
static inline void accept_start(toile_world *world) {
    size_t size = toile_world_state_size(world);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_ok(toile_world_save_state(world, bytes, size));
    assert_ok(toile_world_load_state(world, bytes, size));
    free(bytes);
}

static inline void run_steps(toile_world *world, int steps, float time_step) {
    for (int s = 0; s < steps; s++) {
        assert_ok(toile_world_step(world, time_step));
    }
}

static inline void run_seconds(toile_world *world, double seconds) {
    run_steps(world, (int)lround(60.0 * seconds), 1.0f / 60.0f);
}

/* Free with free(). */
static inline float *texel_positions(const toile_world *world, toile_cloth_id cloth) {
    size_t count = toile_cloth_get_info(world, cloth).texels;
    float *positions = malloc(count * 3 * sizeof(float));
    assert_non_null(positions);
    assert_ok(toile_cloth_get_texel_positions(world, cloth, positions, count));
    return positions;
}

static inline toile_metrics measure(const toile_world *world, toile_cloth_id cloth) {
    toile_metrics metrics;
    assert_ok(toile_world_measure(world, cloth, &metrics));
    return metrics;
}

/* Triangles of a cloth, or of all cloths (0), that cut others. */
typedef struct tangle {
    uint64_t worst, end; /* in any frame, and in the last one */
} tangle;

static inline tangle run_to_tangle(toile_world *world, toile_cloth_id cloth, int frames) {
    tangle t = {0};
    for (int frame = 0; frame < frames; frame++) {
        run_steps(world, 1, 1.0f / 60.0f);
        t.end = measure(world, cloth).self_intersections;
        t.worst = t.end > t.worst ? t.end : t.worst;
    }
    return t;
}

static inline void assert_same_cloth(const toile_world *a, toile_cloth_id in_a,
                                     const toile_world *b, toile_cloth_id in_b) {
    const size_t texels = toile_cloth_get_info(a, in_a).texels;
    float *x = texel_positions(a, in_a), *y = texel_positions(b, in_b);
    assert_memory_equal(x, y, sizeof(float) * 3 * texels);
    free(x);
    free(y);
}

/* Two cloths that do not meet move together as each does alone. */
static inline void assert_independent(const toile_world_def *def, int steps) {
    const int texels[2] = {34, 21};
    toile_world *both = make_world(def);
    toile_cloth_id beside[2];
    for (int i = 0; i < 2; i++) {
        beside[i] = add_swinging(both, texels[i], 5.0f * (float)i);
    }
    run_steps(both, steps, 1.0f / 60.0f);
    for (int i = 0; i < 2; i++) {
        toile_world *alone = make_world(def);
        toile_cloth_id cloth = add_swinging(alone, texels[i], 5.0f * (float)i);
        run_steps(alone, steps, 1.0f / 60.0f);
        assert_same_cloth(alone, cloth, both, beside[i]);
        toile_world_destroy(alone);
    }
    toile_world_destroy(both);
}

static inline void assert_same_hash(uint64_t a, uint64_t b, const char *what) {
    if (a != b) {
        fail_msg("%s: hash %016llx instead of %016llx", what, (unsigned long long)a,
                 (unsigned long long)b);
    }
}
/* A world that is saved after so many steps, and loaded into another one, ends as one that was not.
 */
static inline void assert_resumes(toile_world *make(int threads), int before, int after) {
    toile_world *whole = make(1), *first = make(2), *second = make(1);
    run_steps(whole, before + after, 1.0f / 60.0f);
    run_steps(first, before, 1.0f / 60.0f);
    size_t size = toile_world_state_size(first);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_ok(toile_world_save_state(first, bytes, size));
    assert_ok(toile_world_load_state(second, bytes, size));
    assert_same_hash(toile_world_hash(second), toile_world_hash(first), "loaded");
    run_steps(second, after, 1.0f / 60.0f);
    assert_same_hash(toile_world_hash(second), toile_world_hash(whole), "resumed");
    free(bytes);
    toile_world_destroy(whole);
    toile_world_destroy(first);
    toile_world_destroy(second);
}

/* A sheet on a slope: how far it has come after a second. */
static inline double slide_at(const toile_world_def *def, double spacing, double degrees,
                              double friction) {
    toile_world *world = make_world(def);
    double angle = degrees * 3.14159265358979 / 180.0;
    toile_body_def slope = toile_default_body_def();
    slope.shape = TOILE_SHAPE_PLANE;
    slope.normal[0] = (float)sin(angle);
    slope.normal[1] = (float)cos(angle);
    slope.normal[2] = 0.0f;
    add_body(world, &slope);
    toile_cloth_def sheet = toile_default_cloth_def();
    sheet.size[0] = sheet.size[1] = 0.2f;
    sheet.spacing = (float)spacing;
    sheet.fabric.friction = (float)friction;
    sheet.transform.rotate[0] = -90.0f;
    sheet.transform.rotate[2] = (float)-degrees;
    float gap = 0.5f * sheet.fabric.thickness;
    for (int k = 0; k < 3; k++) {
        sheet.transform.translate[k] = gap * slope.normal[k];
    }
    toile_cloth_id cloth = add_cloth(world, &sheet);
    float *before = texel_positions(world, cloth);
    run_seconds(world, 1.0);
    float *after = texel_positions(world, cloth);
    size_t middle = toile_cloth_get_info(world, cloth).texels / 2;
    double way = 0.0;
    for (int k = 0; k < 3; k++) {
        double d = (double)after[3 * middle + (size_t)k] - (double)before[3 * middle + (size_t)k];
        way += d * d;
    }
    free(before);
    free(after);
    toile_world_destroy(world);
    return sqrt(way);
}

static inline double slide(const toile_world_def *def, double degrees, double friction) {
    return slide_at(def, 0.02, degrees, friction);
}

/* Coulomb's angle for 0.5 is 26.57 degrees. Below it nothing moves but by rounding; above it the
 * sheet speeds up with g (sin - 0.5 cos). */
static inline void assert_coulomb(const toile_world_def *def) {
    assert_below(slide(def, 26.0, 0.5), 1e-4);
    double angle = 28.0 * 3.14159265358979 / 180.0;
    double wanted = 0.5 * 9.81 * (sin(angle) - 0.5 * cos(angle));
    assert_near(slide(def, 28.0, 0.5), wanted, 0.02 * wanted);
}

#endif
