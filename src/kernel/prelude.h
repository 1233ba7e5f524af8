/* The language of the kernels, for C and CUDA C. Kernel headers are written in the subset that C17,
 * CUDA C and GLSL 4.30 share: functions of values that return values. prelude.glsl says the same
 * for GLSL. */
#ifndef TOILE_KERNEL_PRELUDE_H
#define TOILE_KERNEL_PRELUDE_H

#if defined(__CUDACC__) || defined(__CUDA__) /* nvcc, clang; both know sqrtf and bool by then */
#define KERNEL_FN static __device__ __forceinline__
#else
#include <math.h>
#include <stdbool.h>

/* Always inlined: a loop over texels with a call in it has no vectors. */
#define KERNEL_FN __attribute__((always_inline)) static inline
#endif

/* KERNEL_STRUCT(name) { members }; GLSL has no typedef, and its old versions no continued lines. */
/* clang-format off */
#define KERNEL_STRUCT(name) typedef struct name name; struct name
/* clang-format on */

typedef struct v3 {
    float x, y, z;
} v3;

typedef struct v4 {
    float x, y, z, w;
} v4;

/* What is summed over a cloth, and what follows from it. */
typedef double k_real;

KERNEL_FN k_real k_root(k_real a) {
    return sqrt(a);
}

KERNEL_FN float k_sqrt(float a) {
    return sqrtf(a);
}

KERNEL_FN float k_abs(float a) {
    return fabsf(a);
}

KERNEL_FN float k_floor(float a) {
    return floorf(a);
}

/* Towards 0. */
KERNEL_FN int k_int(float a) {
    return (int)a;
}

KERNEL_FN float k_max(float a, float b) {
    return a > b ? a : b;
}

KERNEL_FN float k_min(float a, float b) {
    return a < b ? a : b;
}

KERNEL_FN float k_select(bool which, float if_true, float if_false) {
    return which ? if_true : if_false;
}

KERNEL_FN v3 v3_make(float x, float y, float z) {
    v3 a = {x, y, z};
    return a;
}

KERNEL_FN v4 v4_make(v3 a, float w) {
    v4 b = {a.x, a.y, a.z, w};
    return b;
}

KERNEL_FN v3 v4_xyz(v4 a) {
    return v3_make(a.x, a.y, a.z);
}

KERNEL_FN v3 v3_add(v3 a, v3 b) {
    return v3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

KERNEL_FN v3 v3_sub(v3 a, v3 b) {
    return v3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

KERNEL_FN v3 v3_scale(v3 a, float s) {
    return v3_make(a.x * s, a.y * s, a.z * s);
}

KERNEL_FN v3 v3_mul(v3 a, v3 b) {
    return v3_make(a.x * b.x, a.y * b.y, a.z * b.z);
}

KERNEL_FN float v3_dot(v3 a, v3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

KERNEL_FN v3 v3_cross(v3 a, v3 b) {
    return v3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

#endif
