/* What every pass over the texels of a cloth begins with. */
#ifndef TOILE_GL_TEXEL
#define TOILE_GL_TEXEL

#include "kernel/prelude.glsl"
#include "kernel/vec.h"
#include "gl/planes.glsl"
#include "gl/blocks.h"

layout(std140, binding = BIND_CLOTH) uniform cloth_uniform { cloth_block cloth; };
layout(std430, binding = BIND_STATE) restrict buffer state_buffer { float state[]; };

uniform int substep;

/* How files that other devices share name a texel, and the step to the next one of its row. */
#define PLACE int
#define RIGHT 1

int index_of(grid_block g, int column, int row) {
    return g.first + row * g.stride + column;
}

bool is_in(grid_block g, ivec2 texel) {
    return texel.x < g.columns && texel.y < g.rows;
}

float plane_at(int plane, int k) {
    return state[plane * cloth.grid.size + k];
}

vec3 state_at(int plane, int k) {
    return vec3(plane_at(plane, k), plane_at(plane + 1, k), plane_at(plane + 2, k));
}

void set_state(int plane, int k, vec3 value) {
    int at = plane * cloth.grid.size + k;
    state[at] = value.x;
    state[at + cloth.grid.size] = value.y;
    state[at + 2 * cloth.grid.size] = value.z;
}

#endif
