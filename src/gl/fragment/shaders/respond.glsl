/* The response of a texel to all bodies. */
#ifndef TOILE_GL_FRAGMENT_RESPOND
#define TOILE_GL_FRAGMENT_RESPOND

#include "gl/fragment/shaders/texel.glsl"
#include "gl/fragment/shaders/numbers.glsl"
#include "gl/shaders/shape.glsl"

uniform int call; /* where the cloth's contacts are among the numbers */

shape shape_of(int body) {
    int n = moment + MOMENT_NUMBERS + SHAPE_NUMBERS * body;
    vec4 center = number_at(n), x = number_at(n + 1), y = number_at(n + 2), z = number_at(n + 3);
    vec4 motion = number_at(n + 4);
    return shape(int(center.w), x.w, center.xyz, x.xyz, y.xyz, z.xyz, vec3(y.w, z.w, motion.w),
                 motion.xyz, number_at(n + 5).xyz, false);
}

/* Place and velocity after a sweep over the bodies. Returns the first and the last one that was
 * touched, counted from 1; 0 for none. */
ivec2 sweep(inout vec3 p, inout vec3 v) {
    ivec2 touched = ivec2(0);
    for (int body = 0; body < cloth.body_count; body++) {
        vec4 pair = number_at(call + body);
        contact_block contact = contact_block(pair.x, 0.0, pair.y, 0.0);
        shape s = shape_of(body);
        vec3 ahead = v3_madd(p, v, cloth.substep);
        if (contact_answer(s, contact, 0.0, ahead, shape_hit(s, ahead), p, v)) {
            touched = ivec2(touched.x > 0 ? touched.x : body + 1, body + 1);
        }
    }
    return touched;
}

#endif
