#version 430 core
/* A vertex of the level above, corrected on the way (chapter 8, 6): the numbers are those of that
 * level. */
#include "gl/shaders/refine_correct.glsl"

out corner_block {
    flat vec3 position;
    flat int mark;
    flat int number;
} corner;

void main() {
    vertex v = correct(ivec2(gl_VertexID % level.x, gl_VertexID / level.x));
    corner.position = v.position;
    corner.mark = v.mark;
    corner.number = gl_VertexID;
}
