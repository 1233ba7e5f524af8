#version 430 core
/* What a level gains from the coarser one, and its last sweep; on the finest one also the force
 * times what came of it. */
#define PATCH_COLUMNS (UP_COLUMNS + 4)
#define PATCH_ROWS    (UP_ROWS + 4)
#define PATCH_THREADS (UP_COLUMNS * UP_ROWS)
#include "gl/shaders/newton_patch.glsl"
#include "gl/shaders/newton_sum.glsl"
#include "gl/shaders/newton_gain.glsl"

layout(local_size_x = UP_COLUMNS, local_size_y = UP_ROWS) in;

vec3 moved_at(ivec2 texel, int k) {
    return with_gain(texel, k);
}

vec3 moved_in(int number, int k) {
    return with_gain_in(number, k);
}

/* Touched texels are moved together behind this. */
float sweep(ivec2 k) {
    vec3 r = vector_at(EQ_residual, k.y), left = r - product_at(k);
    int touched = panel.coupled != 0 ? touched_at(k.y) : 0;
    if (touched != 0) {
        set_coupled_vector(way_at(touched - 1, WAY_FORCE), left);
        set_coupled_vector(way_at(touched - 1, WAY_GUESS), load_move(k));
        return 0.0;
    }
    vec3 z = solve_sweep(load_move(k), block_at(EQ_inverse, k.y), left);
    set_vector(EQ_result, k.y, z);
    return v3_dot(r, z);
}

void main() {
    enter_tile();
    coarse = panels[call.z + tile.panel];
    if (rests() || panel.last != 0 || panel.small != 0) {
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
