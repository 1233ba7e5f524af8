/* A grid of the cycle for moves along the cloth's normals, as in cpu/sway.c. */
#ifndef TOILE_GL_SWAY
#define TOILE_GL_SWAY

#include "gl/shaders/cycle.glsl"
#include "kernel/sway.h"

/* The couplings of a texel, as cycle.glsl has those of the other cycle. */
couplings sways_at(int k) {
    int up = level.grid.stride;
    return couplings(
        vec2(cycle_plane_at(SWAY_EAST, k - 1), cycle_plane_at(SWAY_EAST, k)),
        vec2(cycle_plane_at(SWAY_NORTH, k - up), cycle_plane_at(SWAY_NORTH, k)),
        vec2(cycle_plane_at(SWAY_RISING, k - 1 - up), cycle_plane_at(SWAY_RISING, k)),
        vec2(cycle_plane_at(SWAY_FALLING, k - 1), cycle_plane_at(SWAY_FALLING, k - up)));
}

/* The sum of coupling * way around a texel: rows below, of it, and above, from left to right. */
float swayed(couplings c, vec3 below, float left, float right, vec3 above) {
    float u = c.u.x * left + c.u.y * right;
    float v = c.v.x * below.y + c.v.y * above.y;
    float rising = c.rising.x * below.x + c.rising.y * above.z;
    float falling = c.falling.x * above.x + c.falling.y * below.z;
    return (u + v) + (rising + falling);
}

#endif
