#version 430 core
/* Positions ahead by the retardation of bending. */
#include "gl/shaders/cycle.glsl"

uniform ivec4 call; /* x: the iteration */

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y);
    if (!is_in(level.grid, texel) || is_settled()) {
        return;
    }
    vec3 x = level_at(LEVEL_x, k);
    set_cycle(CYCLE_bx, k, v3_madd(x, x - state_at(PLANE_x, k), cloth.bend_lag));
    if (call.x == 0) {
        set_cycle_plane(CYCLE_glue, k, 0.0);
    }
}
