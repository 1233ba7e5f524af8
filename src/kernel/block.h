/* Symmetric 3 x 3 blocks: what a texel's own place, or that of a neighbour, does to the force on
 * it. */
#ifndef TOILE_KERNEL_BLOCK_H
#define TOILE_KERNEL_BLOCK_H

#include "kernel/vec.h"

KERNEL_STRUCT(block) {
    v3 diagonal; /* xx, yy, zz */
    v3 sides;    /* yz, xz, xy */
};

KERNEL_FN block block_make(v3 diagonal, v3 sides) {
    block b;
    b.diagonal = diagonal;
    b.sides = sides;
    return b;
}

KERNEL_FN block block_zero(void) {
    return block_make(v3_make(0.0f, 0.0f, 0.0f), v3_make(0.0f, 0.0f, 0.0f));
}

KERNEL_FN block block_add(block a, block b) {
    return block_make(v3_add(a.diagonal, b.diagonal), v3_add(a.sides, b.sides));
}

KERNEL_FN block block_scale(block a, float s) {
    return block_make(v3_scale(a.diagonal, s), v3_scale(a.sides, s));
}

/* a + s times the unit matrix. */
KERNEL_FN block block_lift(block a, float s) {
    return block_make(v3_add(a.diagonal, v3_make(s, s, s)), a.sides);
}

KERNEL_FN block block_select(bool which, block if_true, block if_false) {
    return block_make(v3_select(which, if_true.diagonal, if_false.diagonal),
                      v3_select(which, if_true.sides, if_false.sides));
}

/* v v' */
KERNEL_FN block block_outer(v3 v) {
    return block_make(v3_mul(v, v), v3_make(v.y * v.z, v.x * v.z, v.x * v.y));
}

KERNEL_FN v3 block_times(block a, v3 v) {
    return v3_make(a.diagonal.x * v.x + (a.sides.z * v.y + a.sides.y * v.z),
                   a.diagonal.y * v.y + (a.sides.z * v.x + a.sides.x * v.z),
                   a.diagonal.z * v.z + (a.sides.y * v.x + a.sides.x * v.y));
}

/* A determinant below this, in (N/m)^3, is that of a texel that is absent: inertia alone makes
 * 1e-9 N/m of the lightest texel there may be. */
#define BLOCK_NOTHING 1e-30f

/* The inverse of a positive block; zero where there is none. */
KERNEL_FN block block_inverse(block a) {
    v3 d = a.diagonal;
    v3 s = a.sides;
    v3 diagonal = v3_make(d.y * d.z - s.x * s.x, d.x * d.z - s.y * s.y, d.x * d.y - s.z * s.z);
    v3 sides = v3_make(s.y * s.z - d.x * s.x, s.x * s.z - d.y * s.y, s.x * s.y - d.z * s.z);
    float determinant = d.x * diagonal.x + (s.z * sides.z + s.y * sides.y);
    bool there = determinant > BLOCK_NOTHING;
    float inverse = k_select(there, 1.0f, 0.0f) / k_select(there, determinant, 1.0f);
    return block_make(v3_scale(diagonal, inverse), v3_scale(sides, inverse));
}

#endif
