/* The planes of Newton's method: device/newton_state.h and gl/newton_planes.h. A pass sets the size of a plane, what is added to places in them,
 * and which plane is the first of the weights of bending, behind which is that of touched texels. */
#ifndef TOILE_GL_NEWTON
#define TOILE_GL_NEWTON

#include "kernel/solve.h"

/* A shader whose threads read what others of their work group write there says `coherent`. */
#ifndef NEWTON_MEMORY
#define NEWTON_MEMORY
#endif

/* One that reads some of them in another buffer says where. */
#ifndef EQUATION
#define EQUATION(i) equations[i]
#endif

/* The height of a texel that no mesh is near is below. */
const float FAR_AWAY = 3.4e38;

layout(std430, binding = BIND_EQUATIONS) NEWTON_MEMORY restrict buffer equation_buffer {
    float equations[];
};

int equation_size, equation_base, equation_weights;

float equation_at(int plane, int k) {
    return EQUATION(plane * equation_size + equation_base + k);
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

/* Which touched texel it is, from 1 on; 0: couplings do not touch it. */
int touched_at(int k) {
    return int(equation_at(equation_weights + TOUCHED_PLANE, k));
}

void set_block(int plane, int k, block value) {
    set_vector(plane, k, value.diagonal);
    set_vector(plane + 3, k, value.sides);
}

#endif
