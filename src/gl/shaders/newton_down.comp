#version 430 core
/* What a level has left, on the next coarser one, and its first sweep. */
#include "gl/shaders/newton_tile.glsl"
#include "kernel/cycle.h"

layout(local_size_x = UP_COLUMNS, local_size_y = UP_ROWS) in;

layout(std430, binding = BIND_COARSER) restrict readonly buffer finer_buffer { float finer[]; };

vec3 load_move(int k) {
    return vector_at(EQ_guess, k);
}

system_block fine;

/* What is around the finer grid is zero. */
float left_at(int plane, ivec2 texel) {
    return finer[(EQ_result + plane) * fine.size + fine.first + texel.y * fine.stride + texel.x];
}

float column_at(int plane, ivec2 texel) {
    return cycle_gather(left_at(plane, texel - ivec2(0, 1)), left_at(plane, texel),
                        left_at(plane, texel + ivec2(0, 1)));
}

float gathered(int plane, ivec2 texel) {
    return cycle_gather_row(column_at(plane, texel - ivec2(1, 0)), column_at(plane, texel),
                            column_at(plane, texel + ivec2(1, 0)));
}

void main() {
    enter_tile();
    fine = panels[call.z + tile.panel];
    ivec2 texel = own_texel();
    int k = place_of(texel);
    if (!is_there(texel) || rests()) {
        return;
    }
    vec3 r = vec3(gathered(0, 2 * texel), gathered(1, 2 * texel), gathered(2, 2 * texel));
    set_vector(EQ_residual, k, r);
    set_vector(EQ_guess, k, solve_first(block_at(EQ_inverse, k), r));
}
