#version 430 core
/* Second order: how velocities have changed; a blow does not go on. */
#include "gl/shaders/newton_cloth.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y);
    enter_equations();
    if (!is_in(level.grid, texel)) {
        return;
    }
    bool stopped = equation_at(EQ_hold, k) > 0.0;
    vec3 change = state_at(PLANE_vx, k) - implicit_at(IMPLICIT_began_x, k);
    set_implicit(IMPLICIT_change_x, k, stopped ? vec3(0.0) : change);
    float speed = dot(change, change);
    if (stopped && speed > cloth.strike * cloth.strike) {
        marks[cloth.mark].struck = 1;
    }
}
