/* Second order of the implicit solver: what its substeps start from.
 *
 * It is BDF2: 3 x - 4 x0 + x1 = 2 dt v, 3 v - 4 v0 + v1 = 2 dt a, with x0, v0 at the start of the
 * substep and x1, v1 a substep before. That is a backward Euler step of 2/3 dt from x0 + (x0 - x1)
 * / 3 and v0 + (v0 - v1) / 3. Only the change of velocity is kept: x0 - x1 is dt (v0 + v1) / 2, to
 * the same order. A texel that a body holds forgets its change, which may be a blow: it would make
 * it bounce. Where substeps get longer or shorter from one step to the next, the change is scaled
 * by stage_pace: v1 is taken from the line through v0 and the velocity kept. */
#ifndef TOILE_KERNEL_STAGE_H
#define TOILE_KERNEL_STAGE_H

#include "kernel/vec.h"

/* What the kept change of velocity is multiplied by when substeps of length `before` are followed
 * by one of length `now`. It is the ratio, up to where BDF2 of changing steps is stable, 1 +
 * sqrt(2): the change in a very short substep is mostly rounding. */
#define STAGE_PACE 2.4142135f

KERNEL_FN float stage_pace(float now, float before) {
    return k_min(now / before, STAGE_PACE);
}

/* The share of a substep of length `moment` that velocities go on by themselves, before backward
 * Euler takes the rest: a third, or with first order nothing. */
KERNEL_FN float stage_share(float moment, float substep) {
    return (moment - substep) / moment;
}

/* Where a substep begins for backward Euler, and how fast; gained: the change of velocity kept. */
KERNEL_FN float stage_place(float x, float v, float gained, float share, float moment) {
    return x + share * moment * (v - 0.5f * gained);
}

KERNEL_FN float stage_speed(float v, float gained, float share) {
    return v + share * gained;
}

/* Where a body stops a texel and not its neighbour, going on by themselves takes them apart: on
 * fine grids their yarn is stretched by a hundred times the energy of the blow. A texel is struck
 * if its velocity changes by more than this, which takes it STRIKE_WAY of a spacing in a third of a
 * substep; `substep` is the other two thirds. Steps in which cloth is struck, and those that follow
 * for a while, are made of substeps of first order. */
#define STRIKE_WAY 0.05f

KERNEL_FN float strike_speed(float spacing, float substep) {
    return 2.0f * STRIKE_WAY * spacing / substep;
}

#endif
