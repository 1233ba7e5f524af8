/* What a texel gains from the coarser level. */
#ifndef TOILE_GL_NEWTON_GAIN
#define TOILE_GL_NEWTON_GAIN

#include "kernel/cycle.h"

layout(std430, binding = BIND_COARSER) restrict readonly buffer coarser_buffer { float coarser[]; };

system_block coarse;

float found_at(int plane, int column, int row) {
    return coarser[(EQ_result + plane) * coarse.size + coarse.first + row * coarse.stride + column];
}

/* Between two rows or twice the same one, and likewise columns. */
float gained(int plane, ivec2 texel) {
    ivec2 low = texel / 2, high = (texel + 1) / 2;
    return cycle_between(
        cycle_between(found_at(plane, low.x, low.y), found_at(plane, low.x, high.y)),
        cycle_between(found_at(plane, high.x, low.y), found_at(plane, high.x, high.y)));
}

/* The guess with it. */
vec3 with_gain(ivec2 texel, int k) {
    vec3 guess = vector_at(EQ_guess, k);
    if (equation_at(EQ_inverse, k) > 0.0) {
        guess += vec3(gained(0, texel), gained(1, texel), gained(2, texel));
    }
    return guess;
}

/* The same at a texel of any panel. call.y and call.z: the first ones of both levels. */
vec3 with_gain_in(int number, int k) {
    system_block own = coarse, there = panels[call.y + number];
    int at = k - there.first;
    coarse = panels[call.z + number];
    vec3 moved = with_gain(ivec2(at % there.stride, at / there.stride), k);
    coarse = own;
    return moved;
}

#endif
