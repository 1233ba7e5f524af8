#version 430 core
/* What the next coarser level has changed, added to this one; see cpu/transfer.c. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/other.glsl"
#include "kernel/transfer.h"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

uniform ivec4 call; /* x: to the planes that tiles of Gauss-Seidel begin with */

float coarser_at(int plane, int k) {
    return other[plane * level.coarser.size + k];
}

/* Between the rows of k and k + up of the coarser level. */
float change_at(int now, int before, int k, int up) {
    return transfer_change(coarser_at(now, k), coarser_at(before, k), coarser_at(now, k + up),
                           coarser_at(before, k + up));
}

float push_at(int k, int up) {
    return transfer_change(coarser_at(LEVEL_push, k), 0.0, coarser_at(LEVEL_push, k + up), 0.0);
}

/* Of a position, and of the push. */
vec4 changes_at(int below, int up, bool next) {
    vec4 changes;
    for (int axis = 0; axis < 3; axis++) {
        changes[axis] = change_at(LEVEL_x + axis, LEVEL_bx + axis, below, up);
        if (next) {
            changes[axis] = transfer_between(
                changes[axis], change_at(LEVEL_x + axis, LEVEL_bx + axis, below + 1, up));
        }
    }
    changes.w = push_at(below, up);
    if (next) {
        changes.w = transfer_between(changes.w, push_at(below + 1, up));
    }
    return changes;
}

/* Share of a coarse multiplier where a cell beside the fine edge is regular. */
float share_of(int k, int beside) {
    int plane = LEVEL_COUNT + TABLE_regular;
    bool any = coarser_at(plane, k) > 0.0 || coarser_at(plane, k + beside) > 0.0;
    return any ? TRANSFER_MULTIPLIER : 0.0;
}

/* Those along v also lie between coarse ones. */
void add_multipliers(int k, int below, bool next, bool between) {
    int wide = level.coarser.stride;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        int now = LEVEL_lu + kind, before = LEVEL_bu + kind;
        bool across = kind == KIND_V && next;
        float change = change_at(now, before, below, kind == KIND_U && between ? wide : 0);
        if (across) {
            change = transfer_between(change, change_at(now, before, below + 1, 0));
        }
        int beside = kind == KIND_V ? (across ? 0 : -1) : kind == KIND_U && !between ? -wide : 0;
        set_level_plane((call.x != 0 ? LEVEL_nu : LEVEL_lu) + kind, k,
                        level_plane_at(now, k) + share_of(below, beside) * change);
    }
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(level.grid, texel)) {
        return;
    }
    int k = index_of(level.grid, texel.x, texel.y);
    int below = index_of(level.coarser, texel.x / 2, texel.y / 2);
    bool next = (texel.x & 1) != 0, between = (texel.y & 1) != 0;
    /* Read before it is known whether they are needed, so as to wait for memory once. */
    float even = table_at(TABLE_even, k), mass = table_at(TABLE_inverse_mass, k);
    vec3 x = level_at(LEVEL_x, k);
    float push = level_plane_at(LEVEL_push, k);
    vec4 changes = changes_at(below, between ? level.coarser.stride : 0, next);
    add_multipliers(k, below, next, between);
    if (even > 0.0) {
        set_level(call.x != 0 ? LEVEL_qx : LEVEL_x, k, x + changes.xyz);
        set_level_plane(LEVEL_push, k, push + changes.w);
    } else if (call.x != 0 && !(mass > 0.0)) {
        set_level(LEVEL_qx, k, x); /* others are in the list of odd.comp */
    }
}
