#version 430 core
/* The last sweep of the finest level, and all of it onto positions. */
#include "gl/shaders/cycle.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y);
    if (!is_in(level.grid, texel) || is_settled()) {
        return;
    }
    vec3 e = land(k, sweep(k, CYCLE_tx, CYCLE_THIRD));
    set_cycle(CYCLE_ex, k, e);
    set_level(LEVEL_x, k, level_at(LEVEL_qx, k) + e);
    /* Floats that are not negative are in the order of their bits. */
    atomicMax(marks[cloth.mark].moved, floatBitsToInt(k_sqrt(v3_dot(e, e))));
}
