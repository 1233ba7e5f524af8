#version 430 core
/* Where conjugate gradients go; the first time, to what the cycle has found. */
#include "gl/shaders/newton_tile.glsl"

layout(local_size_x = UP_COLUMNS, local_size_y = UP_ROWS) in;

void main() {
    enter_tile();
    int k = place_of(own_texel());
    if (!is_there(own_texel()) || rests()) {
        return;
    }
    float beta = part_at(PART_BETA);
    vec3 z = vector_at(EQ_result, k);
    set_vector(EQ_direction, k, beta != 0.0 ? v3_madd(z, vector_at(EQ_direction, k), beta) : z);
}
