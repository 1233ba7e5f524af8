#version 430 core
/* The same with the state of the implicit solver: how velocities change, and friction. */
#include "gl/shaders/cycle.glsl"
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
        set_state(PLANE_ax, k, cycle_at(CYCLE_kx, k));
    } else {
        vec3 change = state_at(PLANE_ax, k);
        set_cycle(CYCLE_kx, k, change);
        set_state(PLANE_ax, k, change * cloth.pace);
    }
    int from = back ? CYCLE_backup_fx : CYCLE_fx, to = back ? CYCLE_fx : CYCLE_backup_fx;
    set_cycle(to, k, cycle_at(from, k));
    set_cycle_plane(to + 3, k, cycle_plane_at(from + 3, k));
}
