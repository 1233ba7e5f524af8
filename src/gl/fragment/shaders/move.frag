#include "gl/version.glsl"
/* Velocities to positions. */
#include "gl/fragment/shaders/texel.glsl"

layout(location = 0) out vec4 position;

void main() {
    ivec2 k = ivec2(gl_FragCoord.xy);
    position = vec4(v3_madd(x_at(k), v_at(k), cloth.substep), 0.0);
}
