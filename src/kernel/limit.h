/* Elongation limit by velocity correction: Vassilev 2020 section 3 and algorithm 1, after Provot
 * 1995.
 *
 * Vassilev stops a spring that is too long from growing further. Here the velocities are corrected
 * so that the yarn is not too long at the end of the substep; that also takes back what an
 * earlier substep left. */
#ifndef TOILE_KERNEL_LIMIT_H
#define TOILE_KERNEL_LIMIT_H

#include "kernel/vec.h"

/* 1/kg, in place of the sum of two immobile ends' inverse masses, which is zero: less than that of
 * any texel, and enough for its products with small lengths to stay normal numbers. */
#define LIMIT_IMMOBILE 1e-9f

/* Share of the summed corrections of a texel that is taken: two yarns of one line pull it, and a
 * whole sum of both would swing for ever. */
#define LIMIT_RELAXATION 0.6f

/* The limit has nothing to do while all yarns of a cloth are shorter than this share of it. */
#define LIMIT_NEARLY 0.95f

/* The length over its rest from which on a yarn counts as near its limit. */
KERNEL_FN float limit_nearly(float longest, float rest) {
    return 1.0f + LIMIT_NEARLY * (longest / rest - 1.0f);
}

/* Velocity change of a texel with inverse mass `own` from the yarn to a neighbour with inverse
 * mass `other`. to and rate are the neighbour's position and velocity relative to it, longest the
 * limit of its length. Both ends share the correction by their inverse masses, so momentum is kept
 * and pins stand. */
KERNEL_FN v3 limit_correction(v3 to, v3 rate, float longest, float time_step, float own,
                              float other) {
    v3 end = v3_madd(to, rate, time_step);
    float length = k_sqrt(k_max(v3_dot(end, end), KERNEL_TINY));
    float excess = k_max(length - longest, 0.0f);
    float both = k_max(own + other, LIMIT_IMMOBILE);
    return v3_scale(end, (own * excess) / (both * length * time_step));
}

/* A yarn of this share of its longest length counts as being at its limit. */
#define LIMIT_REACHED 0.995f

/* The same for velocities alone: a yarn at its limit does not become longer. This is the
 * condition as Vassilev has it, and the second half of a constrained velocity Verlet (Andersen
 * 1983, RATTLE): without it, velocities at the end of a step still hold half a substep's pull of
 * forces that the limit takes away again. */
KERNEL_FN v3 limit_rate_correction(v3 to, v3 rate, float longest, float own, float other) {
    float squared = k_max(v3_dot(to, to), KERNEL_TINY);
    float growth = k_max(v3_dot(to, rate), 0.0f);
    float reached = LIMIT_REACHED * longest;
    float stopped = k_select(squared < reached * reached, 0.0f, growth);
    float both = k_max(own + other, LIMIT_IMMOBILE);
    return v3_scale(to, (own * stopped) / (both * squared));
}

#endif
