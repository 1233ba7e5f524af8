#version 430 core
/* The start of a substep of Newton's method: the state, for passes over tiles; inertia; and the
 * bending that does not change. */
#include "gl/shaders/newton_cloth.glsl"
#include "gl/shaders/newton_sum.glsl"
#include "gl/shaders/newton_system.glsl"

layout(local_size_x = UP_COLUMNS, local_size_y = UP_ROWS) in;

layout(std430, binding = BIND_PARTS) restrict writeonly buffer part_buffer { float parts[]; };

uniform ivec4 call; /* x: where sums of the cloth begin among the parts */

vec3 load_move(int k) {
    return state_at(PLANE_x, k);
}

void load_state(int k) {
    bool second = cloth.substep < cloth.moment;
    vec3 speed = state_at(PLANE_vx, k);
    set_equation(EQ_cover, k, plane_at(PLANE_coverage, k));
    set_vector(EQ_place, k, level_at(LEVEL_x, k));
    set_vector(EQ_start, k, state_at(PLANE_x, k));
    set_vector(EQ_speed, k, speed);
    set_vector(EQ_came, k, second ? implicit_at(IMPLICIT_began_x, k) : speed);
    set_vector(EQ_kept, k, implicit_at(IMPLICIT_fx, k));
    set_equation(EQ_limit, k, implicit_plane_at(IMPLICIT_limit, k));
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(cloth.grid, texel.x, texel.y);
    float inertia = 0.0;
    enter_equations();
    if (is_in(cloth.grid, texel)) {
        inertia = solve_inertia(plane_at(PLANE_inverse_mass, k),
                                1.0 / (cloth.substep * cloth.substep));
        set_equation(EQ_inertia, k, inertia);
        set_vector(EQ_lag, k, system_bending(k, cloth.grid.stride) * cloth.bend_lag);
        load_state(k);
    }
    vec4 sum = sum_tile(vec4(inertia, 0.0, 0.0, 0.0), false);
    if (gl_LocalInvocationIndex == 0u) {
        uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
        parts[call.x + SUMS_FLOATS * int(tile) + SUMS_INERTIA] = sum.x;
    }
}
