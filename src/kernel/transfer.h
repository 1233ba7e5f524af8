/* Between the levels of the multilevel solver: Schmitt 2013 section 5.3. Changes come up by
 * bilinear interpolation, and positions go down as means with the same weights. cpu/transfer.c says
 * why. */
#ifndef TOILE_KERNEL_TRANSFER_H
#define TOILE_KERNEL_TRANSFER_H

#include "kernel/vec.h"

/* Share of what a coarse multiplier has changed by that each of the finer ones it covers gets: a
 * coarse yarn stands for a strip of twice the width. */
#define TRANSFER_MULTIPLIER 0.5f

/* A row of three finer texels, and three such rows. */
KERNEL_FN float transfer_row(float left, float here, float right) {
    return (left + right) + 2.0f * here;
}

KERNEL_FN float transfer_mean(float below, float here, float above) {
    return 0.0625f * ((below + above) + 2.0f * here);
}

/* What has changed between two coarse rows, or twice the same one. */
KERNEL_FN float transfer_change(float low, float low_before, float high, float high_before) {
    return 0.5f * ((low - low_before) + (high - high_before));
}

/* Between two coarse columns. */
KERNEL_FN float transfer_between(float here, float next) {
    return 0.5f * (here + next);
}

#endif
