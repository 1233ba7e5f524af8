#version 430 core
/* A step of implicit bending on the finest level; what it would do to smooth bends is kept for the
 * coarser ones. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/bending.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

vec3 bent_at(int k) {
    vec3 x = level_at(LEVEL_qx, k);
    return v3_madd(x, x - state_at(PLANE_x, k), cloth.bend_lag);
}

float coverage_at(int k) {
    return table_at(TABLE_coverage, k);
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(cloth.grid, texel) || !(level.bend_taken > 0.0)) {
        return;
    }
    int up = cloth.grid.stride, k = index_of(cloth.grid, texel.x, texel.y);
    float mass = table_at(TABLE_inverse_mass, k);
    thread_weights wu = weights_along(k, 1, up), wv = weights_along(k, up, 1);
    vec3 push = bending_at(k, up, wu, wv) * (-cloth.bend_rate * mass);
    float share = level.bend_taken * bend_share(level.bend_stiff, mass);
    set_level(LEVEL_x, k, v3_madd(level_at(LEVEL_qx, k), push, share));
    set_level(LEVEL_ox, k, push);
}
