#version 430 core
/* An iteration of Jacobi. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/jacobi.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

/* The planes that positions are read from and written to, and those of the multipliers. */
uniform ivec4 call;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(level.grid, texel)) {
        return;
    }
    int k = index_of(level.grid, texel.x, texel.y);
    jacobi_texel next = jacobi_at(jacobi_planes(call.x, call.z), k);
    set_level(call.y, k, next.position);
    set_level_plane(call.w + KIND_U, k, next.east);
    set_level_plane(call.w + KIND_V, k, next.north);
    set_level_plane(call.w + KIND_RISING, k, next.rise);
    set_level_plane(call.w + KIND_FALLING, k - 1, next.fall);
}
