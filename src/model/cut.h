/* Do two triangles cut each other? One answer for cloth against cloth and cloth against bodies. It
 * is that of exact arithmetic, given corners that are floats: touching, lying in one plane and
 * being in the same place to the bit are told from cutting, however the triangles lie. */
#ifndef TOILE_MODEL_CUT_H
#define TOILE_MODEL_CUT_H

#include <math.h>
#include <stdbool.h>

/* side_of() by exact arithmetic: for where rounding might change its sign. */
double side_of_exactly(const double a[3], const double b[3], const double c[3], const double d[3]);

/* Six times the volume of the tetrahedron a b c d: its sign says on which side of a b c the point d
 * lies; positive is where a b c runs counter-clockwise. The sign is exact for floats. */
static inline double side_of(const double a[3], const double b[3], const double c[3],
                             const double d[3]) {
    double u[3], v[3], w[3], volume = 0.0, bound = 0.0;
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
        w[k] = d[k] - a[k];
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double vw = v[i] * w[j], wv = v[j] * w[i];
        volume += u[k] * (vw - wv);
        bound += fabs(u[k]) * (fabs(vw) + fabs(wv));
    }
    /* Shewchuk, Adaptive Precision Floating-Point Arithmetic, 1997: 7 roundings, and a bit. */
    return fabs(volume) > 1e-15 * bound || bound == 0.0 ? volume : side_of_exactly(a, b, c, d);
}

typedef enum cut_kind {
    CUT_NONE,    /* apart, or they touch: in a point, or along a line on the rim of one of them */
    CUT_THROUGH, /* each has corners on both sides of the other, and they have a line in common */
    CUT_TOGETHER /* they lie in one plane, to the bit, and cover each other in part */
} cut_kind;

/* Of a triangle without an area it is asked whether its edges go through the other one. Those that
 * lie in one plane cover each other where no edge has all of the other triangle beyond it but for a
 * hundredth of its own: so that those which only lie next to each other may overlap by rounding. */
cut_kind triangles_cut(double a[3][3], double b[3][3]);

#endif
