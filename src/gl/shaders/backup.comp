#version 430 core
/* Keeps the state in case the step fails, or goes back to it. */
#include "gl/shaders/texel.glsl"
#include "gl/shaders/backup.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

uniform ivec4 call; /* x: back */

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in(cloth.grid, texel)) {
        return;
    }
    int k = index_of(cloth.grid, texel.x, texel.y);
    bool back = call.x != 0;
    copy_state(k, back ? PLANE_backup_x : PLANE_x, back ? PLANE_x : PLANE_backup_x);
}
