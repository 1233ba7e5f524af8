#version 430 core
/* Normals where velocities lead, for rest curvature; see cpu/curl.c. */
#include "gl/shaders/implicit.glsl"
#include "kernel/bend.h"
#include "kernel/spring.h"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

/* From a texel to the one `next` away, as much as the thread between them weighs; cell: the one
 * beside the thread, side: the step to that on its other side. */
vec3 thread_at(int k, int next, int cell, int side) {
    float weight = thread_weight(plane_at(PLANE_coverage, cell),
                                 plane_at(PLANE_coverage, cell - side));
    return (level_at(LEVEL_x, k + next) - level_at(LEVEL_x, k)) * weight;
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y), up = level.grid.stride;
    if (is_in(level.grid, texel)) {
        vec3 along_u = thread_at(k, 1, k, up) - thread_at(k, -1, k - 1, up);
        vec3 along_v = thread_at(k, up, k, 1) - thread_at(k, -up, k - up, 1);
        set_implicit(IMPLICIT_sx, k, bend_normal(along_u, along_v));
    }
}
