#version 430 core
/* Pressed texels leave bodies that reflect; see cpu/implicit.c. */
#include "gl/shaders/implicit.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y);
    if (!is_in(level.grid, texel) || !(implicit_plane_at(IMPLICIT_hold, k) > 0.0)) {
        return;
    }
    vec3 leaves = implicit_at(IMPLICIT_nx, k) * implicit_plane_at(IMPLICIT_back, k);
    set_state(PLANE_vx, k, state_at(PLANE_vx, k) + leaves);
}
