#version 430 core
/* What a level gains from the coarser one, on the first sweep. */
#include "gl/shaders/cycle.glsl"

layout(std430, binding = BIND_OTHER) restrict readonly buffer coarser_buffer { float coarser[]; };

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

/* Between the rows of k and k + other of the coarser grid. */
float between(int plane, int k, int other) {
    int at = plane * level.coarser.size + k;
    return cycle_between(coarser[at], coarser[at + other]);
}

float gain_at(int plane, int k, int other, bool next) {
    float on = between(plane, k, other);
    return next ? cycle_between(on, between(plane, k + 1, other)) : on;
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y);
    if (!is_in(level.grid, texel) || is_settled()) {
        return;
    }
    int above = index_of(level.coarser, texel.x / 2, texel.y / 2);
    int other = (texel.y & 1) != 0 ? level.coarser.stride : 0;
    bool next = (texel.x & 1) != 0;
    vec3 gain = vec3(gain_at(CYCLE_ex, above, other, next), gain_at(CYCLE_ey, above, other, next),
                     gain_at(CYCLE_ez, above, other, next));
    vec3 e = cycle_at(CYCLE_ex, k);
    e += matrix_at(MATRIX_inverse, k) > 0.0 ? gain : vec3(0.0);
    set_cycle(CYCLE_ex, k, level.depth == 0 ? land(k, e) : e);
}
