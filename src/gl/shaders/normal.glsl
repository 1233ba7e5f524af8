/* The normal of the cloth at a texel of the finest grid, as in cpu/forces.h. */
#ifndef TOILE_GL_NORMAL
#define TOILE_GL_NORMAL

#include "gl/shaders/level.glsl"
#include "kernel/spring.h"
#include "kernel/sway.h"

/* From a texel to the one `next` away, as much as the thread between them weighs; cell: the one
 * beside the thread, side: the step to that on its other side. */
vec3 thread_at(int k, int next, int cell, int side) {
    float weight = thread_weight(plane_at(PLANE_coverage, cell),
                                 plane_at(PLANE_coverage, cell - side));
    return (level_at(LEVEL_x, k + next) - level_at(LEVEL_x, k)) * weight;
}

/* Keeps the normal, and the tangent a. */
void set_frame(int k) {
    int up = level.grid.stride;
    vec3 along_u = thread_at(k, 1, k, up) - thread_at(k, -1, k - 1, up);
    vec3 along_v = thread_at(k, up, k, 1) - thread_at(k, -up, k - up, 1);
    vec3 normal = sway_normal(along_u, along_v);
    set_cycle(CYCLE_sx, k, normal);
    set_cycle(CYCLE_ax, k, sway_tangent(along_u, along_v, normal));
}

#endif
