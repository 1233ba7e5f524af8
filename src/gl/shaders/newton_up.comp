#version 430 core
/* What a level gains from the coarser one, and its last sweep; on the finest one also the force
 * times what came of it. */
#define PATCH_COLUMNS (UP_COLUMNS + 4)
#define PATCH_ROWS    (UP_ROWS + 4)
#define PATCH_THREADS (UP_COLUMNS * UP_ROWS)
#include "gl/shaders/newton_patch.glsl"
#include "gl/shaders/newton_sum.glsl"
#include "kernel/cycle.h"

layout(local_size_x = UP_COLUMNS, local_size_y = UP_ROWS) in;

layout(std430, binding = BIND_COARSER) restrict readonly buffer coarser_buffer { float coarser[]; };

system_block coarse;

float found_at(int plane, int column, int row) {
    return coarser[(EQ_result + plane) * coarse.size + coarse.first + row * coarse.stride + column];
}

/* Between two rows or twice the same one, and likewise columns. */
float gained(int plane, ivec2 texel) {
    ivec2 low = texel / 2, high = (texel + 1) / 2;
    return cycle_between(
        cycle_between(found_at(plane, low.x, low.y), found_at(plane, low.x, high.y)),
        cycle_between(found_at(plane, high.x, low.y), found_at(plane, high.x, high.y)));
}

vec3 moved_at(ivec2 texel, int k) {
    vec3 guess = vector_at(EQ_guess, k);
    if (equation_at(EQ_inverse, k) > 0.0) {
        guess += vec3(gained(0, texel), gained(1, texel), gained(2, texel));
    }
    return guess;
}

float sweep(ivec2 k) {
    vec3 r = vector_at(EQ_residual, k.y);
    vec3 z = solve_sweep(load_move(k), block_at(EQ_inverse, k.y), r - product_at(k));
    set_vector(EQ_result, k.y, z);
    return v3_dot(r, z);
}

void main() {
    enter_tile();
    coarse = panels[call.z + tile.panel];
    if (rests() || panel.last != 0) {
        return;
    }
    ivec2 first = ivec2(tile.column, tile.row);
    fill_patch(first);
    float work = 0.0;
    if (is_there(own_texel())) {
        work = sweep(in_patch(first, ivec2(gl_LocalInvocationID.xy)));
    }
    if (call.w == 0) {
        vec4 sum = sum_tile(vec4(work, 0.0, 0.0, 0.0), false);
        if (gl_LocalInvocationIndex == 0u) {
            parts[sums_at() + SUMS_DOT] = sum.x;
        }
    }
}
