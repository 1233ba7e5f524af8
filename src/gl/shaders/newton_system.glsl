/* The planes of Newton's method as kernel/system.h loads them. */
#ifndef TOILE_GL_NEWTON_SYSTEM
#define TOILE_GL_NEWTON_SYSTEM

#include "gl/shaders/newton.glsl"

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

float load_bend(int w, PLACE k) {
    return equation_at(equation_weights + w, EQUATION_PLACE(k));
}

#include "kernel/system.h"
#include "kernel/system_bend.h"

#endif
