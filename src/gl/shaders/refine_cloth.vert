#version 430 core
/* A corner of a triangle of the level above: two to a cell, as in cpu/refine_image.c. */
#include "gl/shaders/refine_peel.glsl"

uniform int above; /* columns of the level above */

void main() {
    const ivec2 ways[6] =
        ivec2[6](ivec2(0, 0), ivec2(1, 0), ivec2(1, 1), ivec2(0, 0), ivec2(1, 1), ivec2(0, 1));
    int number = gl_VertexID / 3, cell = number / 2;
    ivec2 at = ivec2(cell % (above - 1), cell / (above - 1)) + ways[gl_VertexID % 6];
    emit_corner(number, position_of(at));
}
