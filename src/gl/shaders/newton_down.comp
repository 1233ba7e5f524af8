#version 430 core
/* What the first sweep of a level has left, on the next coarser one, and its first sweep. A work
 * group has half a tile of the coarser one. The level is the finer one. */
#define DOWN_WIDE     (2 * DOWN_COLUMNS + 1)
#define DOWN_HIGH     (2 * DOWN_ROWS + 1)
#define PATCH_COLUMNS (DOWN_WIDE + 4)
#define PATCH_ROWS    (DOWN_HIGH + 4)
#define PATCH_THREADS (DOWN_COLUMNS * DOWN_ROWS)
#include "gl/shaders/newton_patch.glsl"
#include "kernel/cycle.h"

layout(local_size_x = DOWN_COLUMNS, local_size_y = DOWN_ROWS) in;

layout(std430, binding = BIND_COARSER) restrict buffer coarser_buffer { float coarser[]; };

/* From a row and a column before those that coarse texels lie on. */
shared float left[3][DOWN_WIDE * DOWN_HIGH];

system_block coarse;

vec3 moved_at(ivec2 texel, int k) {
    return vector_at(EQ_guess, k);
}

vec3 moved_in(int number, int k) {
    return vector_at(EQ_guess, k);
}

/* Pinned and absent texels have no inverse, and no force. */
vec3 left_at(ivec2 texel, ivec2 first) {
    ivec2 at = first + texel;
    if (at.x < 0 || at.y < 0 || !is_there(at) || !(equation_at(EQ_inverse, place_of(at)) > 0.0)) {
        return vec3(0.0);
    }
    return vector_at(EQ_residual, place_of(at)) - product_at(in_patch(first, texel));
}

void fill_left(ivec2 first) {
    for (int i = int(gl_LocalInvocationIndex); i < DOWN_WIDE * DOWN_HIGH; i += PATCH_THREADS) {
        vec3 force = left_at(ivec2(i % DOWN_WIDE, i / DOWN_WIDE), first);
        for (int axis = 0; axis < 3; axis++) {
            left[axis][i] = force[axis];
        }
    }
    barrier();
}

float row_at(int axis, int i) {
    return cycle_gather_row(left[axis][i - 1], left[axis][i], left[axis][i + 1]);
}

float gathered(int axis, int i) {
    return cycle_gather(row_at(axis, i - DOWN_WIDE), row_at(axis, i), row_at(axis, i + DOWN_WIDE));
}

float coarse_at(int plane, int k) {
    return coarser[plane * coarse.size + k];
}

vec3 coarse_vector(int plane, int k) {
    return vec3(coarse_at(plane, k), coarse_at(plane + 1, k), coarse_at(plane + 2, k));
}

void set_coarse(int plane, int k, vec3 value) {
    for (int axis = 0; axis < 3; axis++) {
        coarser[(plane + axis) * coarse.size + k] = value[axis];
    }
}

void main() {
    enter_tile();
    coarse = panels[call.z + tile.panel];
    ivec2 own = ivec2(gl_LocalInvocationID.xy);
    ivec2 begin = ivec2(tile.column + DOWN_COLUMNS * int(gl_WorkGroupID.y), tile.row);
    ivec2 texel = begin + own, first = 2 * begin - 1;
    if (rests() || panel.small != 0 || begin.x >= coarse.columns) {
        return;
    }
    fill_patch(first);
    fill_left(first);
    if (texel.x < coarse.columns && texel.y < coarse.rows) {
        int k = coarse.first + texel.y * coarse.stride + texel.x;
        int i = (2 * own.y + 1) * DOWN_WIDE + 2 * own.x + 1;
        vec3 r = vec3(gathered(0, i), gathered(1, i), gathered(2, i));
        block inverse =
            block_make(coarse_vector(EQ_inverse, k), coarse_vector(EQ_inverse + 3, k));
        set_coarse(EQ_residual, k, r);
        set_coarse(EQ_guess, k, solve_first(inverse, r));
    }
}
