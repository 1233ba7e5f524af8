/* Friction at the end of a substep, and texels that go on with the body; see cpu/grip.c. */
#ifndef TOILE_GL_KEEP
#define TOILE_GL_KEEP

void keep(ivec2 texel, int k, inout vec3 x, inout vec3 v) {
    if (cycle[row_mark(texel)] != row_stamp(marks[cloth.mark].ready)) {
        set_cycle(CYCLE_fx, k, vec3(0.0));
        set_cycle_plane(CYCLE_limit, k, 0.0);
        return;
    }
    float gap = cycle_plane_at(CYCLE_gap, k), hold = cycle_plane_at(CYCLE_hold, k);
    bool touched = gap < FAR_AWAY;
    vec3 n = cycle_at(CYCLE_nx, k), gone = gone_at(k);
    float inertia = matrix_at(MATRIX_inertia, k);
    float press = grip_reaction(cycle_plane_at(CYCLE_press, k), n, gone, inertia, hold);
    float now = touched ? cycle_plane_at(CYCLE_mu, k) * press : 0.0;
    float limit = grip_limit(cycle_plane_at(CYCLE_limit, k), now, cloth.grip_follow);
    vec3 slid = touched ? along_surface(gone, n) : vec3(0.0);
    set_cycle_plane(CYCLE_limit, k, limit);
    set_cycle(CYCLE_fx, k, grip_friction(cycle_at(CYCLE_fx, k), slid, inertia,
                                         cycle_plane_at(CYCLE_most, k)));
    if (hold > 0.0) {
        float came = v3_dot(gone, n);
        x = v3_madd(x, n, came);
        v = v3_madd(v, n, -came / cloth.substep);
    }
}

#endif
