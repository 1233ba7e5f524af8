#include "gl/version.glsl"
/* A point a texel, all on one place, and only those whose threads are near their limit. */
#include "gl/fragment/shaders/texel.glsl"

uniform sampler2D accelerations;

flat out vec4 message;

void main() {
    ivec2 texel = ivec2(gl_VertexID % cloth.grid.columns, gl_VertexID / cloth.grid.columns);
    bool quiet = texelFetch(accelerations, texel + FRAGMENT_HALO, 0).w <= cloth.nearly;
    message = vec4(1.0);
    gl_PointSize = 1.0;
    gl_Position = quiet ? vec4(2.0, 2.0, 2.0, 1.0) : vec4(0.0, 0.0, 0.0, 1.0);
}
