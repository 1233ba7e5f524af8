#version 430 core
/* What the first sweep of a level has left of the forces. */
#include "gl/shaders/cycle.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y);
    if (!is_in(level.grid, texel) || is_settled()) {
        return;
    }
    vec3 r = cycle_at(CYCLE_rx, k), near = around(CYCLE_ex, k);
    vec3 t = vec3(cycle_defect(r.x, near.x, CYCLE_FIRST), cycle_defect(r.y, near.y, CYCLE_FIRST),
                  cycle_defect(r.z, near.z, CYCLE_FIRST));
    set_cycle(CYCLE_tx, k, level.depth == 0 ? hold_back(k, t) : t);
}
