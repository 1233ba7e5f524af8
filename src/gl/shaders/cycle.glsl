/* What passes of the implicit solver begin with: a grid of a cycle. The finest one is the cloth's. */
#ifndef TOILE_GL_CYCLE
#define TOILE_GL_CYCLE

#include "gl/shaders/level.glsl"
#include "gl/shaders/marks.glsl"
#include "kernel/cycle.h"
#include "kernel/implicit.h"

#ifndef CYCLE_MEMORY
#define CYCLE_MEMORY restrict
#endif
layout(std430, binding = BIND_TABLE) CYCLE_MEMORY buffer cycle_buffer { float cycle[]; };

/* How far texels are from the surface of bodies that they do not touch. */
const float FAR_AWAY = 3.4e38;

float cycle_plane_at(int plane, int k) {
    return cycle[plane * level.grid.size + k];
}

void set_cycle_plane(int plane, int k, float value) {
    cycle[plane * level.grid.size + k] = value;
}

vec3 cycle_at(int plane, int k) {
    return vec3(cycle_plane_at(plane, k), cycle_plane_at(plane + 1, k),
                cycle_plane_at(plane + 2, k));
}

void set_cycle(int plane, int k, vec3 value) {
    set_cycle_plane(plane, k, value.x);
    set_cycle_plane(plane + 1, k, value.y);
    set_cycle_plane(plane + 2, k, value.z);
}

float matrix_at(int plane, int k) {
    return cycle_plane_at(CYCLE_COUNT + plane, k);
}

/* The couplings of a texel with those to the left and right, below and above, and diagonally. */
struct couplings {
    vec2 u, v, rising, falling;
};

couplings couplings_at(int k) {
    int up = level.grid.stride;
    return couplings(vec2(matrix_at(MATRIX_east, k - 1), matrix_at(MATRIX_east, k)),
                     vec2(matrix_at(MATRIX_north, k - up), matrix_at(MATRIX_north, k)),
                     vec2(matrix_at(MATRIX_rising, k - 1 - up), matrix_at(MATRIX_rising, k)),
                     vec2(matrix_at(MATRIX_falling, k - 1), matrix_at(MATRIX_falling, k - up)));
}

/* The sum of coupling * e around a texel: rows below, of it, and above, from left to right. */
vec3 coupled(couplings c, vec3 below[3], vec3 left, vec3 right, vec3 above[3]) {
    vec3 u = c.u.x * left + c.u.y * right;
    vec3 v = c.v.x * below[1] + c.v.y * above[1];
    vec3 rising = c.rising.x * below[0] + c.rising.y * above[2];
    vec3 falling = c.falling.x * above[0] + c.falling.y * below[2];
    return (u + v) + (rising + falling);
}

/* e beginning at a plane. */
vec3 around(int e, int k) {
    int under = k - level.grid.stride, over = k + level.grid.stride;
    return coupled(
        couplings_at(k),
        vec3[3](cycle_at(e, under - 1), cycle_at(e, under), cycle_at(e, under + 1)),
        cycle_at(e, k - 1), cycle_at(e, k + 1),
        vec3[3](cycle_at(e, over - 1), cycle_at(e, over), cycle_at(e, over + 1)));
}

/* A correction of the finest grid, that of a held texel to the surface. */
vec3 land(int k, vec3 e) {
    return grip_move(e, cycle_at(CYCLE_nx, k), cycle_plane_at(CYCLE_gap, k),
                     cycle_plane_at(CYCLE_hold, k));
}

/* What bodies leave of it, or of a force. */
vec3 hold_back(int k, vec3 e) {
    return grip_part(e, cycle_at(CYCLE_nx, k), cycle_plane_at(CYCLE_hold, k));
}

/* A sweep of a coarse grid where it is held. */
vec3 sweep_held(int k, vec3 swept, vec3 e, float kept) {
    return grip_sweep(swept, e, kept, cycle_at(CYCLE_nx, k), cycle_plane_at(CYCLE_hold, k),
                      matrix_at(MATRIX_inverse, k));
}

/* How far a texel has gone against the body that it touches, with the correction of the cycle. */
vec3 gone_at(int k) {
    return cycle_at(CYCLE_gx, k) + (level_at(LEVEL_x, k) - level_at(LEVEL_qx, k));
}

/* A stamp as a float that is exact. */
float row_stamp(int number) {
    return float(number % 1000003);
}

int row_mark(ivec2 texel) {
    return (CYCLE_COUNT + MATRIX_near) * level.grid.size + index_of(level.grid, 0, texel.y);
}

/* Has the cloth had enough iterations in this substep? */
bool is_settled() {
    return marks[cloth.mark].settled != 0;
}

/* near: the sum around the texel. */
vec3 sweep(int k, vec3 e, vec3 near, float weight) {
    vec3 r = cycle_at(CYCLE_rx, k);
    float inverse = matrix_at(MATRIX_inverse, k);
    return vec3(cycle_sweep(e.x, r.x, near.x, inverse, weight),
                cycle_sweep(e.y, r.y, near.y, inverse, weight),
                cycle_sweep(e.z, r.z, near.z, inverse, weight));
}

#endif
