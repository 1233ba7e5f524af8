#version 430 core
/* Held texels leave bodies that reflect; see cpu/grip.c. */
#include "gl/shaders/cycle.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y);
    if (!is_in(level.grid, texel) || !(cycle_plane_at(CYCLE_hold, k) > 0.0)) {
        return;
    }
    vec3 leaves = cycle_at(CYCLE_nx, k) * cycle_plane_at(CYCLE_back, k);
    set_state(PLANE_vx, k, state_at(PLANE_vx, k) + leaves);
}
