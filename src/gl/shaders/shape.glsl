/* A body that is a shape, and what it does to a texel. */
#ifndef TOILE_GL_SHAPE
#define TOILE_GL_SHAPE

#include "kernel/contact.h"
#include "kernel/shape.h"

/* toile_shape_kind */
const int SPHERE = 0, ELLIPSOID = 1, CAPSULE = 2, BOX = 3;

struct shape {
    int kind;
    float reflection;
    vec3 center, axis_x, axis_y, axis_z, size, velocity, spin;
    bool solid;
};

/* Unit normal, in the world, and distance. */
vec4 shape_hit(shape s, vec3 p) {
    vec3 own = shape_local_point(p, s.center, s.axis_x, s.axis_y, s.axis_z);
    vec4 hit = s.kind == SPHERE      ? sphere_distance(own, s.size)
               : s.kind == ELLIPSOID ? ellipsoid_distance(own, s.size)
               : s.kind == CAPSULE   ? capsule_distance(own, s.size)
               : s.kind == BOX       ? box_distance(own, s.size)
                                     : plane_distance(own, s.size);
    return vec4(shape_world_direction(hit.xyz, s.axis_x, s.axis_y, s.axis_z), hit.w);
}

/* Answers a contact of a texel that will be `ahead`, where the surface of the body is as hit says;
 * returns whether it touches it. push: a velocity, by which coarse levels have pushed it out. */
bool contact_answer(shape s, contact_block contact, float push, vec3 ahead, vec4 hit, inout vec3 p,
                    inout vec3 v) {
    float distance = contact.distance;
    vec3 surface = contact_surface_velocity(s.velocity, s.spin, ahead - s.center);
    float gap = contact_gap(p, ahead, hit.w - distance, hit.xyz, surface, cloth.substep);
    bool reached = contact_reached(v, hit.xyz, gap, surface, cloth.substep);
    /* What coarse levels pushed out is on the surface, or was pulled off it again. */
    float pressure = gap < distance ? push : 0.0;
    p += hit.xyz * contact_shift(gap, reached, s.reflection);
    if (reached || pressure > 0.0) {
        v = contact_velocity(v, hit.xyz, surface, reached, pressure, contact.friction,
                             s.reflection);
    }
    return reached || gap < 0.0;
}

#endif
