#include "gl/version.glsl"
/* The elongation limit. */
#include "gl/fragment/shaders/texel.glsl"
#include "gl/shaders/limit.glsl"

uniform int call; /* 1 to limit rates, 0 lengths */

layout(location = 0) out vec4 velocity;

void main() {
    velocity = vec4(limited_at(ivec2(gl_FragCoord.xy), UP, call != 0), 0.0);
}
