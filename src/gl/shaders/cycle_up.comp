#version 430 core
/* What a level gains from the coarser one, on the first sweep. */
#include "gl/shaders/cycle.glsl"

layout(std430, binding = BIND_OTHER) restrict readonly buffer coarser_buffer { float coarser[]; };

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

vec3 coarser_at(int k) {
    int size = level.coarser.size;
    return vec3(coarser[CYCLE_ex * size + k], coarser[CYCLE_ey * size + k],
                coarser[CYCLE_ez * size + k]);
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y);
    if (!is_in(level.grid, texel) || is_settled()) {
        return;
    }
    int above = index_of(level.coarser, texel.x / 2, texel.y / 2);
    int other = (texel.y & 1) != 0 ? level.coarser.stride : 0;
    vec3 gain = 0.5 * (coarser_at(above) + coarser_at(above + other));
    if ((texel.x & 1) != 0) {
        gain = 0.5 * (gain + 0.5 * (coarser_at(above + 1) + coarser_at(above + 1 + other)));
    }
    vec3 e = cycle_at(CYCLE_ex, k);
    e += matrix_at(MATRIX_inverse, k) > 0.0 ? gain : vec3(0.0);
    set_cycle(CYCLE_ex, k, level.depth == 0 ? land(k, e) : e);
}
