#include "gl/version.glsl"
/* Texels that get to bodies: place and velocity, and which bodies they touch. */
#include "gl/fragment/shaders/respond.glsl"

layout(location = 0) out vec4 position;
layout(location = 1) out vec4 velocity;

void main() {
    ivec2 k = ivec2(gl_FragCoord.xy);
    vec3 p = x_at(k), v = v_at(k);
    ivec2 touched = inverse_mass_at(k) > 0.0 ? sweep(p, v) : ivec2(0);
    position = vec4(p, float(touched.x));
    velocity = vec4(v, float(touched.y));
}
