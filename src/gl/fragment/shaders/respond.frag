#include "gl/version.glsl"
/* Texels that get to bodies: place and velocity. One that touches several is swept again by itself;
 * on the CPU a whole row is, to which the others of the row have nothing to add. */
#include "gl/fragment/shaders/texel.glsl"
#include "gl/fragment/shaders/numbers.glsl"
#include "gl/shaders/shape.glsl"

uniform int call; /* where the cloth's contacts are among the numbers */

layout(location = 0) out vec4 position;
layout(location = 1) out vec4 velocity;

shape shape_of(int body) {
    int n = moment + MOMENT_NUMBERS + SHAPE_NUMBERS * body;
    vec4 center = number_at(n), x = number_at(n + 1), y = number_at(n + 2), z = number_at(n + 3);
    vec4 motion = number_at(n + 4);
    return shape(int(center.w), x.w, center.xyz, x.xyz, y.xyz, z.xyz, vec3(y.w, z.w, motion.w),
                 motion.xyz, number_at(n + 5).xyz, false);
}

int sweep(inout vec3 p, inout vec3 v) {
    int touched = 0;
    for (int body = 0; body < cloth.body_count; body++) {
        vec4 pair = number_at(call + body);
        contact_block contact = contact_block(pair.x, 0.0, pair.y, 0.0);
        touched += shape_respond(shape_of(body), contact, 0.0, p, v) ? 1 : 0;
    }
    return touched;
}

void main() {
    ivec2 k = ivec2(gl_FragCoord.xy);
    vec3 p = x_at(k), v = v_at(k);
    bool free = inverse_mass_at(k) > 0.0;
    for (int i = 0; free && i < CONTACT_SWEEPS && sweep(p, v) > 1; i++) {
    }
    position = vec4(p, 0.0);
    velocity = vec4(v, 0.0);
}
