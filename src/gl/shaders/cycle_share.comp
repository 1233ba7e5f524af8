#version 430 core
/* Of their way in a substep, what texels take (kernel/implicit.h). */
#include "gl/shaders/cycle.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void main() {
    mark_block m = marks[cloth.mark];
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(cloth.grid, texel.x, texel.y);
    if (m.share < 1.0 && is_in(cloth.grid, texel) && plane_at(PLANE_inverse_mass, k) > 0.0) {
        vec3 start = state_at(PLANE_x, k), way = level_at(LEVEL_x, k) - start;
        set_level(LEVEL_x, k, start + way * m.share);
    }
}
