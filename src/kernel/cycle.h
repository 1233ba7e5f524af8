/* Between the grids of a cycle, and around a texel.
 *
 * P takes a correction up from a coarse grid to the finer one by bilinear interpolation: a texel of
 * the finer one lies on a coarse one, between two, or between four. P' takes forces down with the
 * same weights, so that the coarse matrices are P' A P (cook/multigrid.h). */
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

/* Its weight of the finer texel that many columns and rows away, at most 1. */
KERNEL_FN float cycle_weight(int across, int along) {
    return k_select(across != 0, 0.5f, 1.0f) * k_select(along != 0, 0.5f, 1.0f);
}

/* The limit of friction is blurred: where threads push one texel into the body and pull the next
 * one out of it, as rounding of positions makes them do, the mean counts. A friction that is cut to
 * the least limit of some substeps lets cloth creep. Three texels of a row, and three rows: */
KERNEL_FN float grip_blur(float before, float here, float after) {
    return before + 2.0f * here + after;
}

/* Texels get shares by their mass. inertia: of the texel; limits, inertias: both blurred. */
KERNEL_FN float grip_blurred(float inertia, float limits, float inertias) {
    return inertia * limits / k_max(inertias, KERNEL_TINY);
}

#endif
