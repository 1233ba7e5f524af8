/* A body that is a shape, and where its surface is. */
#ifndef TOILE_GL_SHAPE_HIT
#define TOILE_GL_SHAPE_HIT

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

#endif
