#version 430 core
/* Unbalanced forces, which bodies hold, and the first sweep. */
#include "gl/shaders/cycle.glsl"
#define FORCE_FROM LEVEL_qx
#include "gl/shaders/forces.glsl"
#include "gl/shaders/grip.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y);
    if (!is_in(level.grid, texel) || is_settled()) {
        return;
    }
    vec3 r = grip_at(k, level_at(LEVEL_qx, k), force_at(k).force);
    float inverse = matrix_at(MATRIX_inverse, k), hold = cycle_plane_at(CYCLE_hold, k);
    float same = v3_dot(cycle_at(CYCLE_nx, k), cycle_at(CYCLE_sx, k));
    set_cycle_plane(CYCLE_glue, k, grip_glue(hold, same, cloth.spacing, inverse));
    r = hold_back(k, r);
    set_cycle(CYCLE_rx, k, r);
    set_cycle(CYCLE_ex, k, land(k, CYCLE_FIRST * inverse * r));
    if (cycle_plane_at(CYCLE_gap, k) < FAR_AWAY) {
        marks[cloth.mark].gripped = stamp;
    }
}
