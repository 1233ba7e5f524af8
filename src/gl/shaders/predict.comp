#version 430 core
/* Where texels get to without constraints, whose multipliers begin at zero. */
#include "gl/shaders/level.glsl"
#include "kernel/integrate.h"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

float predict(float v, float gravity, float wind, float inverse_mass) {
    float push = 0.25 * cloth.substep * wind * inverse_mass;
    return integrate_free(v, cloth.persistence, gravity * cloth.substep, push);
}

vec3 wind_at(int k, int up) {
    return (state_at(PLANE_sx, k) + state_at(PLANE_sx, k - 1 - up)) +
           (state_at(PLANE_sx, k - 1) + state_at(PLANE_sx, k - up));
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(cloth.grid, texel)) {
        return;
    }
    int k = index_of(cloth.grid, texel.x, texel.y);
    float inverse_mass = plane_at(PLANE_inverse_mass, k);
    vec3 v = state_at(PLANE_vx, k);
    if (inverse_mass > 0.0) {
        vec3 wind = cloth.windy != 0 ? wind_at(k, cloth.grid.stride) : vec3(0.0);
        v = vec3(predict(v.x, cloth.gravity_x, wind.x, inverse_mass),
                 predict(v.y, cloth.gravity_y, wind.y, inverse_mass),
                 predict(v.z, cloth.gravity_z, wind.z, inverse_mass));
        set_state(PLANE_vx, k, v);
    }
    /* Before bending, if there is any, which goes from there to x, y, z. */
    int to = level.bend_taken > 0.0 ? LEVEL_qx : LEVEL_x;
    set_level(to, k, v3_madd(state_at(PLANE_x, k), v, cloth.substep));
    for (int plane = LEVEL_push; plane <= LEVEL_lf; plane++) {
        set_level_plane(plane, k, 0.0);
    }
}
