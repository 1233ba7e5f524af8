#version 430 core
/* Is everything finite? And how texels move: largest numbers of a work group, and of these those of
 * the cloth. Bits of floats that are not negative have the order of these, as integers. */
#include "gl/shaders/implicit.glsl"
#include "kernel/integrate.h"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

shared int gone, fastest, low[3], high[3];

/* Other floats have it, too, as floatBitsToInt with all bits but the sign turned. */
int ordered(float value) {
    int bits = floatBitsToInt(value);
    return bits >= 0 ? bits : bits ^ 0x7fffffff;
}

/* A texel is there where a cell beside it is. */
bool is_there(int k) {
    int below = k - cloth.grid.stride;
    return plane_at(PLANE_coverage, k) + plane_at(PLANE_coverage, k - 1) +
               plane_at(PLANE_coverage, below) + plane_at(PLANE_coverage, below - 1) >
           0.0;
}

void look_at(int k) {
    vec3 x = state_at(PLANE_x, k), v = state_at(PLANE_vx, k);
    vec3 way = x - implicit_at(IMPLICIT_rest_x, k);
    atomicMax(gone, floatBitsToInt(dot(way, way)));
    atomicMax(fastest, floatBitsToInt(dot(v, v)));
    for (int axis = 0; axis < 3; axis++) {
        atomicMin(low[axis], ordered(x[axis]));
        atomicMax(high[axis], ordered(x[axis]));
    }
}

void begin() {
    gone = fastest = 0;
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = 0x7fffffff;
        high[axis] = ~0x7fffffff;
    }
}

void tell(int m) {
    atomicMax(marks[m].gone, gone);
    atomicMax(marks[m].fastest, fastest);
    atomicMin(marks[m].low_x, low[0]);
    atomicMin(marks[m].low_y, low[1]);
    atomicMin(marks[m].low_z, low[2]);
    atomicMax(marks[m].high_x, high[0]);
    atomicMax(marks[m].high_y, high[1]);
    atomicMax(marks[m].high_z, high[2]);
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (gl_LocalInvocationIndex == 0u) {
        begin();
    }
    barrier();
    if (is_in(cloth.grid, texel)) {
        int k = index_of(cloth.grid, texel.x, texel.y);
        if (integrate_failed(state_at(PLANE_x, k), state_at(PLANE_vx, k))) {
            atomicMin(marks[cloth.mark].bad, texel.x + texel.y * cloth.grid.columns);
        }
        if (is_there(k)) {
            look_at(k);
        }
    }
    barrier();
    if (gl_LocalInvocationIndex == 0u) {
        tell(cloth.mark);
    }
}
