/* Springs between two texels: structure and shear, Rabenius 2018 section 2.2.
 *
 * A texel has twelve neighbours. Four at one spacing hold its yarns (structure), four at the
 * corners resist shearing, and four at two spacings resist bending; those last, together with the
 * first eight, are in bend.h.
 *
 * Spring constants come from the fabric (cook/springs.c). Each spring is weighted by the cloth it
 * stands for: a yarn on the border carries half a spacing of cloth, one without cloth on either
 * side does not exist. */
#ifndef TOILE_KERNEL_SPRING_H
#define TOILE_KERNEL_SPRING_H

#include "kernel/vec.h"

/* Share of a full-width yarn that the cells on both its sides give it. */
KERNEL_FN float thread_weight(float cell_on_one_side, float cell_on_other_side) {
    return 0.5f * (cell_on_one_side + cell_on_other_side);
}

/* Force on a texel by a spring to a neighbour at `to` from it, which moves with `rate` relative to
 * it. Rabenius eq. (2), with the damping constant written as retardation time * stiffness
 * (Kelvin-Voigt). */
KERNEL_FN v3 spring_force(v3 to, v3 rate, float rest, float stiffness, float retardation) {
    float inverse = v3_inverse_length(to);
    float length = v3_dot(to, to) * inverse;
    float stretch = (length - rest) + retardation * (v3_dot(to, rate) * inverse);
    return v3_scale(to, (stiffness * stretch) * inverse);
}

/* Its energy. */
KERNEL_FN float spring_energy(v3 to, float rest, float stiffness) {
    float stretch = k_sqrt(v3_dot(to, to)) - rest;
    return 0.5f * stiffness * stretch * stretch;
}

#endif
