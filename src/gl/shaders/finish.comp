#version 430 core
/* The end of a substep with at most one body. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/finish.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

uniform ivec4 call; /* x: texels respond to the body */

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (is_in(cloth.grid, texel)) {
        int k = index_of(cloth.grid, texel.x, texel.y);
        finish_texel(k, level_at(LEVEL_x, k), call.x != 0);
    }
}
