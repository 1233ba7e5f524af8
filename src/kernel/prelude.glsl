/* The language of the kernels, for GLSL 4.30: the counterpart of prelude.h. */
#ifndef TOILE_KERNEL_PRELUDE_H
#define TOILE_KERNEL_PRELUDE_H

#define KERNEL_FN
#define KERNEL_STRUCT(name) struct name
#define k_real float
#define v3 vec3
#define v4 vec4

float k_root(float a) { return sqrt(a); }
float k_sqrt(float a) { return sqrt(a); }
float k_abs(float a) { return abs(a); }
float k_floor(float a) { return floor(a); }
int k_int(float a) { return int(a); }
float k_max(float a, float b) { return a > b ? a : b; }
float k_min(float a, float b) { return a < b ? a : b; }
float k_select(bool which, float if_true, float if_false) { return which ? if_true : if_false; }
vec3 v3_make(float x, float y, float z) { return vec3(x, y, z); }
vec4 v4_make(vec3 a, float w) { return vec4(a, w); }
vec3 v4_xyz(vec4 a) { return a.xyz; }
vec3 v3_add(vec3 a, vec3 b) { return a + b; }
vec3 v3_sub(vec3 a, vec3 b) { return a - b; }
vec3 v3_scale(vec3 a, float s) { return a * s; }
vec3 v3_mul(vec3 a, vec3 b) { return a * b; }
float v3_dot(vec3 a, vec3 b) { return dot(a, b); }
vec3 v3_cross(vec3 a, vec3 b) { return cross(a, b); }

#endif
