/* Elongation limit by velocity correction: Vassilev 2020 section 3 and algorithm 1, after Provot
 * 1995.
 *
 * Vassilev stops a spring that is too long from growing further. Here the velocities are corrected
 * so that the thread is not too long at the end of the substep; that also takes back what an
 * earlier substep left. */
#ifndef TOILE_KERNEL_LIMIT_H
#define TOILE_KERNEL_LIMIT_H

#include "kernel/vec.h"

/* Velocity change of a texel with inverse mass `own` from the thread to a neighbour with inverse
 * mass `other`. to and rate are the neighbour's position and velocity relative to it, longest the
 * limit of its length. Both ends share the correction by their inverse masses, so momentum is kept
 * and pins stand. */
KERNEL_FN v3 limit_correction(v3 to, v3 rate, float longest, float time_step, float own,
                              float other) {
    v3 end = v3_madd(to, rate, time_step);
    float length = k_sqrt(k_max(v3_dot(end, end), KERNEL_TINY));
    float excess = k_max(length - longest, 0.0f);
    float both = k_max(own + other, KERNEL_TINY);
    return v3_scale(end, (own * excess) / (both * length * time_step));
}

#endif
