/* The response of a texel to a body. */
#ifndef TOILE_GL_RESPOND
#define TOILE_GL_RESPOND

#include "gl/shaders/shapes.glsl"

/* How far shapes have moved the texel on coarse levels. */
float push_at(int k) {
    return cloth.levels > 0 ? level_plane_at(LEVEL_push, k) / cloth.substep : 0.0;
}

/* Answers a contact of a texel that will be `ahead`, where the surface of the body is as hit says;
 * returns whether it touches it. */
bool respond_to(int k, int body, shape s, vec3 ahead, vec4 hit, inout vec3 p, inout vec3 v) {
    float distance = contacts[body].distance;
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
    return reached || gap < 0.0;
}

/* The same for a shape. */
bool respond(int k, int body, inout vec3 p, inout vec3 v) {
    shape s = shape_of(body);
    vec3 ahead = v3_madd(p, v, cloth.substep);
    return respond_to(k, body, s, ahead, shape_hit(s, ahead), p, v);
}

#endif
