#version 430 core
/* Accelerations to velocities. */
#include "gl/shaders/texel.glsl"
#include "kernel/integrate.h"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

uniform float share;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(cloth.grid, texel.x, texel.y);
    if (!is_in(cloth.grid, texel) || !(plane_at(PLANE_inverse_mass, k) > 0.0)) {
        return;
    }
    float time = cloth.substep * share, drag = integrate_drag(cloth.viscosity, time);
    vec3 v = state_at(PLANE_vx, k), a = state_at(PLANE_ax, k);
    float keep = cloth.persistence;
    set_state(PLANE_vx, k, vec3(integrate_velocity(v.x, a.x, keep, time, drag),
                                integrate_velocity(v.y, a.y, keep, time, drag),
                                integrate_velocity(v.z, a.z, keep, time, drag)));
}
