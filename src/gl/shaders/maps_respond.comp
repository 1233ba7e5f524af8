#version 430 core
/* Texels that get to a body whose images they are compared with: place and velocity. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/marks.glsl"
#include "gl/shaders/respond.glsl"
#include "gl/shaders/maps.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

uniform ivec4 call; /* x: what is hidden is counted */

/* One sweep over the bodies; returns how many were touched. */
int respond_to_all(int k, inout vec3 p, inout vec3 v, inout bool hidden) {
    int count = 0;
    for (int body = 0; body < cloth.body_count; body++) {
        shape s = shape_of(body);
        if (s.solid) {
            bool unseen;
            vec3 ahead = v3_madd(p, v, cloth.substep);
            vec4 hit = body_map_hit(body, s, ahead, unseen);
            hidden = hidden || unseen;
            count += respond_to(k, body, s, ahead, hit, p, v) ? 1 : 0;
        }
    }
    return count;
}

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(cloth.grid, texel.x, texel.y);
    if (!is_in(cloth.grid, texel) || !(plane_at(PLANE_inverse_mass, k) > 0.0)) {
        return;
    }
    vec3 p = state_at(PLANE_x, k), v = state_at(PLANE_vx, k);
    bool hidden = false;
    for (int sweep = 0; sweep < CONTACT_SWEEPS && respond_to_all(k, p, v, hidden) > 1; sweep++) {
    }
    set_state(PLANE_x, k, p);
    set_state(PLANE_vx, k, v);
    if (hidden && call.x != 0) {
        atomicAdd(marks[cloth.mark].hidden, 1);
    }
}
