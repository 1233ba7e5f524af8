#include "gl/version.glsl"
/* All texels of a cloth, or none when no thread is near its limit: then velocities stay where they
 * are, for passes of the limit come in pairs. */
uniform sampler2D mark;

void main() {
    bool stretched = texelFetch(mark, ivec2(0), 0).x > 0.0;
    vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    gl_Position = stretched ? vec4(corner, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}
