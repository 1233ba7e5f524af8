/* What physics says of some cloths, and worlds in which solvers are held against it. */
#ifndef TOILE_TEST_TRUTHS_H
#define TOILE_TEST_TRUTHS_H

#include "cantilever.h"

/* The implicit solver without air or with some of it. */
static inline toile_world_def implicit_def(int order, float damping) {
    toile_world_def def = quiet_def();
    def.solver.kind = TOILE_SOLVER_IMPLICIT;
    def.solver.order = order;
    def.solver.damping = damping;
    return def;
}

/* ---- motion -------------------------------------------------------------------------------------
 */

typedef struct motion_of {
    double velocity[3], spin[3]; /* m/s, 1/s about the origin */
} motion_of;

static inline void set_motion(toile_world *world, toile_cloth_id cloth, motion_of m) {
    size_t texels = toile_cloth_get_info(world, cloth).texels;
    float *x = texel_positions(world, cloth), *v = malloc(3 * texels * sizeof *v);
    assert_non_null(v);
    for (size_t t = 0; t < texels; t++) {
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            v[3 * t + (size_t)k] =
                (float)(m.velocity[k] + m.spin[a] * (double)x[3 * t + (size_t)b] -
                        m.spin[b] * (double)x[3 * t + (size_t)a]);
        }
    }
    assert_ok(toile_cloth_set_texel_velocities(world, cloth, v, texels));
    free(x);
    free(v);
}

/* Of a rectangle, over its density times the square of the spacing. */
static inline double angular_momentum(toile_world *world, toile_cloth_id cloth, int axis) {
    toile_cloth_info info = toile_cloth_get_info(world, cloth);
    float *x = texel_positions(world, cloth), *v = malloc(3 * info.texels * sizeof *v);
    assert_non_null(v);
    assert_ok(toile_cloth_get_texel_velocities(world, cloth, v, info.texels));
    double sum = 0.0;
    for (int t = 0; t < (int)info.texels; t++) {
        int i = t % info.columns, j = t / info.columns, a = (axis + 1) % 3, b = (axis + 2) % 3;
        double mass = (i == 0 || i == info.columns - 1 ? 0.5 : 1.0) *
                      (j == 0 || j == info.rows - 1 ? 0.5 : 1.0);
        sum += mass * ((double)x[3 * t + a] * (double)v[3 * t + b] -
                       (double)x[3 * t + b] * (double)v[3 * t + a]);
    }
    free(x);
    free(v);
    return sum;
}

static inline void disturb(toile_world *world, toile_cloth_id cloth, float speed) {
    size_t texels = toile_cloth_get_info(world, cloth).texels;
    float *v = malloc(texels * 3 * sizeof *v);
    assert_non_null(v);
    unsigned seed = 7;
    for (size_t i = 0; i < 3 * texels; i++) {
        seed = seed * 1664525u + 1013904223u;
        v[i] = speed * ((float)(seed >> 8) / 8388608.0f - 1.0f);
    }
    assert_ok(toile_cloth_set_texel_velocities(world, cloth, v, texels));
    free(v);
}

/* After a second without gravity a square whose texels moved at random has its momentum, within
 * `bound` of its mass, m/s, and has lost energy. */
static inline void assert_momentum_kept(toile_world_def def, double bound) {
    def.gravity[1] = 0.0f;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = square_def(21);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    disturb(world, cloth, 1.0f);
    const toile_metrics before = measure(world, cloth);
    run_seconds(world, 1.0);
    const toile_metrics after = measure(world, cloth);
    const double mass = toile_cloth_get_info(world, cloth).mass;
    for (int k = 0; k < 3; k++) {
        assert_near(after.momentum[k] / mass, before.momentum[k] / mass, bound);
    }
    assert_below(after.kinetic_energy, before.kinetic_energy);
    toile_world_destroy(world);
}

/* Two by two texels that hang by an edge are a pendulum: all that moves is at one distance from the
 * axis. */
typedef struct pendulum {
    double period, wanted; /* s */
    double decay;          /* 1/s, of the amplitude */
} pendulum;

/* A sheet of one cell as a pendulum, at ten degrees. Returns where its axis is along z. */
static inline double hang_pendulum(toile_world *world, double length, toile_cloth_id *cloth) {
    toile_cloth_def sheet = toile_default_cloth_def();
    sheet.size[0] = sheet.size[1] = sheet.spacing = (float)length;
    sheet.transform.rotate[0] = 10.0f;
    *cloth = add_cloth(world, &sheet);
    pin_edge(world, *cloth, TOILE_EDGE_TOP);
    float *x = texel_positions(world, *cloth);
    const double axis_z = (double)x[3 * 2 + 2];
    free(x);
    return axis_z;
}

static inline pendulum swing_pendulum(const toile_world_def *def, float time_step, double seconds) {
    const double start = 10.0 * 3.14159265358979 / 180.0, length = 0.5;
    toile_world *world = make_world(def);
    toile_cloth_id cloth;
    const double axis_z = hang_pendulum(world, length, &cloth);
    /* Half the mass swings: what it has lost of its energy by then tells the amplitude. */
    const double whole =
        0.5 * 9.81 * toile_cloth_get_info(world, cloth).mass * length * (1.0 - cos(start));
    const double at_start = measure(world, cloth).potential_energy;
    double first = -1.0, last = -1.0, before = 0.0, left[2] = {0.0, 0.0};
    int periods = -1;
    for (int s = 0; s < (int)lround(seconds / (double)time_step); s++) {
        assert_ok(toile_world_step(world, time_step));
        float *x = texel_positions(world, cloth);
        double now = (double)x[2] - axis_z;
        free(x);
        if (before < 0.0 && now >= 0.0) {
            toile_metrics m = measure(world, cloth);
            last = toile_world_time(world) - (double)time_step * now / (now - before);
            left[first < 0.0 ? 0 : 1] =
                whole + m.kinetic_energy + m.potential_energy + m.elastic_energy - at_start;
            first = first < 0.0 ? last : first;
            periods++;
        }
        before = now;
    }
    assert_true(periods >= 4);
    toile_world_destroy(world);
    return (pendulum){.period = (last - first) / periods,
                      .wanted = 2.0 * 3.14159265358979 * sqrt(length / 9.81) *
                                (1.0 + start * start / 16.0),
                      .decay = log(left[0] / left[1]) / (2.0 * (last - first))};
}

/* ---- sags ---------------------------------------------------------------------------------------
 */

/* Moves a pin towards the middle in the first half second and holds it there. */
static inline void pin_and_gather(toile_world *world, toile_cloth_id cloth, toile_pin_def pin,
                                  float x, float z) {
    toile_keyframe keys[2] = {{.time = 0.0f}, {.time = 0.5f, .translate = {x, 0.0f, z}}};
    pin.keyframes = keys;
    pin.keyframe_count = 2;
    add_pin(world, cloth, &pin);
}

/* How far a cloth held by two edges, 0.9 m apart, hangs down. */
static inline double trough_sag(const toile_world_def *def, int n) {
    toile_world *world = make_world(def);
    toile_cloth_def sheet = lying_def(n, 0.0f);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_EDGE;
    pin.edge = TOILE_EDGE_LEFT;
    pin_and_gather(world, cloth, pin, 0.05f, 0.0f);
    pin.edge = TOILE_EDGE_RIGHT;
    pin_and_gather(world, cloth, pin, -0.05f, 0.0f);
    run_seconds(world, 4.0);
    toile_metrics m = measure(world, cloth);
    toile_world_destroy(world);
    return -m.lowest;
}

/* How far a chain of 1 m hangs down between ends 0.9 m apart. */
static inline double catenary_sag(void) {
    double low = 0.1, high = 10.0;
    for (int i = 0; i < 60; i++) {
        double a = 0.5 * (low + high);
        if (2.0 * a * sinh(0.45 / a) > 1.0) {
            low = a;
        } else {
            high = a;
        }
    }
    return low * (cosh(0.45 / low) - 1.0);
}

/* How far a cloth hangs down that is held by its four corners, each 5 cm nearer to the middle than
 * at first. Hands hold a patch: the pull on a single texel would grow as the spacing shrinks. */
static inline double hammock_sag(const toile_world_def *def, int n) {
    toile_world *world = make_world(def);
    toile_cloth_def sheet = lying_def(n, 0.0f);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    for (int corner = 0; corner < 4; corner++) {
        toile_pin_def pin = toile_default_pin_def();
        pin.kind = TOILE_PIN_POINT;
        pin.point[0] = (float)(corner % 2);
        pin.point[1] = (float)(corner / 2);
        pin.radius = 0.061f;
        pin_and_gather(world, cloth, pin, 0.05f - 0.1f * pin.point[0], 0.1f * pin.point[1] - 0.05f);
    }
    run_seconds(world, 3.0);
    toile_metrics m = measure(world, cloth);
    toile_world_destroy(world);
    return -m.lowest;
}

#endif
