/* The planes of Newton's method, as kernel/system.h loads them. A pass sets the size of a plane, and
 * what is added to places in them. */
#ifndef TOILE_GL_NEWTON
#define TOILE_GL_NEWTON

#include "kernel/block.h"

layout(std430, binding = BIND_EQUATIONS) restrict buffer equation_buffer { float equations[]; };
layout(std430, binding = BIND_PARTS) restrict buffer part_buffer { float parts[]; };

int equation_size, equation_base, equation_weights;

float equation_at(int plane, int k) {
    return equations[plane * equation_size + equation_base + k];
}

void set_equation(int plane, int k, float value) {
    equations[plane * equation_size + equation_base + k] = value;
}

vec3 vector_at(int plane, int k) {
    return vec3(equation_at(plane, k), equation_at(plane + 1, k), equation_at(plane + 2, k));
}

void set_vector(int plane, int k, vec3 value) {
    set_equation(plane, k, value.x);
    set_equation(plane + 1, k, value.y);
    set_equation(plane + 2, k, value.z);
}

block block_at(int plane, int k) {
    return block_make(vector_at(plane, k), vector_at(plane + 3, k));
}

void set_block(int plane, int k, block value) {
    set_vector(plane, k, value.diagonal);
    set_vector(plane + 3, k, value.sides);
}

/* A shader that has what it multiplies elsewhere says how it names a texel, and which part of that
 * is its place in the planes. */
#ifndef PLACE
#define PLACE int
#endif
#ifndef EQUATION_PLACE
#define EQUATION_PLACE(k) (k)
#endif
#define SYSTEM
#define SYSTEM_HERE

/* The shader's own: what the matrix is multiplied with. */
vec3 load_move(PLACE k);

float load_inertia(PLACE k) {
    return equation_at(EQ_inertia, EQUATION_PLACE(k));
}

vec4 load_spring(int q, PLACE k) {
    int plane = EQ_springs + 4 * q, at = EQUATION_PLACE(k);
    return vec4(vector_at(plane, at), equation_at(plane + 3, at));
}

block load_block(int q, PLACE k) {
    return block_at(EQ_east + 6 * q, EQUATION_PLACE(k));
}

float load_weight(int w, PLACE k) {
    return equation_at(equation_weights + w, EQUATION_PLACE(k));
}

#include "kernel/system.h"
#include "kernel/system_bend.h"
#include "kernel/solve.h"

#endif
