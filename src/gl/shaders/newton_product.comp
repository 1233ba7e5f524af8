#version 430 core
/* The finest matrix times the direction of conjugate gradients, and the product of both. */
#include "gl/shaders/newton_tile.glsl"
#include "gl/shaders/newton_product.glsl"
#include "gl/shaders/newton_sum.glsl"

layout(local_size_x = UP_COLUMNS, local_size_y = UP_ROWS) in;

vec3 load_move(int k) {
    return vector_at(EQ_direction, k);
}

float multiply(int k) {
    vec3 product = load_inertia(k) > 0.0 ? product_at(k) : vec3(0.0);
    set_vector(EQ_product, k, product);
    return v3_dot(product, load_move(k));
}

void main() {
    enter_tile();
    if (rests()) {
        return;
    }
    float work = 0.0;
    if (is_there(own_texel())) {
        work = multiply(place_of(own_texel()));
    }
    vec4 sum = sum_tile(vec4(work, 0.0, 0.0, 0.0), false);
    if (gl_LocalInvocationIndex == 0u) {
        parts[sums_at() + SUMS_DOT] = sum.x;
    }
}
