/* Skinning of one vertex: linear blend, and dual quaternions. A driver adds up what the joints of a
 * vertex say, each with its weight, and applies the sum to the bound place of the vertex. The
 * weights of a vertex sum to 1. Any number of joints.
 *
 * Linear blend skinning is the mean of matrices. Where a joint bends or twists far, the mean of two
 * rotations is none: it shrinks, and elbows collapse. Dual-quaternion skinning (Kavan, Collins,
 * Zara, O'Sullivan: Skinning with Dual Quaternions, I3D 2007, algorithm 1) takes the mean of the
 * rigid motions instead, which is a rigid motion again.
 *
 * Joints that scale: the matrix M of a joint is split into a rigid motion and a stretch that comes
 * first, M p = R (S p) + t, where R is the rotation nearest to M. The stretches are blended
 * linearly, then the rigid motions as above (Kavan et al., Geometric Skinning with Approximate Dual
 * Quaternion Blending, 2008, section 4.2). So a vertex with one joint is moved by exactly M, and
 * scaling without turning is the same as with linear blending. */
#ifndef TOILE_KERNEL_SKIN_H
#define TOILE_KERNEL_SKIN_H

#include "kernel/vec.h"

/* A matrix of 3 x 4 that points, as columns with a 1 below, are multiplied by. 12 floats. */
KERNEL_STRUCT(skin_rows) {
    v4 x;
    v4 y;
    v4 z;
};

/* A rigid motion: the rotation as a unit quaternion x y z w, and half the product of the
 * translation, as a quaternion without w, and the rotation. 8 floats. */
KERNEL_STRUCT(skin_motion) {
    v4 real;
    v4 dual;
};

/* What a joint does, for dual-quaternion skinning. The last column of the stretch is 0. 20 floats.
 */
KERNEL_STRUCT(skin_joint) {
    skin_motion motion;
    skin_rows stretch;
};

KERNEL_FN v4 skin_madd(v4 a, v4 b, float s) {
    return v4_make(v3_madd(v4_xyz(a), v4_xyz(b), s), a.w + b.w * s);
}

KERNEL_FN float skin_dot(v4 a, v4 b) {
    return v3_dot(v4_xyz(a), v4_xyz(b)) + a.w * b.w;
}

KERNEL_FN v4 skin_zero(void) {
    return v4_make(v3_make(0.0f, 0.0f, 0.0f), 0.0f);
}

/* ---- linear blend -------------------------------------------------------------------------------
 */

KERNEL_FN skin_rows skin_rows_zero(void) {
    skin_rows m;
    m.x = skin_zero();
    m.y = skin_zero();
    m.z = skin_zero();
    return m;
}

KERNEL_FN skin_rows skin_rows_add(skin_rows sum, float weight, skin_rows m) {
    sum.x = skin_madd(sum.x, m.x, weight);
    sum.y = skin_madd(sum.y, m.y, weight);
    sum.z = skin_madd(sum.z, m.z, weight);
    return sum;
}

KERNEL_FN v3 skin_rows_apply(skin_rows m, v3 p) {
    return v3_make(v3_dot(v4_xyz(m.x), p) + m.x.w, v3_dot(v4_xyz(m.y), p) + m.y.w,
                   v3_dot(v4_xyz(m.z), p) + m.z.w);
}

/* ---- dual quaternions ---------------------------------------------------------------------------
 */

KERNEL_FN skin_motion skin_motion_zero(void) {
    skin_motion sum;
    sum.real = skin_zero();
    sum.dual = skin_zero();
    return sum;
}

/* first: the rotation of the vertex' first joint. q and -q are the same turn; each counts as the
 * one that is on the side of the first, so that all go the shorter way. */
KERNEL_FN skin_motion skin_motion_add(skin_motion sum, v4 first, float weight, skin_motion m) {
    float turned = k_select(skin_dot(first, m.real) < 0.0f, -weight, weight);
    sum.real = skin_madd(sum.real, m.real, turned);
    sum.dual = skin_madd(sum.dual, m.dual, turned);
    return sum;
}

/* By a sum of motions, which need not be a unit: q p q* + 2 (w d - d_w r + r x d), over |q|^2. */
KERNEL_FN v3 skin_motion_apply(skin_motion sum, v3 p) {
    float inverse = 1.0f / k_sqrt(k_max(skin_dot(sum.real, sum.real), KERNEL_TINY));
    v3 r = v3_scale(v4_xyz(sum.real), inverse);
    v3 d = v3_scale(v4_xyz(sum.dual), inverse);
    float r_w = sum.real.w * inverse;
    float d_w = sum.dual.w * inverse;
    v3 turned = v3_cross(r, v3_madd(v3_cross(r, p), p, r_w));
    v3 moved = v3_add(v3_sub(v3_scale(d, r_w), v3_scale(r, d_w)), v3_cross(r, d));
    return v3_madd(p, v3_add(turned, moved), 2.0f);
}

/* The stretches of a vertex are added up by skin_rows_add. */
KERNEL_FN v3 skin_joint_apply(skin_motion sum, skin_rows stretch, v3 p) {
    return skin_motion_apply(sum, skin_rows_apply(stretch, p));
}

#endif
