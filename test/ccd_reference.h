/* Continuous collision in double, slow and plain: the truth that kernel/ccd.h is held against.
 *
 * Time is halved again and again. For each piece the nearest point of the two things in the middle
 * of it is found, by all its cases. As seen along the line to it, every corner moves by no more
 * than its speed along that line times half the piece. If that does not bring the lowest corner
 * down to the thickness, the two are apart all through the piece. What is left in the end, when
 * nothing is left of the pieces, touches. */
#ifndef TOILE_TEST_CCD_REFERENCE_H
#define TOILE_TEST_CCD_REFERENCE_H

#include <math.h>
#include <stdbool.h>

/* Much more than rounding makes of a distance in double, in parts of the largest coordinate. */
#define REFERENCE_ROUNDING 1e-13

/* A piece of time of which nothing is left. */
#define REFERENCE_SHORTEST 1e-13

typedef struct d3 {
    double x, y, z;
} d3;

static inline d3 d3_madd(d3 a, d3 b, double s) {
    return (d3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline d3 d3_sub(d3 a, d3 b) {
    return d3_madd(a, b, -1.0);
}

static inline double d3_dot(d3 a, d3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline d3 d3_cross(d3 a, d3 b) {
    return (d3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double d3_length(d3 a) {
    return sqrt(d3_dot(a, a));
}

/* Four corners whose hull is looked at from the origin, with where they are at the start and how
 * far they go: vertex less triangle (the last corner twice), or edge less edge. */
typedef struct moving {
    d3 start[4], way[4];
    double size; /* largest coordinate */
} moving;

static inline void d3_nearer(d3 *best, d3 candidate) {
    if (d3_dot(candidate, candidate) < d3_dot(*best, *best)) {
        *best = candidate;
    }
}

static inline d3 nearest_on_segment(d3 a, d3 b) {
    d3 ab = d3_sub(b, a);
    double squared = d3_dot(ab, ab);
    double share = squared > 0.0 ? fmin(fmax(-d3_dot(a, ab) / squared, 0.0), 1.0) : 0.0;
    return d3_madd(a, ab, share);
}

/* The point of a triangle that is nearest to the origin. */
static inline d3 nearest_on_triangle(d3 a, d3 b, d3 c) {
    d3 best = nearest_on_segment(a, b);
    d3_nearer(&best, nearest_on_segment(b, c));
    d3_nearer(&best, nearest_on_segment(c, a));
    d3 normal = d3_cross(d3_sub(b, a), d3_sub(c, a));
    double u = d3_dot(normal, d3_cross(b, c)), v = d3_dot(normal, d3_cross(c, a)),
           w = d3_dot(normal, d3_cross(a, b));
    if (u > 0.0 && v > 0.0 && w > 0.0) {
        d3 zero = {0.0, 0.0, 0.0}, sum = d3_madd(d3_madd(d3_madd(zero, a, u), b, v), c, w);
        d3_nearer(&best, d3_madd(zero, sum, 1.0 / (u + v + w)));
    }
    return best;
}

/* The distance during a piece of time: at least `low` all through it, and at most `high` in its
 * middle. What is found is a point of the hull, and so never nearer than the nearest; and no point
 * of the hull is below its lowest corner, whatever the direction that is called up. */
typedef struct bracket {
    double low, high;
} bracket;

static inline bracket distance_around(const moving *m, double middle, double half) {
    d3 q[4];
    for (int k = 0; k < 4; k++) {
        q[k] = d3_madd(m->start[k], m->way[k], middle);
    }
    d3 nearest = nearest_on_triangle(q[0], q[1], q[2]);
    d3_nearer(&nearest, nearest_on_triangle(q[0], q[2], q[3]));
    bracket d = {.low = INFINITY, .high = d3_length(nearest)};
    for (int k = 0; k < 4; k++) {
        double lowest = d3_dot(nearest, q[k]) - half * fabs(d3_dot(nearest, m->way[k]));
        d.low = fmin(d.low, lowest / fmax(d.high, 1e-300));
    }
    d.low -= REFERENCE_ROUNDING * m->size;
    d.high += REFERENCE_ROUNDING * m->size;
    return d;
}

/* How far from `begin` it is certain that the two are farther apart than the thickness: `end` if
 * all the way. */
static inline double apart_until(const moving *m, double thickness, double begin, double end) {
    double middle = 0.5 * (begin + end);
    if (distance_around(m, middle, 0.5 * (end - begin)).low > thickness) {
        return end;
    }
    if (end - begin < REFERENCE_SHORTEST) {
        return begin;
    }
    double until = apart_until(m, thickness, begin, middle);
    return until < middle ? until : apart_until(m, thickness, middle, end);
}

#endif
