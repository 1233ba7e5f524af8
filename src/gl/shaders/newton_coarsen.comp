#version 430 core
/* The matrix of a level from that of the finer one. A work group has COARSEN_ROWS rows of a tile:
 * the finer rows that they lie on and those beside them get half as long first, in shared memory;
 * then three of those make a coarse one. */
#include "gl/shaders/newton_coupled.glsl"
#include "kernel/coarsen.h"
#include "kernel/link.h"

const int WIDE = UP_COLUMNS + 2, HIGH = 2 * COARSEN_ROWS + 1, HALVED = WIDE * HIGH;

layout(local_size_x = COARSEN_THREADS) in;

layout(std430, binding = BIND_COARSER) restrict readonly buffer finer_buffer { float finer[]; };

/* From a column before the tile, and a row before the one that its first lies on. */
shared float halved[6 * (SYSTEM_LINKS + 1)][HALVED];

system_block fine;

float finer_at(int plane, int k) {
    return finer[plane * fine.size + k];
}

vec3 finer_vector(int plane, int k) {
    return vec3(finer_at(plane, k), finer_at(plane + 1, k), finer_at(plane + 2, k));
}

block finer_block(int plane, int k) {
    return block_make(finer_vector(plane, k), finer_vector(plane + 3, k));
}

/* A block of the finer level. The finest one keeps springs instead. */
block fine_at(int q, int column, int row) {
    int k = fine.first + row * fine.stride + column, up = fine.stride;
    if (column < 0 || row < 0 || column >= fine.columns || row >= fine.rows) {
        return block_zero();
    }
    if (call.w > 1) {
        return finer_block(EQ_east + 6 * q, k);
    }
    float inertia = finer_at(EQ_inertia, k);
    if (q == SYSTEM_OWN) {
        return block_scale(finer_block(EQ_own, k), k_select(inertia > 0.0, 1.0, 0.0));
    }
    int plane = EQ_springs + 4 * q;
    return solve_link(vec4(finer_vector(plane, k), finer_at(plane + 3, k)), inertia,
                      finer_at(EQ_inertia, k + link_to(q, up)));
}

vec3 own3(vec3 a, vec3 b, vec3 c, vec3 d, vec3 e) {
    return vec3(coarsen_own(a.x, b.x, c.x, d.x, e.x), coarsen_own(a.y, b.y, c.y, d.y, e.y),
                coarsen_own(a.z, b.z, c.z, d.z, e.z));
}

block own_of(block a, block b, block c, block d, block e) {
    return block_make(own3(a.diagonal, b.diagonal, c.diagonal, d.diagonal, e.diagonal),
                      own3(a.sides, b.sides, c.sides, d.sides, e.sides));
}

vec3 tie3(vec3 a, vec3 b, vec3 c) {
    return vec3(coarsen_tie(a.x, b.x, c.x), coarsen_tie(a.y, b.y, c.y), coarsen_tie(a.z, b.z, c.z));
}

block tie_of(block a, block b, block c) {
    return block_make(tie3(a.diagonal, b.diagonal, c.diagonal), tie3(a.sides, b.sides, c.sides));
}

vec3 across3(vec3 a, vec3 b, vec3 c, vec3 d, vec3 e, vec3 f, vec3 g) {
    return vec3(coarsen_across(a.x, b.x, c.x, d.x, e.x, f.x, g.x),
                coarsen_across(a.y, b.y, c.y, d.y, e.y, f.y, g.y),
                coarsen_across(a.z, b.z, c.z, d.z, e.z, f.z, g.z));
}

block across_of(block a, block b, block c, block d, block e, block f, block g) {
    return block_make(across3(a.diagonal, b.diagonal, c.diagonal, d.diagonal, e.diagonal,
                              f.diagonal, g.diagonal),
                      across3(a.sides, b.sides, c.sides, d.sides, e.sides, f.sides, g.sides));
}

void keep_half(int q, int i, block b) {
    for (int axis = 0; axis < 3; axis++) {
        halved[6 * q + axis][i] = b.diagonal[axis];
        halved[6 * q + 3 + axis][i] = b.sides[axis];
    }
}

block half_at(int q, int i) {
    return block_make(vec3(halved[6 * q][i], halved[6 * q + 1][i], halved[6 * q + 2][i]),
                      vec3(halved[6 * q + 3][i], halved[6 * q + 4][i], halved[6 * q + 5][i]));
}

/* i, row: of the finer level. */
void halve(int place, int i, int row) {
    block own = fine_at(SYSTEM_OWN, i + 1, row), east = fine_at(SYSTEM_EAST, i, row);
    keep_half(SYSTEM_OWN, place,
              own_of(fine_at(SYSTEM_OWN, i - 1, row), fine_at(SYSTEM_OWN, i, row), own,
                     fine_at(SYSTEM_EAST, i - 1, row), east));
    keep_half(SYSTEM_EAST, place, tie_of(own, east, fine_at(SYSTEM_EAST, i + 1, row)));
    block before = fine_at(SYSTEM_NORTH, i - 1, row), after = fine_at(SYSTEM_NORTH, i + 1, row);
    block rise = fine_at(SYSTEM_RISE, i, row), left = fine_at(SYSTEM_LEFT, i, row);
    keep_half(SYSTEM_NORTH, place,
              across_of(before, fine_at(SYSTEM_NORTH, i, row), after,
                        fine_at(SYSTEM_RISE, i - 1, row), rise, left,
                        fine_at(SYSTEM_LEFT, i + 1, row)));
    keep_half(SYSTEM_RISE, place, tie_of(after, rise, fine_at(SYSTEM_RISE, i + 1, row)));
    keep_half(SYSTEM_LEFT, place, tie_of(before, fine_at(SYSTEM_LEFT, i - 1, row), left));
}

/* The blocks of a coarse texel; here: its place among those that are halved. */
void join(int here, int k) {
    int under = here - WIDE, over = here + WIDE;
    block own = own_of(half_at(SYSTEM_OWN, under), half_at(SYSTEM_OWN, here),
                       half_at(SYSTEM_OWN, over), half_at(SYSTEM_NORTH, under),
                       half_at(SYSTEM_NORTH, here));
    set_block(EQ_block, k, own);
    int touched = panel.coupled != 0 ? touched_at(k) : 0;
    block moved = touched != 0 ? block_add(own, own_touched(touched - 1)) : own;
    set_block(EQ_inverse, k, solve_inverse(moved, panel.bend, own.diagonal.x > 0.0));
    set_block(EQ_east, k,
              across_of(half_at(SYSTEM_EAST, under), half_at(SYSTEM_EAST, here),
                        half_at(SYSTEM_EAST, over), half_at(SYSTEM_RISE, under),
                        half_at(SYSTEM_RISE, here), half_at(SYSTEM_LEFT, under + 1),
                        half_at(SYSTEM_LEFT, here + 1)));
    set_block(EQ_north, k, tie_of(half_at(SYSTEM_OWN, over), half_at(SYSTEM_NORTH, here),
                                  half_at(SYSTEM_NORTH, over)));
    set_block(EQ_rise, k, tie_of(half_at(SYSTEM_EAST, over), half_at(SYSTEM_RISE, here),
                                 half_at(SYSTEM_RISE, over)));
    set_block(EQ_left, k, tie_of(half_at(SYSTEM_EAST, over - 1), half_at(SYSTEM_LEFT, here),
                                 half_at(SYSTEM_LEFT, over)));
}

void main() {
    enter_tile();
    fine = panels[call.z + tile.panel];
    ivec2 begin = ivec2(tile.column, tile.row + COARSEN_ROWS * int(gl_WorkGroupID.y));
    if (rests() || begin.y >= panel.rows) {
        return;
    }
    for (int i = int(gl_LocalInvocationID.x); i < HALVED; i += COARSEN_THREADS) {
        halve(i, 2 * (begin.x + i % WIDE - 1), 2 * begin.y + i / WIDE - 1);
    }
    barrier();
    int own = int(gl_LocalInvocationID.x);
    ivec2 at = ivec2(own % UP_COLUMNS, own / UP_COLUMNS), texel = begin + at;
    if (at.y < COARSEN_ROWS && is_there(texel)) {
        join((2 * at.y + 1) * WIDE + at.x + 1, place_of(texel));
    }
}
