#version 430 core
/* The force of rest curvature; see cpu/curl.c. */
#include "gl/shaders/implicit.glsl"
#include "gl/shaders/bending.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

vec3 bent_at(PLACE k) {
    return implicit_at(IMPLICIT_sx, k);
}

float coverage_at(PLACE k) {
    return plane_at(PLANE_coverage, k);
}

vec3 curl_along(int k, int next, int side) {
    thread_weights w = weights_along(k, next, side);
    return bend_gradient(bent_at(k - next), bent_at(k), bent_at(k + next), w.bend_before,
                         w.bend_here, w.bend_after);
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y), up = level.grid.stride;
    if (!is_in(level.grid, texel)) {
        return;
    }
    vec3 force = bend_rest_force(curl_along(k, 1, up), curl_along(k, up, 1), cloth.curl_u,
                                 cloth.curl_v);
    float gain = cloth.substep * plane_at(PLANE_inverse_mass, k);
    set_state(PLANE_vx, k, state_at(PLANE_vx, k) + gain * force);
}
