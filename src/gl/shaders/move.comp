#version 430 core
/* Velocities to positions. */
#include "gl/shaders/texel.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(cloth.grid, texel)) {
        return;
    }
    int k = index_of(cloth.grid, texel.x, texel.y);
    set_state(PLANE_x, k, v3_madd(state_at(PLANE_x, k), state_at(PLANE_vx, k), cloth.substep));
}
