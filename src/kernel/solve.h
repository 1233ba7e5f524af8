/* The whole updates of a texel in a step of Newton's method, but for products with its matrix
 * (kernel/system.h) and for bodies (kernel/touch.h). */
#ifndef TOILE_KERNEL_SOLVE_H
#define TOILE_KERNEL_SOLVE_H

#include "kernel/newton.h"

/* mass / substep^2, N/m; rate: 1 / substep^2. */
KERNEL_FN float solve_inertia(float inverse_mass, float rate) {
    bool free = inverse_mass > 0.0f;
    return k_select(free, rate, 0.0f) / k_select(free, inverse_mass, 1.0f);
}

/* The force that is unbalanced at a place, without bodies. way: from there to where the texel would
 * be without springs. Bending is damped as if texels were ahead by its retardation, in substeps:
 * bent is that of the place, lag the retardation times that at the start of the substep. */
KERNEL_FN v3 solve_force(v3 tension, v3 bent, v3 lag, float bend, float retardation, v3 way,
                         float inertia) {
    v3 ahead = v3_sub(v3_scale(bent, 1.0f + retardation), lag);
    v3 r = v3_madd(v3_madd(tension, ahead, -bend), way, inertia);
    return v3_scale(r, k_select(inertia > 0.0f, 1.0f, 0.0f));
}

/* The inverse of a texel's own block, with what bending adds; there: it takes part. */
KERNEL_FN block solve_inverse(block own, float bend, bool there) {
    block inverse = block_inverse(block_lift(own, NEWTON_BEND * bend));
    return block_scale(inverse, k_select(there, 1.0f, 0.0f));
}

/* The first sweep of a cycle, from nothing. */
KERNEL_FN v3 solve_first(block inverse, v3 r) {
    return v3_scale(block_times(inverse, r), NEWTON_WEIGHT);
}

/* The last one. left: what the guess leaves of the force. */
KERNEL_FN v3 solve_sweep(v3 guess, block inverse, v3 left) {
    return v3_madd(guess, block_times(inverse, left), NEWTON_WEIGHT);
}

/* Half of the way that a texel goes by itself, for all texels move at once, and each spring would
 * count twice. guess: its first sweep. */
KERNEL_FN v3 solve_local(v3 x, v3 guess) {
    return v3_madd(x, guess, 0.5f / NEWTON_WEIGHT);
}

/* Of a texel's distance from the origin, squared: positions are rounded by an eighth of its root,
 * 2^-21, and moves of that size are made of rounding. */
#define SOLVE_ROUNDING 2.3e-13f

/* How far an iteration moves a texel, squared; 0 where it is within rounding. */
KERNEL_FN float solve_moved(v3 place, v3 move) {
    float squared = v3_dot(move, move);
    return k_select(squared <= SOLVE_ROUNDING * v3_dot(place, place), 0.0f, squared);
}

/* The block of a spring between two texels, for coarser levels: none unless both are free. */
KERNEL_FN block solve_link(v4 spring, float inertia, float other) {
    float free = k_select(inertia > 0.0f, 1.0f, 0.0f);
    return block_scale(newton_spring_block(spring), -k_select(other > 0.0f, free, 0.0f));
}

#endif
