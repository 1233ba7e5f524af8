#version 430 core
/* Normals where velocities lead, for rest curvature; see cpu/curl.c. */
#include "gl/shaders/cycle.glsl"
#include "kernel/spring.h"
#include "kernel/sway.h"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

vec3 tangent_at(int k, int next, int side) {
    vec3 here = level_at(LEVEL_x, k);
    bool before = thread_weight(plane_at(PLANE_coverage, k - next),
                                plane_at(PLANE_coverage, k - next - side)) > 0.0;
    bool after = thread_weight(plane_at(PLANE_coverage, k), plane_at(PLANE_coverage, k - side)) >
                 0.0;
    return v3_select(after, level_at(LEVEL_x, k + next), here) -
           v3_select(before, level_at(LEVEL_x, k - next), here);
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y), up = level.grid.stride;
    if (is_in(level.grid, texel)) {
        set_cycle(CYCLE_cx, k, sway_normal(tangent_at(k, 1, up), tangent_at(k, up, 1)));
    }
}
