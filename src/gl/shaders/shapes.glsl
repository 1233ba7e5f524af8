/* Bodies that are shapes, during a substep. */
#ifndef TOILE_GL_SHAPES
#define TOILE_GL_SHAPES

#include "gl/shaders/shape.glsl"

layout(std430, binding = BIND_SHAPES) restrict readonly buffer shape_buffer {
    shape_block shapes[];
};
layout(std430, binding = BIND_CONTACTS) restrict readonly buffer contact_buffer {
    contact_block contacts[];
};

shape shape_of(int body) {
    shape_block s = shapes[substep * cloth.body_count + body];
    return shape(s.kind, s.reflection, vec3(s.center_x, s.center_y, s.center_z),
                 vec3(s.axis_xx, s.axis_xy, s.axis_xz), vec3(s.axis_yx, s.axis_yy, s.axis_yz),
                 vec3(s.axis_zx, s.axis_zy, s.axis_zz), vec3(s.size_x, s.size_y, s.size_z),
                 vec3(s.velocity_x, s.velocity_y, s.velocity_z),
                 vec3(s.spin_x, s.spin_y, s.spin_z), s.solid >= 0);
}

#endif
