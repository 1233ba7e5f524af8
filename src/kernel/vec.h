/* Small helpers over the vectors of the prelude. */
#ifndef TOILE_KERNEL_VEC_H
#define TOILE_KERNEL_VEC_H

#include "kernel/prelude.h"

/* Shortest squared length that is divided by: keeps texels that fell together from making
 * infinities, and lies far below the square of the smallest spacing. */
#define KERNEL_TINY 1e-24f

KERNEL_FN v3 v3_madd(v3 a, v3 b, float s) {
    return v3_add(a, v3_scale(b, s));
}

/* The one at 0, the other at 1. */
KERNEL_FN v3 v3_mix(v3 a, v3 b, float t) {
    return v3_madd(v3_scale(a, 1.0f - t), b, t);
}

KERNEL_FN v3 v3_min(v3 a, v3 b) {
    return v3_make(k_min(a.x, b.x), k_min(a.y, b.y), k_min(a.z, b.z));
}

KERNEL_FN v3 v3_max(v3 a, v3 b) {
    return v3_make(k_max(a.x, b.x), k_max(a.y, b.y), k_max(a.z, b.z));
}

/* Its largest coordinate, whatever the sign. */
KERNEL_FN float v3_largest(v3 a) {
    return k_max(k_max(k_abs(a.x), k_abs(a.y)), k_abs(a.z));
}

KERNEL_FN float v3_inverse_length(v3 a) {
    return 1.0f / k_sqrt(k_max(v3_dot(a, a), KERNEL_TINY));
}

KERNEL_FN v3 v3_select(bool which, v3 if_true, v3 if_false) {
    return v3_make(k_select(which, if_true.x, if_false.x), k_select(which, if_true.y, if_false.y),
                   k_select(which, if_true.z, if_false.z));
}

/* The greater of a number and 0, written as a sum: compilers make no vectors of a loop that has a
 * branch instead. */
KERNEL_FN float positive_part(float a) {
    return 0.5f * (a + k_abs(a));
}

#endif
