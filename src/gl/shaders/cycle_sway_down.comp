#version 430 core
/* Moves along normals, from a grid to the next coarser one: what the first sweep has left of the
 * forces, those forces and the matrix there, and its first sweep. A work group has a tile of the
 * coarse grid, and the defect of the finer texels around it. */
#include "gl/shaders/sway.glsl"

layout(std430, binding = BIND_OTHER) restrict writeonly buffer coarser_buffer { float coarser[]; };

layout(local_size_x = DOWN_COLUMNS, local_size_y = DOWN_ROWS) in;

const int WIDE = 2 * DOWN_COLUMNS + 1, HIGH = 2 * DOWN_ROWS + 1;

shared float defects[WIDE * HIGH];

void set_coarser(int plane, int k, float value) {
    coarser[plane * level.coarser.size + k] = value;
}

vec3 ways_at(int k) {
    return vec3(cycle_plane_at(SWAY_WAY, k - 1), cycle_plane_at(SWAY_WAY, k),
                cycle_plane_at(SWAY_WAY, k + 1));
}

float defect_at(int k) {
    int up = level.grid.stride;
    vec3 here = ways_at(k);
    float near = swayed(sways_at(k), ways_at(k - up), here.x, here.z, ways_at(k + up));
    float left = cycle_defect(cycle_plane_at(SWAY_FORCE, k), near, SWAY_FIRST);
    return cycle_plane_at(SWAY_INVERSE, k) > 0.0 ? left : 0.0;
}

void fill_tile() {
    ivec2 corner = 2 * ivec2(gl_WorkGroupID.xy * gl_WorkGroupSize.xy) - 1;
    for (int i = int(gl_LocalInvocationIndex); i < WIDE * HIGH; i += DOWN_COLUMNS * DOWN_ROWS) {
        ivec2 texel = corner + ivec2(i % WIDE, i / WIDE);
        bool there = texel.x >= 0 && texel.y >= 0 && is_in(level.grid, texel);
        defects[i] = there ? defect_at(index_of(level.grid, texel.x, texel.y)) : 0.0;
    }
}

float row_at(int i) {
    return cycle_gather_row(defects[i - 1], defects[i], defects[i + 1]);
}

float ground_row(int k) {
    return cycle_gather_row(cycle_plane_at(SWAY_GROUND, k - 1), cycle_plane_at(SWAY_GROUND, k),
                            cycle_plane_at(SWAY_GROUND, k + 1));
}

/* Couplings of a coarse texel, from those of the finer grid at k: of two after each other, or above
 * each other. */
float beside(int plane, int k) {
    return cycle_plane_at(plane, k) + cycle_plane_at(plane, k + 1);
}

float above(int plane, int k) {
    return cycle_plane_at(plane, k) + cycle_plane_at(plane, k + level.grid.stride);
}

float coarse_east(int k) {
    int up = level.grid.stride;
    return sway_gather(beside(SWAY_EAST, k - up), beside(SWAY_EAST, k), beside(SWAY_EAST, k + up));
}

float coarse_north(int k) {
    return sway_gather(above(SWAY_NORTH, k - 1), above(SWAY_NORTH, k), above(SWAY_NORTH, k + 1));
}

float coarse_cell(int plane, int k) {
    return sway_gather_cells(beside(plane, k), beside(plane, k + level.grid.stride));
}

void main() {
    if (is_settled()) {
        return;
    }
    fill_tile();
    barrier();
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(level.coarser, texel)) {
        return;
    }
    int i = (2 * int(gl_LocalInvocationID.y) + 1) * WIDE + 2 * int(gl_LocalInvocationID.x) + 1;
    int to = index_of(level.coarser, texel.x, texel.y);
    int k = index_of(level.grid, 2 * texel.x, 2 * texel.y), up = level.grid.stride, under = 2 * up;
    float east = coarse_east(k), north = coarse_north(k);
    float rise = coarse_cell(SWAY_RISING, k), fall = coarse_cell(SWAY_FALLING, k);
    float west = coarse_east(k - 2), south = coarse_north(k - under);
    float sinks = coarse_cell(SWAY_RISING, k - 2 - under);
    float falls = coarse_cell(SWAY_FALLING, k - 2) + coarse_cell(SWAY_FALLING, k - under);
    float ground = cycle_gather(ground_row(k - up), ground_row(k), ground_row(k + up));
    float force = cycle_gather(row_at(i - WIDE), row_at(i), row_at(i + WIDE));
    float diagonal = ground + (((west + east) + (south + north)) + ((sinks + rise) + falls));
    float inverse = ground > 0.0 ? 1.0 / k_max(diagonal, KERNEL_TINY) : 0.0;
    set_coarser(SWAY_FORCE, to, force);
    set_coarser(SWAY_GROUND, to, ground);
    set_coarser(SWAY_INVERSE, to, inverse);
    set_coarser(SWAY_WAY, to, SWAY_FIRST * inverse * force);
    set_coarser(SWAY_EAST, to, east);
    set_coarser(SWAY_NORTH, to, north);
    set_coarser(SWAY_RISING, to, rise);
    set_coarser(SWAY_FALLING, to, fall);
}
