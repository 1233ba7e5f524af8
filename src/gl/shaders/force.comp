#version 430 core
/* Forces to accelerations. */
#include "gl/shaders/texel.glsl"
#include "gl/shaders/springs.glsl"
#include "gl/shaders/marks.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

vec3 x_at(int k) {
    return state_at(PLANE_x, k);
}

vec3 v_at(int k) {
    return state_at(PLANE_vx, k);
}

float coverage_at(int k) {
    return plane_at(PLANE_coverage, k);
}

float inverse_mass_at(int k) {
    return plane_at(PLANE_inverse_mass, k);
}

vec3 air_at(int k) {
    return state_at(PLANE_sx, k);
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(cloth.grid, texel)) {
        return;
    }
    int up = cloth.grid.stride, k = index_of(cloth.grid, texel.x, texel.y);
    thread_weights wu = weights_along(k, 1, up), wv = weights_along(k, up, 1);
    set_state(PLANE_ax, k, acceleration_at(k, up, wu, wv));
    if (!(stretch_at(k, up, wu.after, wv.after) <= cloth.nearly)) {
        marks[cloth.mark].stretched = stamp;
    }
}
