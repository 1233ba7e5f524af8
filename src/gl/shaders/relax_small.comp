#version 430 core
/* Gauss-Seidel on a small level. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/relax_small.glsl"

uniform ivec4 call; /* x: iterations, y: texels go out of shapes then */

void main() {
    relax_level(call.x, call.y != 0);
}
