#version 430 core
/* The last sweep of a level; on the finest one also the force times what came of it. */
#include "gl/shaders/newton_tile.glsl"
#include "gl/shaders/newton_product.glsl"
#include "gl/shaders/newton_sum.glsl"

layout(local_size_x = UP_COLUMNS, local_size_y = UP_ROWS) in;

vec3 load_move(int k) {
    return vector_at(EQ_guess, k);
}

float sweep(int k) {
    vec3 r = vector_at(EQ_residual, k);
    vec3 z = solve_sweep(load_move(k), block_at(EQ_inverse, k), r - product_at(k));
    set_vector(EQ_result, k, z);
    return v3_dot(r, z);
}

void main() {
    enter_tile();
    if (rests() || panel.last != 0) {
        return;
    }
    float work = 0.0;
    if (is_there(own_texel())) {
        work = sweep(place_of(own_texel()));
    }
    if (call.w == 0) {
        vec4 sum = sum_tile(vec4(work, 0.0, 0.0, 0.0), false);
        if (gl_LocalInvocationIndex == 0u) {
            parts[sums_at() + SUMS_DOT] = sum.x;
        }
    }
}
