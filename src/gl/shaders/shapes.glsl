/* Bodies that are shapes, during a substep. */
#ifndef TOILE_GL_SHAPES
#define TOILE_GL_SHAPES

#include "kernel/contact.h"
#include "kernel/shape.h"

/* toile_shape_kind */
const int SPHERE = 0, ELLIPSOID = 1, CAPSULE = 2, BOX = 3;

layout(std430, binding = BIND_SHAPES) restrict readonly buffer shape_buffer {
    shape_block shapes[];
};
layout(std430, binding = BIND_CONTACTS) restrict readonly buffer contact_buffer {
    contact_block contacts[];
};

struct shape {
    int kind;
    float reflection;
    vec3 center, axis_x, axis_y, axis_z, size, velocity, spin;
    bool solid;
};

shape shape_of(int body) {
    shape_block s = shapes[substep * cloth.body_count + body];
    return shape(s.kind, s.reflection, vec3(s.center_x, s.center_y, s.center_z),
                 vec3(s.axis_xx, s.axis_xy, s.axis_xz), vec3(s.axis_yx, s.axis_yy, s.axis_yz),
                 vec3(s.axis_zx, s.axis_zy, s.axis_zz), vec3(s.size_x, s.size_y, s.size_z),
                 vec3(s.velocity_x, s.velocity_y, s.velocity_z),
                 vec3(s.spin_x, s.spin_y, s.spin_z), s.solid >= 0);
}

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
