#version 430 core
/* Every texel by itself, half of the way. */
#include "gl/shaders/newton_tile.glsl"

layout(local_size_x = UP_COLUMNS, local_size_y = UP_ROWS) in;

void main() {
    enter_tile();
    if (!is_settled() && is_there(own_texel())) {
        int k = place_of(own_texel());
        set_vector(EQ_place, k, solve_local(vector_at(EQ_place, k), vector_at(EQ_guess, k)));
    }
}
