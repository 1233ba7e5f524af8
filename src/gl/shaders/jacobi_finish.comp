#version 430 core
/* The last iteration of Jacobi on the finest level, back from the other planes, and the end of the
 * substep. Nobody asks for multipliers then. */
#include "gl/shaders/level.glsl"
#include "gl/shaders/finish.glsl"
#include "gl/shaders/jacobi.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

uniform ivec4 call; /* x: texels respond to the body */

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(level.grid, texel)) {
        return;
    }
    int k = index_of(level.grid, texel.x, texel.y);
    vec3 end = jacobi_at(jacobi_planes(LEVEL_qx, LEVEL_nu), k).position;
    set_level(LEVEL_x, k, end);
    finish_texel(k, end, call.x != 0);
}
