/* All bodies that are shapes, during a substep. A shader that has them in other places, or another
 * word for how many bodies there are, says so. */
#ifndef TOILE_GL_SHAPE_LIST
#define TOILE_GL_SHAPE_LIST

#include "gl/shaders/shape_hit.glsl"

#ifndef SHAPE_COUNT
#define SHAPE_COUNT    cloth.body_count
#define SHAPES_PLACE   BIND_SHAPES
#define CONTACTS_PLACE BIND_CONTACTS
#endif

layout(std430, binding = SHAPES_PLACE) restrict readonly buffer shape_buffer {
    shape_block shapes[];
};
layout(std430, binding = CONTACTS_PLACE) restrict readonly buffer contact_buffer {
    contact_block contacts[];
};

shape shape_of(int body) {
    shape_block s = shapes[substep * SHAPE_COUNT + body];
    return shape(s.kind, s.reflection, vec3(s.center_x, s.center_y, s.center_z),
                 vec3(s.axis_xx, s.axis_xy, s.axis_xz), vec3(s.axis_yx, s.axis_yy, s.axis_yz),
                 vec3(s.axis_zx, s.axis_zy, s.axis_zz), vec3(s.size_x, s.size_y, s.size_z),
                 vec3(s.velocity_x, s.velocity_y, s.velocity_z),
                 vec3(s.spin_x, s.spin_y, s.spin_z), s.solid >= 0);
}

#endif
