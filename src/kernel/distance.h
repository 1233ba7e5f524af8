/* Distance constraints: Schmitt 2013 eq. (1), after Mueller et al. 2007, with the compliance of
 * Macklin, Mueller & Chentanez 2016 (XPBD).
 *
 * Two texels with inverse masses w1, w2 at a distance `length` have a rest length. Eq. (1) moves
 * them by  k w_i / (w1 + w2) (length - rest)  along their edge. XPBD keeps the sum of what an edge
 * has done in a substep, its multiplier L (force times time_step^2, negative when it pulls), and
 * moves by w_i dL with dL = -(C + a L) / (w1 + w2 + a),    C = length - rest,    a = 1 / (stiffness
 * time_step^2): at rest C = -a L whatever the number of iterations, which is Hooke's law. With a =
 * 0 it is eq. (1) with k = 1.
 *
 * An edge of weight s (thread_weight in spring.h) has the stiffness s times that of a full one, so
 * a / s stands for a above. L is kept as that of a full one, L / s: it is then the same across a
 * strip, border included, on all levels, and goes from one to the next by mere interpolation. */
#ifndef TOILE_KERNEL_DISTANCE_H
#define TOILE_KERNEL_DISTANCE_H

#include "kernel/vec.h"

/* In place of a divisor of zero, which two immobile ends of a rigid edge have: less than that of
 * any texel. */
#define DISTANCE_IMMOBILE 1e-9f

/* Change of the multiplier of a full edge in its place: the edge itself pulls weight times that. */
KERNEL_FN float distance_change(float length, float rest, float weight, float multiplier,
                                float compliance, float inverse_masses) {
    float divisor = k_max(weight * inverse_masses + compliance, DISTANCE_IMMOBILE);
    return -((length - rest) + compliance * multiplier) / divisor;
}

/* The same for edges of coarse levels, which never push: a fold between their ends makes them
 * shorter without compressing anything (Schmitt section 6: compression on the finest level only).
 * They give back what they have pulled since they began with the multiplier `most`, and not what
 * finer levels pulled in cycles before: an edge that did fed on what it had caused there. */
KERNEL_FN float distance_change_pull(float length, float rest, float weight, float multiplier,
                                     float compliance, float inverse_masses, float relaxation,
                                     float most) {
    float change =
        relaxation * distance_change(length, rest, weight, multiplier, compliance, inverse_masses);
    return k_min(multiplier + change, most) - multiplier;
}

/* What to move texels by, times their inverse masses and along the edge: the pull -dL of the edge
 * (change is that of the edge itself, weight applied), or more where the edge would stay longer
 * than its strain limit allows. The limit is a hard constraint of its own and not part of the
 * multiplier, or the compliance would give way to it later. */
KERNEL_FN float distance_pull(float change, float length, float longest, float inverse_masses) {
    float excess = (length - longest) / k_max(inverse_masses, DISTANCE_IMMOBILE);
    return k_select(length > longest, k_max(-change, excess), -change);
}

#endif
