#version 430 core
/* Accelerations to velocities. */
#include "gl/shaders/texel.glsl"
#include "gl/shaders/integrate.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

uniform float share;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(cloth.grid, texel.x, texel.y);
    if (!is_in(cloth.grid, texel) || !(plane_at(PLANE_inverse_mass, k) > 0.0)) {
        return;
    }
    set_state(PLANE_vx, k, integrated(state_at(PLANE_vx, k), state_at(PLANE_ax, k), share));
}
