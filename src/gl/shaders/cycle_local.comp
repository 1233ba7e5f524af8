#version 430 core
/* Each texel moved by itself: from x to q, and ahead of there. */
#include "gl/shaders/cycle.glsl"
#define FORCE_FROM  LEVEL_x
#define FORCE_AHEAD CYCLE_bx
#include "gl/shaders/forces.glsl"
#include "gl/shaders/grip.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

uniform ivec4 call; /* x: the iteration */

float blurred_row(int plane, int k) {
    return grip_blur(cycle_plane_at(plane, k - 1), cycle_plane_at(plane, k),
                     cycle_plane_at(plane, k + 1));
}

float blurred(int plane, int k) {
    int up = level.grid.stride;
    return grip_blur(blurred_row(plane, k - up), blurred_row(plane, k), blurred_row(plane, k + up));
}

void blur_limit(int k) {
    int inertia = CYCLE_COUNT + MATRIX_inertia;
    set_cycle_plane(CYCLE_most, k, grip_blurred(matrix_at(MATRIX_inertia, k),
                                                blurred(CYCLE_limit, k), blurred(inertia, k)));
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y);
    if (!is_in(level.grid, texel) || is_settled()) {
        return;
    }
    if (call.x == 0) {
        blur_limit(k);
    }
    spring_sum at = force_at(k);
    vec3 x = level_at(LEVEL_x, k), r = grip_at(k, x, at.force);
    float gap = cycle_plane_at(CYCLE_gap, k);
    vec3 e = gap < FAR_AWAY ? grip_block(at.diagonal, at.sides, r, cycle_at(CYCLE_nx, k), gap,
                                         GRIP_MOST_PUSH * matrix_at(MATRIX_inertia, k))
                            : block_solve(at.diagonal, at.sides, r);
    vec3 q = x + e;
    set_level(LEVEL_qx, k, q);
    set_cycle(CYCLE_cx, k, v3_madd(q, q - state_at(PLANE_x, k), cloth.bend_lag));
}
