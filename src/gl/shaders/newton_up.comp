#version 430 core
/* What a level gains from the coarser one. */
#include "gl/shaders/newton_tile.glsl"
#include "kernel/cycle.h"

layout(local_size_x = UP_COLUMNS, local_size_y = UP_ROWS) in;

layout(std430, binding = BIND_COARSER) restrict readonly buffer coarser_buffer { float coarser[]; };

vec3 load_move(int k) {
    return vector_at(EQ_guess, k);
}

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

void main() {
    enter_tile();
    coarse = panels[call.z + tile.panel];
    ivec2 texel = own_texel();
    int k = place_of(texel);
    if (!is_there(texel) || rests() || panel.last != 0 || !(equation_at(EQ_inverse, k) > 0.0)) {
        return;
    }
    vec3 gain = vec3(gained(0, texel), gained(1, texel), gained(2, texel));
    set_vector(EQ_guess, k, vector_at(EQ_guess, k) + gain);
}
