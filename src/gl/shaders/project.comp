#version 430 core
/* Texels of a coarse level out of shapes. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/project.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (is_in(level.grid, texel)) {
        int k = index_of(level.grid, texel.x, texel.y);
        set_level(LEVEL_x, k, projected_out(k, level_at(LEVEL_x, k)));
    }
}
