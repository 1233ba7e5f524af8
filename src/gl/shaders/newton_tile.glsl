/* What passes of Newton's method over a level of all panels begin with: a work group has a tile of
 * one of them. */
#ifndef TOILE_GL_NEWTON_TILE
#define TOILE_GL_NEWTON_TILE

#include "kernel/prelude.glsl"
#include "kernel/vec.h"
#include "gl/planes.glsl"
#include "gl/blocks.h"
#include "gl/shaders/newton.glsl"

layout(std430, binding = BIND_TILES) restrict readonly buffer tile_buffer { tile_block tiles[]; };
layout(std430, binding = BIND_PANELS) restrict readonly buffer panel_buffer {
    system_block panels[];
};

layout(std430, binding = BIND_PARTS) restrict buffer part_buffer { float parts[]; };

/* x: first tile of the level, y: first panel of the level, z: that of the other level, w: depth */
uniform ivec4 call;

tile_block tile;
system_block panel;

/* Of this level; the finest has other planes than the rest. */
void enter_level() {
    equation_size = panel.size;
    equation_base = 0;
    equation_weights = call.w == 0 ? EQ_FINEST : EQ_COARSE;
}

void enter_tile() {
    tile = tiles[call.x + int(gl_WorkGroupID.x)];
    panel = panels[call.y + tile.panel];
    enter_level();
}

/* The texel of a thread. */
ivec2 own_texel() {
    return ivec2(tile.column, tile.row) + ivec2(gl_LocalInvocationID.xy);
}

int place_of(ivec2 texel) {
    return panel.first + texel.y * panel.stride + texel.x;
}

bool is_there(ivec2 texel) {
    return texel.x < panel.columns && texel.y < panel.rows;
}

float part_at(int number) {
    return parts[PART_FLOATS * panel.part + number];
}

/* Does the part need nothing more in the substep? */
bool is_settled() {
    return part_at(PART_RESTS) != 0.0;
}

/* That, or conjugate gradients have solved it, until Newton's method goes on. */
bool rests() {
    return is_settled() || part_at(PART_SOLVED) != 0.0;
}

/* Where the sums of the group go. */
int sums_at() {
    return panel.sums + SUMS_FLOATS * tile.number;
}

#endif
