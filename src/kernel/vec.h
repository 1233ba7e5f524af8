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
