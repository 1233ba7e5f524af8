/* Couplings of texels (cook/coupling.h).
 *
 * A coupling has the energy 1/2 e' M e; e is its sum of places less the place that it is drawn to,
 * and M its stiffness, a block. Its force on a texel of weight w is -w M e, and its part of the
 * second derivative w M w', of the same form on every level. kernel/coupled.h has the updates. */
#ifndef TOILE_KERNEL_COUPLING_H
#define TOILE_KERNEL_COUPLING_H

#include "kernel/block.h"

/* A coupling without a stiffness of its own is so many times as stiff as what its texels resist a
 * move with by themselves: sewn cloth then hangs as if it was whole (gaps of micrometres), and the
 * cycle needs hardly more iterations. One that is much stiffer moves both sides too slowly. */
#define COUPLING_STIFF 4.0f

/* What of a row's stiffness counts for a texel of weight w when texels are moved one by one; all
 * has the absolute weights of the row. Jacobi's sweeps then stay as safe as with springs, however
 * stiff the row; with w^2 in its place the cycle is not positive. */
KERNEL_FN float coupling_share(float weight, float all) {
    return 0.5f * all * k_abs(weight);
}

/* How far a sum of texels gives way to a force, m/N: a texel more, whose own block has this
 * inverse. */
KERNEL_FN block coupling_give(block so_far, block inverse, float weight) {
    return block_add(so_far, block_scale(inverse, weight * weight));
}

/* The stiffness of a row: given in N/m, or where that is 0 from what its texels give. Along a unit
 * vector, or where that is 0 in all directions. Below 0: it has let go. */
KERNEL_FN block coupling_stiffness(float given, v3 along, block give) {
    bool directed = v3_dot(along, along) > 0.0f;
    bool relative = given == 0.0f;
    float length = v3_dot(along, block_times(give, along));
    float yields = k_select(length > 0.0f, length, 1.0f);
    float once = k_select(relative, k_select(length > 0.0f, COUPLING_STIFF / yields, 0.0f), given);
    block whole = block_scale(block_inverse(give), COUPLING_STIFF);
    block plain = block_lift(block_zero(), given);
    block stiff = block_select(relative, whole, plain);
    stiff = block_select(directed, block_scale(block_outer(along), once), stiff);
    return block_scale(stiff, k_select(given < 0.0f, 0.0f, 1.0f));
}

/* Moving the texels of a coupling one by one is slow: what both sides would do together meets the
 * stiffness between them. So they are moved together, by an approximate inverse of their own blocks
 * D and the couplings K: steps of Chebyshev's iteration, which is a polynomial in the inverse of
 * what they are moved by alone times (D + K), and so symmetric. The eigenvalues of that are 2 at
 * most; those below COUPLING_LEAST, motions that couplings do not feel much, are left to the sweep.
 * A third step saves few iterations and takes longer than they do. */
#define COUPLING_STEPS  2
#define COUPLING_LEAST  0.3f
#define COUPLING_MIDDLE (0.5f * (2.0f + COUPLING_LEAST))
#define COUPLING_HALF   (0.5f * (2.0f - COUPLING_LEAST))

/* Where a step is between the last one and the way that is left; rho is 0 at first. */
KERNEL_FN float coupling_rho(float rho) {
    float sigma = COUPLING_MIDDLE / COUPLING_HALF;
    return k_select(rho > 0.0f, 1.0f / (2.0f * sigma - rho), 1.0f / sigma);
}

/* The first step of a texel, and the next ones. inverse: of the block that it is moved by alone;
 * left: the force on it, less what it and the couplings resist the way so far with. */
KERNEL_FN v3 coupling_first(block inverse, v3 left) {
    return v3_scale(block_times(inverse, left), 1.0f / COUPLING_MIDDLE);
}

KERNEL_FN v3 coupling_next(v3 step, block inverse, v3 left, float before, float rho) {
    v3 further = v3_scale(block_times(inverse, left), 2.0f * rho / COUPLING_HALF);
    return v3_madd(further, step, before * rho);
}

#endif
