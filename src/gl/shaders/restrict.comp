#version 430 core
/* The positions and multipliers of a coarse level from those of the finer one. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/restrict.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

uniform ivec4 call; /* x: not the first cycle of the substep */

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (is_in(level.grid, texel)) {
        restrict_texel(texel, call.x != 0);
    }
}
