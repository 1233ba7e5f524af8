#version 430 core
/* The start of a substep of Newton's method: inertia, and the bending that does not change. */
#include "gl/shaders/newton_cloth.glsl"
#include "gl/shaders/newton_sum.glsl"
#include "gl/shaders/newton_system.glsl"

vec3 load_move(int k) {
    return state_at(PLANE_x, k);
}

void main() {
    int k = enter();
    float inertia = 0.0;
    if (is_there()) {
        inertia = solve_inertia(plane_at(PLANE_inverse_mass, k),
                                1.0 / (cloth.substep * cloth.substep));
        set_equation(EQ_inertia, k, inertia);
        set_vector(EQ_lag, k, system_bending(k, cloth.grid.stride) * cloth.bend_lag);
    }
    vec4 sum = sum_tile(vec4(inertia, 0.0, 0.0, 0.0), false);
    if (gl_LocalInvocationIndex == 0u) {
        parts[sums_at() + SUMS_INERTIA] = sum.x;
    }
}
