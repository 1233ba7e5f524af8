#version 430 core
/* What the next coarser level has changed, added to this one. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/upsample.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

uniform ivec4 call; /* x: beside */

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (is_in(level.grid, texel)) {
        upsample_texel(texel, call.x != 0);
    }
}
