#version 430 core
/* Pressed texels leave bodies that reflect; see cpu/implicit.c. */
#include "gl/shaders/newton_cloth.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y);
    enter_equations();
    if (!is_in(level.grid, texel) || !(equation_at(EQ_hold, k) > 0.0)) {
        return;
    }
    vec3 leaves = vector_at(EQ_normal, k) * equation_at(EQ_back, k);
    set_state(PLANE_vx, k, state_at(PLANE_vx, k) + leaves);
}
