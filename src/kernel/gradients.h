/* The numbers of conjugate gradients, and what ends their iterations and those of Newton's method.
 *
 * Everything is told from sums over a part or an island: now is the force that is left times what
 * the cycle makes of it, curvature the direction times the matrix times the direction. An iteration
 * takes alpha * now from what the step minimises, times two. */
#ifndef TOILE_KERNEL_GRADIENTS_H
#define TOILE_KERNEL_GRADIENTS_H

#include "kernel/block.h"

/* alpha = now / curvature and beta = now / before; 0 where there is nothing to divide by. */
KERNEL_FN k_real gradients_ratio(k_real now, k_real by) {
    bool some = by > 0.0f;
    return some ? now / by : 0.0f;
}

/* Twice the kinetic energy of a substep's motion, without what a loose part moves as a whole, which
 * says nothing of how it moves within itself. way: inertia times way, summed over texels. */
KERNEL_FN k_real gradients_inner(k_real motion, k_real way_x, k_real way_y, k_real way_z,
                                 k_real inertia) {
    return motion - (way_x * way_x + way_y * way_y + way_z * way_z) / inertia;
}

/* What iterations take a share of: that energy, or that of a slow motion. slow: m in a substep. */
KERNEL_FN k_real gradients_motion(k_real motion, k_real inertia, k_real slow) {
    k_real least = inertia * slow * slow;
    return motion > least ? motion : least;
}

/* Conjugate gradients end when an iteration takes little: of the energy of the motion, or of what
 * all before it have taken, the gain. */
KERNEL_FN bool gradients_end(k_real step, k_real little, k_real motion, k_real share, k_real gain) {
    k_real of_motion = little * motion, of_gain = share * gain;
    return !(step > (of_motion > of_gain ? of_motion : of_gain));
}

/* Newton's method ends when an iteration has taken little, or, where a tolerance was asked for,
 * moved no texel further than that. */
KERNEL_FN bool gradients_settle(k_real gain, k_real share, k_real motion, float longest,
                                float tolerance) {
    bool little = longest == 0.0f || gain <= share * motion;
    return tolerance > 0.0f ? longest <= tolerance : little;
}

/* Conjugate gradients leave some of the move that all texels of an island make alike, and with it
 * of its momentum, which falling cloth has nothing to make up for. That move has three unknowns: it
 * is solved exactly. Couplings and what repels texels within the island do not feel it. */
KERNEL_FN v3 gradients_shift(block all, v3 force) {
    return block_times(block_inverse(all), force);
}

#endif
