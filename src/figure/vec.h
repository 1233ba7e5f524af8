/* Vectors of doubles: a figure is made once, and its bits must not depend on the machine. */
#ifndef TOILE_FIGURE_VEC_H
#define TOILE_FIGURE_VEC_H

#include <math.h>

typedef struct vec {
    double x, y, z;
} vec;

static inline vec vec_make(double x, double y, double z) {
    return (vec){x, y, z};
}

static inline vec vec_add(vec a, vec b) {
    return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline vec vec_sub(vec a, vec b) {
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline vec vec_scale(vec a, double s) {
    return (vec){a.x * s, a.y * s, a.z * s};
}

static inline vec vec_madd(vec a, vec b, double s) {
    return vec_add(a, vec_scale(b, s));
}

static inline double vec_dot(vec a, vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec vec_cross(vec a, vec b) {
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double vec_length(vec a) {
    return sqrt(vec_dot(a, a));
}

/* Zero stays zero. */
static inline vec vec_unit(vec a) {
    double length = vec_length(a);
    return length > 0.0 ? vec_scale(a, 1.0 / length) : a;
}

static inline vec vec_lerp(vec a, vec b, double t) {
    return vec_madd(a, vec_sub(b, a), t);
}

static inline double clamp(double a, double low, double high) {
    return a < low ? low : a > high ? high : a;
}

/* From 0 at `from` to 1 at `to`, with horizontal tangents. */
static inline double smooth_step(double from, double to, double at) {
    double t = clamp((at - from) / (to - from), 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

#endif
