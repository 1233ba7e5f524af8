#version 430 core
/* The elongation limit. A cloth of which no thread is near its limit is left alone. */
#include "gl/shaders/texel.glsl"
#include "gl/shaders/marks.glsl"
#include "gl/shaders/limit.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

/* The planes that velocities are read from and written to, and 1 to limit rates, 0 lengths. */
uniform ivec4 call;

vec3 x_at(int k) {
    return state_at(PLANE_x, k);
}

vec3 v_at(int k) {
    return state_at(call.x, k);
}

float inverse_mass_at(int k) {
    return plane_at(PLANE_inverse_mass, k);
}

float coverage_at(int k) {
    return plane_at(PLANE_coverage, k);
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(cloth.grid, texel) || marks[cloth.mark].stretched != stamp) {
        return;
    }
    int k = index_of(cloth.grid, texel.x, texel.y);
    set_state(call.y, k, limited_at(k, cloth.grid.stride, call.z != 0));
}
