#version 430 core
/* The next layer (section 6.4): what is behind the one before, front to back, and by number where
 * surfaces coincide. */
#include "gl/refine_units.h"

layout(binding = REFINE_UNIT_LAYERS) uniform sampler2DArray layers;
uniform int layer; /* that is drawn */

flat in int triangle;

out vec4 color;

void main() {
    float depth = gl_FragCoord.z, right = dFdx(depth), up = dFdy(depth);
    float number = float(triangle + 1);
    if (layer > 0) {
        vec4 nearer = texelFetch(layers, ivec3(gl_FragCoord.xy, layer - 1), 0);
        bool behind = depth > nearer.x || (depth == nearer.x && number > abs(nearer.w));
        if (nearer.w == 0.0 || !behind) {
            discard;
        }
    }
    color = vec4(depth, right, up, gl_FrontFacing ? number : -number);
}
