#include "gl/version.glsl"
/* Forces to accelerations, and how long the texel's threads are. */
#include "gl/fragment/shaders/texel.glsl"
#include "gl/shaders/springs.glsl"

uniform sampler2D air;

layout(location = 0) out vec4 acceleration;

vec3 air_at(ivec2 k) {
    return texelFetch(air, k, 0).xyz;
}

void main() {
    ivec2 k = ivec2(gl_FragCoord.xy);
    thread_weights wu = weights_along(k, RIGHT, UP), wv = weights_along(k, UP, RIGHT);
    acceleration =
        vec4(acceleration_at(k, UP, wu, wv), stretch_at(k, UP, wu.after, wv.after));
}
