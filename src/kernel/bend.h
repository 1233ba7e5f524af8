/* Bending, as a quadratic energy of second differences.
 *
 * Rabenius 2018 and Vassilev 2020 resist bending by springs to the texels two spacings away. Such a
 * spring feels nothing to first order: its length changes with the square of the angle, its force
 * with the cube, so no constant makes it bend like a fabric of given stiffness (tried; the
 * cantilever test shows it). The same twelve neighbours give a better one: the energy of a plate
 * with bending stiffness B and no Poisson effect,
 *
 *     E = B/2 * integral( |x_uu|^2 + 2 |x_uv|^2 + |x_vv|^2 ),
 *
 * discretised by second differences along the yarns at each texel and by the mixed difference of
 * each cell. For nearly inextensible cloth this is the curvature energy (Bergou et al. 2006, "A
 * quadratic bending model for inextensible surfaces"); its matrix is constant, and inside a panel
 * it is the 13-point biharmonic stencil.
 *
 * The force is linear, so damping is free: apply it to x + retardation * v instead of x.
 *
 * A fabric may be curved by itself: with the unit normal n and a rest curvature k along a yarn,
 * |x_uu|^2 becomes |x_uu - k n|^2, least on an arc of radius 1 / k whose middle is on the side of
 * n. The normals are those of where velocities lead at the start of a substep. So the matrix stays
 * what it is, and what k adds is a force that does not change in the substep, the gradient of
 * second differences with k n in their place. It sums to zero, as each normal pulls at its texel as
 * much as at its two neighbours. Its moment is that of the second differences across their
 * normals, which are parallel, but for what a turn that speeds up within the substep makes. */
#ifndef TOILE_KERNEL_BEND_H
#define TOILE_KERNEL_BEND_H

#include "kernel/vec.h"

/* Second difference across a texel: zero on a straight, evenly spaced yarn. */
KERNEL_FN v3 bend_along(v3 before, v3 here, v3 after) {
    return v3_sub(v3_add(before, after), v3_scale(here, 2.0f));
}

/* Mixed difference of a cell, positive for the texel `here` and the one diagonally opposite. */
KERNEL_FN v3 bend_twist(v3 here, v3 beside, v3 above, v3 opposite) {
    return v3_sub(v3_add(here, opposite), v3_add(beside, above));
}

/* Weight of the second difference where two yarns meet: none where either is missing. */
KERNEL_FN float bend_weight(float yarn_before, float yarn_after) {
    return k_min(yarn_before, yarn_after);
}

/* Gradient at a texel of the three second differences of a yarn it takes part in. */
KERNEL_FN v3 bend_gradient(v3 before, v3 here, v3 after, float weight_before, float weight_here,
                           float weight_after) {
    v3 ends = v3_add(v3_scale(before, weight_before), v3_scale(after, weight_after));
    return v3_sub(ends, v3_scale(here, 2.0f * weight_here));
}

/* The normal between yarns along u and v; none where there are none. */
KERNEL_FN v3 bend_normal(v3 along_u, v3 along_v) {
    v3 n = v3_cross(along_u, along_v);
    return v3_scale(n, 1.0f / k_sqrt(v3_dot(n, n) + 1e-30f));
}

/* The force of rest curvature. across_u, across_v: bend_gradient of the normals along both yarns;
 * curl: bending stiffness times curvature, N. */
KERNEL_FN v3 bend_rest_force(v3 across_u, v3 across_v, float curl_u, float curl_v) {
    return v3_madd(v3_scale(across_u, curl_u), across_v, curl_v);
}

/* Bending in one implicit step of position-based solvers. (1/w + rate (1 + lag) K) d = -rate K (x +
 * lag (x - x0)) is the change of positions that bending makes in a substep that began at x0, K the
 * matrix of bend_gradient, rate its constant times time_step^2, lag the retardation in substeps.
 * One damped Jacobi step of it divides by 1/w + BEND_ROW rate (1 + lag) instead: BEND_ROW is K's
 * largest eigenvalue, so no mode is thrown beyond zero, however stiff. (Half of it would do for a
 * linear system. Here what is thrown beyond zero comes back as velocity and grows.) A smooth mode
 * gets only the share 1 / (1 + stiff w), stiff = BEND_ROW rate (1 + lag), of -rate w K (x + ...).
 *
 * So the same push is handed on to coarser levels, as the mean by mass of what follows a coarse
 * texel, and each level adds its share of it: a multilevel preconditioner that only adds (Bramble,
 * Pasciak & Xu 1990), symmetric, so that its modes are real. A level of twice the spacing sees a
 * matrix 16 times as soft; but what it adds is interpolated linearly, and kinks bend harder. With
 * BEND_KINK times the stiffness for each level the largest eigenvalue of the whole was found to be
 * 0.995 on a square of 33 x 33 texels, without it 1.5 and growing with the
 * levels; more than 4/3 is not stable. */
#define BEND_ROW  64.0f
#define BEND_KINK 1.41421356f

KERNEL_FN float bend_share(float stiff, float inverse_mass) {
    return 1.0f / (1.0f + stiff * inverse_mass);
}

#endif
