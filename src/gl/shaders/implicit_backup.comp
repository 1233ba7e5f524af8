#version 430 core
/* The same with the state of the implicit solver: how velocities change, and friction. */
#include "gl/shaders/implicit.glsl"
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
    if (back) {
        set_implicit(IMPLICIT_change_x, k, implicit_at(IMPLICIT_backup_change_x, k));
    } else {
        vec3 change = implicit_at(IMPLICIT_change_x, k);
        set_implicit(IMPLICIT_backup_change_x, k, change);
        set_implicit(IMPLICIT_change_x, k, change * cloth.pace);
    }
    if (!back && cloth.looks != 0) {
        set_implicit(IMPLICIT_rest_x, k, state_at(PLANE_x, k));
    }
    int from = back ? IMPLICIT_backup_fx : IMPLICIT_fx, to = back ? IMPLICIT_fx : IMPLICIT_backup_fx;
    set_implicit(to, k, implicit_at(from, k));
    set_implicit_plane(to + 3, k, implicit_plane_at(from + 3, k));
}
