#version 430 core
/* Velocities from the positions that constraints have left. */
#include "gl/shaders/level.glsl"
#include "kernel/integrate.h"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(cloth.grid, texel.x, texel.y);
    if (!is_in(cloth.grid, texel) || !(plane_at(PLANE_inverse_mass, k) > 0.0)) {
        return;
    }
    vec3 x = state_at(PLANE_x, k), v = state_at(PLANE_vx, k), end = level_at(LEVEL_x, k);
    float time = cloth.substep, rate = 1.0 / time;
    set_state(PLANE_vx, k, vec3(integrate_arrival(v.x, x.x, end.x, time, rate),
                                integrate_arrival(v.y, x.y, end.y, time, rate),
                                integrate_arrival(v.z, x.z, end.z, time, rate)));
}
