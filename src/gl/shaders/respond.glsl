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
    contact_block contact = contacts[body]; /* NVIDIA takes none that lies in a buffer */
    return contact_answer(s, contact, push_at(k), ahead, hit, p, v);
}

/* The same for a shape. */
bool respond(int k, int body, inout vec3 p, inout vec3 v) {
    shape s = shape_of(body);
    vec3 ahead = v3_madd(p, v, cloth.substep);
    return respond_to(k, body, s, ahead, shape_hit(s, ahead), p, v);
}

#endif
