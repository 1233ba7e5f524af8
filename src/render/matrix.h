/* Vectors as the kernels have them, plus what a camera needs. Matrices are stored by columns, as
 * OpenGL wants them. */
#ifndef TOILE_RENDER_MATRIX_H
#define TOILE_RENDER_MATRIX_H

#include <math.h>

#include "kernel/prelude.h"
#include "kernel/vec.h"

typedef struct mat4 {
    float m[16];
} mat4;

static inline v3 v3_load(const float a[3]) {
    return v3_make(a[0], a[1], a[2]);
}

static inline void v3_store(float out[3], v3 a) {
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}

static inline v3 v3_normalize(v3 a) {
    return v3_scale(a, v3_inverse_length(a));
}

static inline float v3_length(v3 a) {
    return sqrtf(v3_dot(a, a));
}

/* By a unit quaternion x, y, z, w. */
static inline v3 v3_rotate(v3 a, const float q[4]) {
    v3 u = v3_make(q[0], q[1], q[2]);
    v3 t = v3_scale(v3_cross(u, a), 2.0f);
    return v3_add(v3_madd(a, t, q[3]), v3_cross(u, t));
}

/* Any unit vector at a right angle to the unit vector a. */
static inline v3 v3_across(v3 a) {
    v3 other = fabsf(a.y) < 0.9f ? v3_make(0.0f, 1.0f, 0.0f) : v3_make(0.0f, 0.0f, 1.0f);
    return v3_normalize(v3_cross(other, a));
}

/* a b: b is applied first. */
static inline mat4 mat4_multiply(mat4 a, mat4 b) {
    mat4 c;
    for (int column = 0; column < 4; column++) {
        for (int row = 0; row < 4; row++) {
            float sum = 0.0f;
            for (int k = 0; k < 4; k++) {
                sum += a.m[4 * k + row] * b.m[4 * column + k];
            }
            c.m[4 * column + row] = sum;
        }
    }
    return c;
}

/* The affine map whose three outputs are dot(rows[i], p) + offset[i]. */
static inline mat4 mat4_affine(const v3 rows[3], const float offset[3]) {
    return (mat4){{rows[0].x, rows[1].x, rows[2].x, 0.0f, rows[0].y, rows[1].y, rows[2].y, 0.0f,
                   rows[0].z, rows[1].z, rows[2].z, 0.0f, offset[0], offset[1], offset[2], 1.0f}};
}

#endif
