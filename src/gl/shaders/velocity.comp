#version 430 core
/* Velocities from positions. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/velocity.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(cloth.grid, texel.x, texel.y);
    if (is_in(cloth.grid, texel) && plane_at(PLANE_inverse_mass, k) > 0.0) {
        set_state(PLANE_vx, k, arrival_velocity(k, state_at(PLANE_x, k), state_at(PLANE_vx, k)));
    }
}
