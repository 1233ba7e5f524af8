#version 430 core
/* Texels that get to a body: place and velocity. A work group has a row, for the sweeps of a row
 * end together, as in cpu/contact.c. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/shapes.glsl"

layout(local_size_x = GROUP_LINE) in;

/* The first and the last body that a texel of the row touches in a sweep. */
shared int lowest, highest;

/* How far shapes have moved the texel on coarse levels. */
float push_at(int k) {
    return cloth.levels > 0 ? level_plane_at(LEVEL_push, k) / cloth.substep : 0.0;
}

void respond(int k, int body, inout vec3 p, inout vec3 v) {
    shape s = shape_of(body);
    float distance = contacts[body].distance;
    vec3 ahead = v3_madd(p, v, cloth.substep);
    vec4 hit = shape_hit(s, ahead);
    vec3 surface = contact_surface_velocity(s.velocity, s.spin, ahead - s.center);
    float gap = contact_gap(p, ahead, hit.w - distance, hit.xyz, surface, cloth.substep);
    bool reached = contact_reached(v, hit.xyz, gap, surface, cloth.substep);
    /* What coarse levels pushed out is on the surface, or was pulled off it again. */
    float pressure = gap < distance ? push_at(k) : 0.0;
    p += hit.xyz * contact_shift(gap, reached, s.reflection);
    if (reached || pressure > 0.0) {
        v = contact_velocity(v, hit.xyz, surface, reached, pressure, contacts[body].friction,
                             s.reflection);
    }
    if (reached || gap < 0.0) {
        atomicMin(lowest, body);
        atomicMax(highest, body);
    }
}

void respond_texel(int k) {
    vec3 p = state_at(PLANE_x, k), v = state_at(PLANE_vx, k);
    for (int body = 0; body < cloth.body_count; body++) {
        if (!shape_of(body).solid) {
            respond(k, body, p, v);
        }
    }
    set_state(PLANE_x, k, p);
    set_state(PLANE_vx, k, v);
}

void main() {
    int row = int(gl_WorkGroupID.x), own = int(gl_LocalInvocationID.x);
    for (int sweep = 0; sweep < CONTACT_SWEEPS; sweep++) {
        if (own == 0) {
            lowest = cloth.body_count;
            highest = -1;
        }
        barrier();
        for (int column = own; column < cloth.grid.columns; column += GROUP_LINE) {
            int k = index_of(cloth.grid, column, row);
            if (plane_at(PLANE_inverse_mass, k) > 0.0) {
                respond_texel(k);
            }
        }
        barrier();
        bool several = lowest < highest;
        barrier();
        if (!several) {
            break;
        }
    }
}
