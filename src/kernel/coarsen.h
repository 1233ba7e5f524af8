/* A coarse matrix P' H P, one number of its blocks at a time.
 *
 * P is the product of a step along rows and one across them, and so is what it makes of blocks:
 * finer rows get half as long first, then three of them make a coarse one. Both steps have the same
 * three forms. Nine points stay nine points. */
#ifndef TOILE_KERNEL_COARSEN_H
#define TOILE_KERNEL_COARSEN_H

#include "kernel/prelude.h"

/* The own number of a coarse texel, of those of three finer ones in line and the two ties between
 * them. */
KERNEL_FN float coarsen_own(float before, float here, float after, float tie_before,
                            float tie_after) {
    return here + 0.25f * (before + after) + (tie_before + tie_after);
}

/* The tie to the next one, of the own number of the texel in between and the two ties to it; or
 * where ties lie aslant, of the straight one there and both of them. */
KERNEL_FN float coarsen_tie(float between, float tie, float next) {
    return 0.25f * between + 0.5f * (tie + next);
}

/* A tie across the line, of those of three texels and the four aslant between them. */
KERNEL_FN float coarsen_across(float before, float here, float after, float a, float b, float c,
                               float d) {
    return here + 0.25f * (before + after) + 0.5f * ((a + b) + (c + d));
}

#endif
