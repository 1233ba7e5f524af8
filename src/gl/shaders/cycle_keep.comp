#version 430 core
/* Friction at the end of the substep, and texels that go on with the body; see cpu/grip.c. */
#include "gl/shaders/cycle.glsl"

layout(local_size_x = GROUP_COLUMNS, local_size_y = GROUP_ROWS) in;

void main() {
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    int k = index_of(level.grid, texel.x, texel.y);
    if (!is_in(level.grid, texel)) {
        return;
    }
    if (cycle[row_mark(texel)] != row_stamp(marks[cloth.mark].ready)) {
        set_cycle(CYCLE_fx, k, vec3(0.0));
        set_cycle_plane(CYCLE_limit, k, 0.0);
        return;
    }
    float gap = cycle_plane_at(CYCLE_gap, k), hold = cycle_plane_at(CYCLE_hold, k);
    bool touched = gap < FAR_AWAY;
    vec3 n = cycle_at(CYCLE_nx, k), e = cycle_at(CYCLE_ex, k);
    vec3 gone = cycle_at(CYCLE_gx, k) + (level_at(LEVEL_x, k) - level_at(LEVEL_qx, k));
    float inertia = matrix_at(MATRIX_inertia, k);
    vec3 own = e / k_max(matrix_at(MATRIX_inverse, k), KERNEL_TINY);
    float press = grip_reaction(cycle_plane_at(CYCLE_press, k), own, around(CYCLE_ex, k), n, gone,
                                inertia);
    press = hold > 0.0 ? press : 0.0;
    float now = touched ? cycle_plane_at(CYCLE_mu, k) * press : 0.0;
    float limit = grip_limit(cycle_plane_at(CYCLE_limit, k), now, cloth.grip_follow);
    vec3 slid = touched ? along_surface(gone, n) : vec3(0.0);
    set_cycle_plane(CYCLE_limit, k, limit);
    set_cycle(CYCLE_fx, k, grip_friction(cycle_at(CYCLE_fx, k), slid, inertia,
                                         cycle_plane_at(CYCLE_most, k)));
    if (hold > 0.0) {
        float came = v3_dot(gone, n);
        set_state(PLANE_x, k, v3_madd(state_at(PLANE_x, k), n, came));
        set_state(PLANE_vx, k, v3_madd(state_at(PLANE_vx, k), n, -came / cloth.substep));
    }
}
