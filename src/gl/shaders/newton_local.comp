#version 430 core
/* Every texel by itself, half of the way. */
#include "gl/shaders/newton_cloth.glsl"

void main() {
    int k = enter();
    if (is_there()) {
        set_level(LEVEL_x, k, solve_local(level_at(LEVEL_x, k), vector_at(EQ_guess, k)));
    }
}
