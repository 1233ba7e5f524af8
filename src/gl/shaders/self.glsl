/* Cloth against cloth: texels of all cloths in a hash of cubes, as in cpu/self.c. It is made anew in
 * every substep, and there are no lists of partners: a GPU sorts faster than it would follow them. */
#ifndef TOILE_GL_SELF
#define TOILE_GL_SELF

#include "kernel/self.h"

layout(std430, binding = BIND_SELF) restrict readonly buffer self_buffer {
    dvec2 cells[SELF_RANKS]; /* inverse size, and where they end */
    self_grid grids[SELF_RANKS];
    self_numbers self;
    self_block cloths[];
};
/* Counts, starts and fill of the slots, and what is before each block of them. */
layout(std430, binding = BIND_STARTS) restrict buffer slot_buffer { uint slots[]; };
/* The bits of where texels were, and in w their slot; behind them those of guests. */
layout(std430, binding = BIND_LISTED) restrict buffer listed_buffer { uvec4 listed[]; };

const uint NO_SLOT = 0xffffffffu;

int start_at(int slot) {
    return self.slots + slot;
}

int placed_at(int slot) {
    return 2 * self.slots + slot;
}

int block_at(int block) {
    return SELF_SLOT_LISTS * self.slots + block;
}

ivec3 cell_at(int rank, vec3 p) {
    return ivec3(floor(dvec3(p) * cells[rank].x));
}

/* Is it near enough to have a cell? Not if it is no number. */
bool has_cell(int rank, vec3 p) {
    dvec3 d = abs(dvec3(p));
    double farthest = cells[rank].y;
    return d.x < farthest && d.y < farthest && d.z < farthest;
}

/* Cells along x follow each other, so that three of them are one look-up. */
int slot_at(int first, int count, int x, int y, int z) {
    uint line = uint(y) * 0x9e3779b1u ^ uint(z) * 0x85ebca77u;
    return first + int(((line ^ line >> 15) * 0xc2b2ae3du + uint(x)) & uint(count - 1));
}

/* The number of a texel of the cloth that a pass works on. */
int number_of(ivec2 texel) {
    self_block c = cloths[cloth.mark];
    return c.first + texel.y * c.stride + texel.x;
}

/* The column and row of a texel of a cloth, its place in planes of Newton's method, and that of
 * what is known of its springs. */
ivec2 texel_of(int number, int cloth_b) {
    self_block c = cloths[cloth_b];
    return ivec2((number - c.first) % c.stride, (number - c.first) / c.stride);
}

int place_of(ivec2 texel, int cloth_b) {
    self_block c = cloths[cloth_b];
    return c.place + texel.y * c.up + texel.x;
}

int head_of(ivec2 texel, int cloth_b) {
    return REPELS_HEADS + REPELS_PLACE * place_of(texel, cloth_b);
}

/* Where a texel is listed in the grid of a class: that of its own, or a coarser one. */
int key_of(int number, int rank) {
    self_block c = cloths[cloth.mark];
    return rank == c.rank ? number : c.first_guest + rank * c.numbers + number - c.first;
}

#endif
