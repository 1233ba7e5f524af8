#version 430 core
/* The end of a substep of the implicit solver with at most one body, which concerns each texel by
 * itself: velocity, friction, response and move, and the velocity multiplied for the work of what
 * iterations have left. */
#include "gl/shaders/cycle.glsl"
#include "gl/shaders/keep.glsl"
#include "gl/shaders/respond.glsl"
#include "gl/shaders/trust.glsl"
#include "gl/shaders/velocity.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

uniform ivec4 call; /* x: friction is kept, y: texels respond to the body */

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(cloth.grid, texel)) {
        return;
    }
    int k = index_of(cloth.grid, texel.x, texel.y);
    bool free = plane_at(PLANE_inverse_mass, k) > 0.0;
    vec3 x = state_at(PLANE_x, k), v = state_at(PLANE_vx, k);
    v = free ? arrival_velocity(k, x, v) : v;
    if (call.x != 0) {
        keep(texel, k, x, v);
    }
    if (free && call.y != 0) {
        respond(k, 0, x, v);
    }
    set_state(PLANE_x, k, v3_madd(x, v, cloth.substep));
    set_state(PLANE_vx, k, trusted_velocity(k, v));
}
