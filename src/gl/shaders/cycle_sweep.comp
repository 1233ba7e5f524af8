#version 430 core
/* A sweep of a level: from the planes of the correction to those of the defect, or back. */
#include "gl/shaders/cycle.glsl"

uniform ivec4 call; /* x: back */

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y);
    if (!is_in(level.grid, texel) || is_settled()) {
        return;
    }
    int from = call.x != 0 ? CYCLE_tx : CYCLE_ex, to = call.x != 0 ? CYCLE_ex : CYCLE_tx;
    float weight = call.x != 0 ? CYCLE_THIRD : CYCLE_SECOND;
    vec3 e = sweep(k, from, weight);
    set_cycle(to, k, level.depth == 0 ? land(k, e)
                                      : sweep_held(k, e, cycle_at(from, k), 1.0 - weight));
}
