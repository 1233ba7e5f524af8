/* Do two triangles cut each other? One answer for cloth against cloth and cloth against bodies. In
 * double: positions are floats, whose differences are then exact as a rule. */
#ifndef TOILE_MODEL_CUT_H
#define TOILE_MODEL_CUT_H

#include <stdbool.h>

/* Six times the volume of the tetrahedron a b c d: its sign says on which side of a b c the point d
 * lies; positive is where a b c runs counter-clockwise. */
static inline double side_of(const double a[3], const double b[3], const double c[3],
                             const double d[3]) {
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
        w[k] = d[k] - a[k];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

/* Does the line p q pass through the inside of the triangle? */
static inline bool line_cuts(const double p[3], const double q[3], double t[3][3]) {
    double a = side_of(p, q, t[0], t[1]), b = side_of(p, q, t[1], t[2]),
           c = side_of(p, q, t[2], t[0]);
    return (a > 0.0 && b > 0.0 && c > 0.0) || (a < 0.0 && b < 0.0 && c < 0.0);
}

/* Does an edge of a pass through the inside of b? Most triangles that are near each other lie on
 * one side of each other's planes. */
static inline bool edges_cut(double a[3][3], double b[3][3]) {
    double side[3];
    for (int k = 0; k < 3; k++) {
        side[k] = side_of(b[0], b[1], b[2], a[k]);
    }
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        if (side[k] * side[next] < 0.0 && line_cuts(a[k], a[next], b)) {
            return true;
        }
    }
    return false;
}

/* Touching does not count, nor does lying in one plane. */
static inline bool triangles_cut(double a[3][3], double b[3][3]) {
    return edges_cut(a, b) || edges_cut(b, a);
}

#endif
