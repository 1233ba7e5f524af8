/* How cloth moves across itself in an implicit step.
 *
 * A texel by itself (implicit.h) knows that cloth is stiff along its threads and limp across them,
 * but moves a wave no further than its own spacing; the cycle over the grids moves waves of all
 * lengths, as if cloth were as stiff across as along. So between the two there is a cycle for one
 * number a texel, the way s along the cloth's normal n. Its matrix is never less than the second
 * derivative of the energy along such moves. Of a spring from texel i to j with direction t,
 * stiffness k along and w across it, that is
 *
 *     k (a s_i - b s_j)^2 + w |s_i n_i - s_j n_j|^2,     a = t.n_i, b = t.n_j
 *
 *     (a s_i - b s_j)^2 = a b (s_i - s_j)^2 + a (a - b) s_i^2 + b (b - a) s_j^2
 *     |s_i n_i - s_j n_j|^2 = c (s_i - s_j)^2 + (1 - c) (s_i^2 + s_j^2),     c = n_i.n_j
 *
 * a coupling of the two texels, and what ties each to the ground, both taken so that neither is
 * negative. On smooth cloth that is the tension of its threads as couplings, and hardly any ground.
 *
 * Bending is of fourth order, and its matrix is at most SWAY_BEND, the largest eigenvalue of second
 * differences, times these: it is taken for threads under as much more tension. Waves shorter than
 * some spacings see all of it. Taken as it is, on coarse grids it is too soft, for their waves are
 * bent by the normals of the finest, and energy grew. */
#ifndef TOILE_KERNEL_SWAY_H
#define TOILE_KERNEL_SWAY_H

#include "kernel/vec.h"

#define SWAY_BEND 8.0f

/* The weights of its sweeps. One is 1: where inertia is most of the matrix, a sweep of that weight
 * leaves nothing, and weights that are not exact there throw cloth that falls freely too far. */
#define SWAY_FIRST  1.0f
#define SWAY_SECOND 1.8f
#define SWAY_THIRD  0.54f

/* A texel with less than this share of a whole one's cloth, at a tip of a panel, has no normal to
 * speak of, and is moved by itself alone. */
#define SWAY_LEAST 0.2f

/* here, there: a and b; same: c. */
KERNEL_FN float sway_coupling(float along, float across, float here, float there, float same) {
    return along * positive_part(here * there) + across * positive_part(same);
}

KERNEL_FN float sway_ground(float along, float across, float here, float there, float same) {
    return along * k_abs(here * (here - there)) + across * (1.0f - same);
}

/* The normal between threads along u and v; none where there are none. */
KERNEL_FN v3 sway_normal(v3 along_u, v3 along_v) {
    v3 n = v3_cross(along_u, along_v);
    return v3_scale(n, 1.0f / k_sqrt(v3_dot(n, n) + 1e-30f));
}

/* A coupling on a coarse grid is the mean of two finer ones, and of the rows beside them half as
 * much: P' S P for interpolated ways, where couplings change little. */
KERNEL_FN float sway_gather(float beside, float here, float other) {
    return 0.25f * (here + 0.5f * (beside + other));
}

/* Diagonals: those of the four cells of a coarse one. */
KERNEL_FN float sway_gather_cells(float below, float above) {
    return 0.25f * (below + above);
}

#endif
