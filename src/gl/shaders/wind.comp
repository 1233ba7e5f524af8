#version 430 core
/* Wind on the cells, each cut along both diagonals, as in cpu/wind.c. */
#include "gl/shaders/texel.glsl"
#include "kernel/wind.h"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

layout(std430, binding = BIND_MOMENTS) restrict readonly buffer wind_buffer { vec4 winds[]; };

vec3 corner_force(vec3 a, vec3 b, vec3 c, vec3 wind) {
    return 0.5 * wind_force(a, b, c, wind, cloth.drag, cloth.lift);
}

vec3 cell_force(int k) {
    int up = cloth.grid.stride;
    vec3 x00 = state_at(PLANE_x, k), x10 = state_at(PLANE_x, k + 1);
    vec3 x01 = state_at(PLANE_x, k + up), x11 = state_at(PLANE_x, k + 1 + up);
    vec3 sum = (state_at(PLANE_vx, k) + state_at(PLANE_vx, k + 1 + up)) +
               (state_at(PLANE_vx, k + 1) + state_at(PLANE_vx, k + up));
    vec3 relative = v3_madd(winds[substep].xyz, sum, -0.25);
    vec3 rising = corner_force(x00, x10, x11, relative) + corner_force(x11, x01, x00, relative);
    vec3 falling = corner_force(x10, x11, x01, relative) + corner_force(x01, x00, x10, relative);
    return wind_limit(rising + falling, relative, cloth.cell_mass, cloth.substep);
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(cloth.grid, texel)) {
        return;
    }
    int k = index_of(cloth.grid, texel.x, texel.y);
    float coverage = plane_at(PLANE_coverage, k);
    set_state(PLANE_sx, k, coverage > 0.0 ? cell_force(k) * coverage : vec3(0.0));
}
