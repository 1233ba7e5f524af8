#version 430 core
/* What the first sweep of a level has left. Pinned and absent texels have no inverse, and no force. */
#include "gl/shaders/newton_tile.glsl"
#include "gl/shaders/newton_product.glsl"

layout(local_size_x = UP_COLUMNS, local_size_y = UP_ROWS) in;

vec3 load_move(int k) {
    return vector_at(EQ_guess, k);
}

void main() {
    enter_tile();
    int k = place_of(own_texel());
    if (!is_there(own_texel()) || rests() || panel.last != 0) {
        return;
    }
    vec3 left = vec3(0.0);
    if (equation_at(EQ_inverse, k) > 0.0) {
        left = vector_at(EQ_residual, k) - product_at(k);
    }
    set_vector(EQ_result, k, left);
}
