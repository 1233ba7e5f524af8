#version 430 core
/* Friction at the end of the substep. */
#include "gl/shaders/cycle.glsl"
#include "gl/shaders/keep.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y);
    if (!is_in(level.grid, texel)) {
        return;
    }
    vec3 x = state_at(PLANE_x, k), v = state_at(PLANE_vx, k);
    keep(texel, k, x, v);
    set_state(PLANE_x, k, x);
    set_state(PLANE_vx, k, v);
}
