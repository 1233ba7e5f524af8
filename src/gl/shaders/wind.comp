#version 430 core
/* Wind on the cells. */
#include "gl/shaders/texel.glsl"
#include "gl/shaders/air.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

layout(std430, binding = BIND_MOMENTS) restrict readonly buffer wind_buffer { vec4 winds[]; };

vec3 x_at(int k) {
    return state_at(PLANE_x, k);
}

vec3 v_at(int k) {
    return state_at(PLANE_vx, k);
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(cloth.grid, texel)) {
        return;
    }
    int k = index_of(cloth.grid, texel.x, texel.y);
    float coverage = plane_at(PLANE_coverage, k);
    vec3 wind = winds[substep].xyz;
    set_state(PLANE_sx, k,
              coverage > 0.0 ? cell_force(k, cloth.grid.stride, wind) * coverage : vec3(0.0));
}
