#version 430 core
/* Every texel by itself, half of the way. */
#include "gl/shaders/newton_cloth.glsl"

vec3 load_move(int k) {
    return level_at(LEVEL_x, k);
}

void main() {
    int k = enter();
    if (is_there()) {
        set_level(LEVEL_x, k, solve_local(load_move(k), vector_at(EQ_guess, k)));
    }
}
