#version 430 core
/* Edge-based Gauss-Seidel, one of the eight independent sets of cpu/relax.c. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/relax.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

/* The kind of the edges, and whether they start in even or odd columns or rows. */
uniform ivec4 call;

void main() {
    relax_number(ivec2(gl_GlobalInvocationID.xy), call.x, call.y);
}
