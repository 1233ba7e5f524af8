#version 430 core
/* Is everything finite? */
#include "gl/shaders/texel.glsl"
#include "gl/shaders/marks.glsl"
#include "kernel/integrate.h"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(cloth.grid, texel)) {
        return;
    }
    int k = index_of(cloth.grid, texel.x, texel.y);
    if (integrate_failed(state_at(PLANE_x, k), state_at(PLANE_vx, k))) {
        atomicMin(marks[cloth.mark].bad, texel.x + texel.y * cloth.grid.columns);
    }
}
