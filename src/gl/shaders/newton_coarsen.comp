#version 430 core
/* The matrix of a level from that of the finer one. A work group has a row of a tile; its threads
 * have a texel and one of the six numbers of blocks, and one of them the inverse. */
#include "gl/shaders/newton_tile.glsl"
#include "kernel/coarsen.h"

layout(local_size_x = UP_COLUMNS, local_size_y = 1, local_size_z = 6) in;

layout(std430, binding = BIND_COARSER) restrict readonly buffer finer_buffer { float finer[]; };

shared float own_block[6][UP_COLUMNS];

system_block fine;

vec3 load_move(int k) {
    return vector_at(EQ_guess, k);
}

float finer_at(int plane, int k) {
    return finer[plane * fine.size + k];
}

/* The finest level keeps springs instead of blocks. */
float spring_number(int q, int k, int number) {
    int to = q == SYSTEM_EAST    ? 1
             : q == SYSTEM_NORTH ? fine.stride
             : q == SYSTEM_RISE  ? fine.stride + 1
                                 : fine.stride - 1;
    int plane = EQ_springs + 4 * q;
    vec4 spring = vec4(finer_at(plane, k), finer_at(plane + 1, k), finer_at(plane + 2, k),
                       finer_at(plane + 3, k));
    block b = solve_link(spring, finer_at(EQ_inertia, k), finer_at(EQ_inertia, k + to));
    return number < 3 ? b.diagonal[number] : b.sides[number - 3];
}

/* One number of a block of the finer level. */
float fine_at(int q, int column, int row) {
    int k = fine.first + row * fine.stride + column, number = int(gl_LocalInvocationID.z);
    if (column < 0 || row < 0 || column >= fine.columns || row >= fine.rows) {
        return 0.0;
    }
    if (call.w > 1) {
        return finer_at(EQ_east + 6 * q + number, k);
    }
    if (q < SYSTEM_OWN) {
        return spring_number(q, k, number);
    }
    return finer_at(EQ_inertia, k) > 0.0 ? finer_at(EQ_own + number, k) : 0.0;
}

/* Those of a row that is half as long, i: column of the finer one. */
float half_own(int i, int row) {
    return coarsen_own(fine_at(SYSTEM_OWN, i - 1, row), fine_at(SYSTEM_OWN, i, row),
                       fine_at(SYSTEM_OWN, i + 1, row), fine_at(SYSTEM_EAST, i - 1, row),
                       fine_at(SYSTEM_EAST, i, row));
}

float half_east(int i, int row) {
    return coarsen_tie(fine_at(SYSTEM_OWN, i + 1, row), fine_at(SYSTEM_EAST, i, row),
                       fine_at(SYSTEM_EAST, i + 1, row));
}

float half_north(int i, int row) {
    return coarsen_across(fine_at(SYSTEM_NORTH, i - 1, row), fine_at(SYSTEM_NORTH, i, row),
                          fine_at(SYSTEM_NORTH, i + 1, row), fine_at(SYSTEM_RISE, i - 1, row),
                          fine_at(SYSTEM_RISE, i, row), fine_at(SYSTEM_LEFT, i, row),
                          fine_at(SYSTEM_LEFT, i + 1, row));
}

float half_rise(int i, int row) {
    return coarsen_tie(fine_at(SYSTEM_NORTH, i + 1, row), fine_at(SYSTEM_RISE, i, row),
                       fine_at(SYSTEM_RISE, i + 1, row));
}

float half_left(int i, int row) {
    return coarsen_tie(fine_at(SYSTEM_NORTH, i - 1, row), fine_at(SYSTEM_LEFT, i - 1, row),
                       fine_at(SYSTEM_LEFT, i, row));
}

/* Ties of a coarse texel with those around it; i, j: the finer texel it lies on. */
float coarse_tie(int q, int i, int j) {
    return q == SYSTEM_EAST
               ? coarsen_across(half_east(i, j - 1), half_east(i, j), half_east(i, j + 1),
                                half_rise(i, j - 1), half_rise(i, j), half_left(i + 2, j - 1),
                                half_left(i + 2, j))
           : q == SYSTEM_NORTH
               ? coarsen_tie(half_own(i, j + 1), half_north(i, j), half_north(i, j + 1))
           : q == SYSTEM_RISE
               ? coarsen_tie(half_east(i, j + 1), half_rise(i, j), half_rise(i, j + 1))
               : coarsen_tie(half_east(i - 2, j + 1), half_left(i, j), half_left(i, j + 1));
}

float coarse_own(int i, int j) {
    return coarsen_own(half_own(i, j - 1), half_own(i, j), half_own(i, j + 1),
                       half_north(i, j - 1), half_north(i, j));
}

void keep_inverse(int k, int column) {
    block own = block_make(
        vec3(own_block[0][column], own_block[1][column], own_block[2][column]),
        vec3(own_block[3][column], own_block[4][column], own_block[5][column]));
    set_block(EQ_inverse, k, solve_inverse(own, panel.bend, own.diagonal.x > 0.0));
}

void main() {
    enter_tile();
    fine = panels[call.z + tile.panel];
    ivec2 texel = own_texel() + ivec2(0, int(gl_WorkGroupID.y));
    int k = place_of(texel), number = int(gl_LocalInvocationID.z);
    int column = int(gl_LocalInvocationID.x);
    if (rests() || texel.y >= panel.rows) {
        return;
    }
    if (is_there(texel)) {
        for (int q = 0; q < SYSTEM_LINKS; q++) {
            set_equation(EQ_east + 6 * q + number, k, coarse_tie(q, 2 * texel.x, 2 * texel.y));
        }
        own_block[number][column] = coarse_own(2 * texel.x, 2 * texel.y);
        set_equation(EQ_block + number, k, own_block[number][column]);
    }
    barrier();
    if (is_there(texel) && number == 0) {
        keep_inverse(k, column);
    }
}
