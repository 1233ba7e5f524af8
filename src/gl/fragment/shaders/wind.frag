#include "gl/version.glsl"
/* Wind on the cells. */
#include "gl/fragment/shaders/texel.glsl"
#include "gl/fragment/shaders/numbers.glsl"
#include "gl/shaders/air.glsl"

layout(location = 0) out vec4 force;

void main() {
    ivec2 k = ivec2(gl_FragCoord.xy);
    float coverage = coverage_at(k);
    vec3 wind = wind_now();
    force = vec4(coverage > 0.0 ? cell_force(k, UP, wind) * coverage : vec3(0.0), 0.0);
}
