/* Between the grids of a multigrid cycle.
 *
 * P takes a correction up from a coarse grid to the finer one by bilinear interpolation: a texel of
 * the finer one lies on a coarse one, between two, or between four. P' takes forces down with the
 * same weights, so that the coarse matrices are P' H P (kernel/newton.h, coarsen.h). */
#ifndef TOILE_KERNEL_CYCLE_H
#define TOILE_KERNEL_CYCLE_H

#include "kernel/vec.h"

/* P: between two coarse rows, or twice the same one; and between two columns of that. */
KERNEL_FN float cycle_between(float one, float other) {
    return 0.5f * (one + other);
}

/* P': three texels of a finer row, and three such rows. */
KERNEL_FN float cycle_gather_row(float left, float here, float right) {
    return 0.5f * (left + right) + here;
}

KERNEL_FN float cycle_gather(float below, float here, float above) {
    return here + 0.5f * (below + above);
}

#endif
