/* Sine and cosine, and rotations by them, that have the same bits on every machine, which libm does
 * not promise. */
#ifndef TOILE_FIGURE_TURN_H
#define TOILE_FIGURE_TURN_H

#include "figure/vec.h"
#include "model/rotation.h"

/* Of an angle in turns: a quarter gives 1. Error below 1e-12. */
static inline double turn_sine(double turns) {
    double r = turns - floor(turns + 0.5); /* -0.5 to 0.5 */
    r = r > 0.25 ? 0.5 - r : r < -0.25 ? -0.5 - r : r;
    double x = 6.283185307179586 * r, term = x, sum = x;
    for (int n = 2; n < 20; n += 2) {
        term *= -x * x / (n * (n + 1));
        sum += term;
    }
    return sum;
}

static inline double turn_cosine(double turns) {
    return turn_sine(turns + 0.25);
}

/* About an axis of unit length. */
static inline quat turn_about(vec axis, double degrees) {
    double half = degrees / 720.0, s = turn_sine(half);
    return (quat){axis.x * s, axis.y * s, axis.z * s, turn_cosine(half)};
}

static inline quat turn_x(double degrees) {
    return turn_about(vec_make(1.0, 0.0, 0.0), degrees);
}

static inline quat turn_y(double degrees) {
    return turn_about(vec_make(0.0, 1.0, 0.0), degrees);
}

static inline quat turn_z(double degrees) {
    return turn_about(vec_make(0.0, 0.0, 1.0), degrees);
}

static inline vec turned(quat q, vec v) {
    double in[3] = {v.x, v.y, v.z}, out[3];
    quat_rotate(q, in, out);
    return vec_make(out[0], out[1], out[2]);
}

#endif
