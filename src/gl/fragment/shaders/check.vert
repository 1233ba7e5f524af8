#include "gl/version.glsl"
/* A point a texel, all on one place, and only those that have left all bounds. Points are drawn in
 * order, and the last texel comes first: what is seen is the first one. */
#include "gl/fragment/shaders/texel.glsl"
#include "kernel/integrate.h"

flat out vec4 message;

void main() {
    int last = cloth.grid.columns * cloth.grid.rows - 1, number = last - gl_VertexID;
    ivec2 texel = ivec2(number % cloth.grid.columns, number / cloth.grid.columns);
    bool bad = integrate_failed(x_at(texel + FRAGMENT_HALO), v_at(texel + FRAGMENT_HALO));
    message = vec4(1.0, vec2(texel), 0.0);
    gl_PointSize = 1.0;
    gl_Position = bad ? vec4(0.0, 0.0, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}
