#version 430 core
/* Normals where velocities lead, for rest curvature; see cpu/curl.c. */
#include "gl/shaders/cycle.glsl"
#include "gl/shaders/normal.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y);
    if (is_in(level.grid, texel)) {
        set_frame(k);
    }
}
