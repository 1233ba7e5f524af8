#version 430 core
/* Texels that get to the only body: place and velocity. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/respond.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(cloth.grid, texel.x, texel.y);
    if (!is_in(cloth.grid, texel) || !(plane_at(PLANE_inverse_mass, k) > 0.0)) {
        return;
    }
    vec3 p = state_at(PLANE_x, k), v = state_at(PLANE_vx, k);
    respond(k, 0, p, v);
    set_state(PLANE_x, k, p);
    set_state(PLANE_vx, k, v);
}
