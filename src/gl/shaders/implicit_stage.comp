#version 430 core
/* Second order: what backward Euler starts from, and the velocity that the substep began with. */
#include "gl/shaders/implicit.glsl"
#include "kernel/stage.h"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y);
    if (!is_in(level.grid, texel)) {
        return;
    }
    vec3 v = state_at(PLANE_vx, k), x = state_at(PLANE_x, k);
    bool free = plane_at(PLANE_inverse_mass, k) > 0.0;
    vec3 gained = free ? implicit_at(IMPLICIT_change_x, k) : vec3(0.0);
    set_implicit(IMPLICIT_began_x, k, v);
    float share = stage_share(cloth.moment, cloth.substep);
    set_state(PLANE_x, k, vec3(stage_place(x.x, v.x, gained.x, share, cloth.moment),
                               stage_place(x.y, v.y, gained.y, share, cloth.moment),
                               stage_place(x.z, v.z, gained.z, share, cloth.moment)));
    set_state(PLANE_vx, k, vec3(stage_speed(v.x, gained.x, share),
                                stage_speed(v.y, gained.y, share),
                                stage_speed(v.z, gained.z, share)));
}
