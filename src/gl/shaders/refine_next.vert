#version 430 core
/* A vertex of the level above, from its geometry image. */
#include "gl/shaders/refine.glsl"

out corner_block {
    flat vec3 position;
    flat int mark;
    flat int number;
} corner;

uniform int above; /* columns of the level above */

void main() {
    ivec2 at = ivec2(gl_VertexID % above, gl_VertexID / above);
    corner.position = position_of(at);
    corner.mark = mark_of(at);
    corner.number = gl_VertexID;
}
