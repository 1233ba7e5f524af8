#version 430 core
/* Where texels get to without constraints, whose multipliers begin at zero. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/predict.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(cloth.grid, texel)) {
        return;
    }
    int k = index_of(cloth.grid, texel.x, texel.y);
    vec3 v = predicted_velocity(k);
    set_state(PLANE_vx, k, v);
    /* Before bending, if there is any, which goes from there to x, y, z. */
    int to = level.bend_taken > 0.0 ? LEVEL_qx : LEVEL_x;
    set_level(to, k, v3_madd(state_at(PLANE_x, k), v, cloth.substep));
    for (int plane = LEVEL_push; plane <= LEVEL_lf; plane++) {
        set_level_plane(plane, k, 0.0);
    }
}
