#version 430 core
/* Forces of springs, bending, wind and gravity: one texel gathers from its twelve neighbours. Sums
 * run in mirrored pairs, as in cpu/spring.c. */
#include "gl/shaders/texel.glsl"
#include "gl/shaders/bending.glsl"
#include "gl/shaders/marks.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

vec3 bent_at(int k) {
    return v3_madd(state_at(PLANE_x, k), state_at(PLANE_vx, k), cloth.bend_retardation);
}

float coverage_at(int k) {
    return plane_at(PLANE_coverage, k);
}

vec3 spring_to(int k, int to, vec3 here, vec3 here_v, float rest, float stiffness) {
    vec3 d = state_at(PLANE_x, k + to) - here;
    vec3 rate = state_at(PLANE_vx, k + to) - here_v;
    return spring_force(d, rate, rest, stiffness, cloth.stretch_retardation);
}

vec3 springs_at(int k, int up, thread_weights wu, thread_weights wv) {
    vec3 x = state_at(PLANE_x, k), v = state_at(PLANE_vx, k);
    float h = cloth.spacing, g = cloth.diagonal;
    float ku = cloth.stretch_u, kv = cloth.stretch_v, ks = cloth.shear;
    vec3 along_u = spring_to(k, -1, x, v, h, ku * wu.before) +
                   spring_to(k, 1, x, v, h, ku * wu.after);
    vec3 along_v = spring_to(k, -up, x, v, h, kv * wv.before) +
                   spring_to(k, up, x, v, h, kv * wv.after);
    vec3 rising = spring_to(k, 1 + up, x, v, g, ks * coverage_at(k)) +
                  spring_to(k, -1 - up, x, v, g, ks * coverage_at(k - 1 - up));
    vec3 falling = spring_to(k, up - 1, x, v, g, ks * coverage_at(k - 1)) +
                   spring_to(k, 1 - up, x, v, g, ks * coverage_at(k - up));
    return (along_u + along_v) + (rising + falling);
}

vec3 wind_at(int k, int up) {
    return (state_at(PLANE_sx, k) + state_at(PLANE_sx, k - 1 - up)) +
           (state_at(PLANE_sx, k - 1) + state_at(PLANE_sx, k - up));
}

/* How long the threads to the right and up are, over their rest length; 0 where there is none. */
float stretch_at(int k, int up, float weight_u, float weight_v) {
    vec3 here = state_at(PLANE_x, k);
    vec3 right = state_at(PLANE_x, k + 1) - here, above = state_at(PLANE_x, k + up) - here;
    float u = weight_u > 0.0 ? v3_dot(right, right) : 0.0;
    float v = weight_v > 0.0 ? v3_dot(above, above) : 0.0;
    return k_sqrt(k_max(u, v)) / cloth.spacing;
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(cloth.grid, texel)) {
        return;
    }
    int up = cloth.grid.stride, k = index_of(cloth.grid, texel.x, texel.y);
    thread_weights wu = weights_along(k, 1, up), wv = weights_along(k, up, 1);
    vec3 force = springs_at(k, up, wu, wv) - bending_at(k, up, wu, wv) * cloth.bend;
    if (cloth.windy != 0) {
        force = v3_madd(force, wind_at(k, up), 0.25);
    }
    vec3 gravity = vec3(cloth.gravity_x, cloth.gravity_y, cloth.gravity_z);
    set_state(PLANE_ax, k, v3_madd(gravity, force, plane_at(PLANE_inverse_mass, k)));
    if (!(stretch_at(k, up, wu.after, wv.after) <= cloth.nearly)) {
        marks[cloth.mark].stretched = stamp;
    }
}
