/* A body that is a shape, and what it does to a texel. */
#ifndef TOILE_GL_SHAPE
#define TOILE_GL_SHAPE

#include "gl/shaders/shape_hit.glsl"

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
