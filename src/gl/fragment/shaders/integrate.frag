#include "gl/version.glsl"
/* Accelerations to velocities. */
#include "gl/fragment/shaders/texel.glsl"
#include "gl/shaders/integrate.glsl"

uniform sampler2D accelerations;
uniform float share;

layout(location = 0) out vec4 velocity;

void main() {
    ivec2 k = ivec2(gl_FragCoord.xy);
    vec3 v = v_at(k);
    if (inverse_mass_at(k) > 0.0) {
        v = integrated(v, texelFetch(accelerations, k, 0).xyz, share);
    }
    velocity = vec4(v, 0.0);
}
