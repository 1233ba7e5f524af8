/* Texels that are too near each other, in Newton's method: springs of kernel/self.h. Which texels
 * have one and along which direction is found once in a substep; which of them act in each
 * iteration, for texels move in it. */
#ifndef TOILE_KERNEL_REPEL_H
#define TOILE_KERNEL_REPEL_H

#include "kernel/newton.h"
#include "kernel/self.h"

/* How far a spring is pressed, m; apart: from the partner to the texel. */
KERNEL_FN float repel_depth(v3 apart, v3 direction, float rest) {
    return rest - v3_dot(apart, direction);
}

/* Its stiffness in the iteration. */
KERNEL_FN float repel_acting(float stiffness, float depth) {
    return k_select(depth > 0.0f, stiffness, 0.0f);
}

/* What all springs of a texel do to it. */
KERNEL_STRUCT(repelled) {
    block matrix; /* N/m */
    v3 force;     /* N */
};

KERNEL_FN repelled repel_none(void) {
    repelled r;
    r.matrix = block_zero();
    r.force = v3_make(0.0f, 0.0f, 0.0f);
    return r;
}

/* A spring more. */
KERNEL_FN repelled repel_add(repelled r, v3 direction, float acting, float depth) {
    r.matrix = block_add(r.matrix, newton_press_block(direction, acting));
    r.force = v3_madd(r.force, direction, acting * depth);
    return r;
}

/* What the other ends make of their moves, one more: the texel's own block has the rest. */
KERNEL_FN v3 repel_product(v3 sum, v3 direction, float acting, v3 moved) {
    return v3_madd(sum, direction, -acting * v3_dot(moved, direction));
}

#endif
