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

/* The cloth also slides along itself. The cycle over A resists any turn of a move from texel to
 * texel, and a move along an arc turns. So there are two numbers more, ways along the tangents a
 * and b of the cloth, which turn with it; they share the matrix A, whose couplings are never less
 * than theirs. Of a spring along a, k (x s_i - y s_j)^2 with x = t.a_i, y = t.a_j, that leaves k x
 * (x - y) as ground, and x^2 = 1 - (t.n_i)^2: nothing on an arc, where both are alike, and much
 * where cloth is crumpled, which slides by the cycle over A alone. Only waves of two spacings and
 * more are looked for: others turn little. */
/* Cloth whose bending is more than this share as stiff as its threads, B / h^2 against k, does not
 * slide so: stiff rings and sheets on a floor did not come to rest. */
#define SWAY_LIMP 0.01f

KERNEL_FN bool sway_slides(float bend, float stretch) {
    return bend < SWAY_LIMP * stretch;
}

KERNEL_FN float sway_turn(float along, float across, float here, float there, float same) {
    float turned = 1.0f - same;
    return along * (k_abs(there * there - here * here) + turned * turned) + across * turned;
}

/* a: as far from the thread along u as b, square to it, is from the one along v. */
KERNEL_FN v3 sway_tangent(v3 along_u, v3 along_v, v3 normal) {
    v3 u = v3_scale(along_u, 1.0f / k_sqrt(v3_dot(along_u, along_u) + 1e-30f));
    v3 v = v3_scale(along_v, 1.0f / k_sqrt(v3_dot(along_v, along_v) + 1e-30f));
    v3 middle = v3_add(u, v);
    middle = v3_scale(middle, 0.70710678f / k_sqrt(v3_dot(middle, middle) + 1e-30f));
    return v3_sub(middle, v3_cross(normal, middle));
}

/* Where a body holds cloth edge-on, it cannot slide: ground as stiff as A's own diagonal. same: the
 * cosine between the normals of cloth and body; a little less than 1 means nothing. */
KERNEL_FN float sway_stop(float inverse, float same) {
    float aside = 1.0f - same * same, much = aside * aside;
    return much * much / k_max(inverse, KERNEL_TINY);
}

/* What is left of a sweep's step where the diagonal is larger by the ground. */
KERNEL_FN float sway_inverse(float inverse, float ground) {
    return inverse / (1.0f + ground * inverse);
}

/* How much of A^-1 r is best where there is ground, too. work: e.r, ground: e.G e. */
KERNEL_FN float sway_share(float work, float ground) {
    return k_select(work > 0.0f, work / (work + ground), 0.0f);
}

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
