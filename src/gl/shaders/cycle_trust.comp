#version 430 core
/* Velocities multiplied for the work of what iterations have left. */
#include "gl/shaders/cycle.glsl"
#include "gl/shaders/trust.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (is_in(cloth.grid, texel)) {
        int k = index_of(cloth.grid, texel.x, texel.y);
        set_state(PLANE_vx, k, trusted_velocity(k, state_at(PLANE_vx, k)));
    }
}
