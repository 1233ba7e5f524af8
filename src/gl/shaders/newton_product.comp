#version 430 core
/* The finest matrix times the direction of conjugate gradients, and the product of both. */
#define PATCH_COLUMNS (UP_COLUMNS + 4)
#define PATCH_ROWS    (UP_ROWS + 4)
#define PATCH_THREADS (UP_COLUMNS * UP_ROWS)
#include "gl/shaders/newton_patch.glsl"
#include "gl/shaders/newton_sum.glsl"

layout(local_size_x = UP_COLUMNS, local_size_y = UP_ROWS) in;

vec3 moved_at(ivec2 texel, int k) {
    return vector_at(EQ_direction, k);
}

vec3 moved_in(int number, int k) {
    return vector_at(EQ_direction, k);
}

float multiply(ivec2 k) {
    vec3 product = load_inertia(k) > 0.0 ? product_at(k) : vec3(0.0);
    set_vector(EQ_product, k.y, product);
    return v3_dot(product, load_move(k));
}

void main() {
    enter_tile();
    if (rests()) {
        return;
    }
    ivec2 first = ivec2(tile.column, tile.row);
    fill_patch(first);
    float work = 0.0;
    if (is_there(own_texel())) {
        work = multiply(in_patch(first, ivec2(gl_LocalInvocationID.xy)));
    }
    vec4 sum = sum_tile(vec4(work, 0.0, 0.0, 0.0), false);
    if (gl_LocalInvocationIndex == 0u) {
        parts[sums_at() + SUMS_DOT] = sum.x;
    }
}
