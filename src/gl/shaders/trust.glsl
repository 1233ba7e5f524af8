/* Velocities that are multiplied for the work of what iterations have left; see cpu/work.c. */
#ifndef TOILE_GL_TRUST
#define TOILE_GL_TRUST

bool is_touched(int k) {
    return cycle_plane_at(CYCLE_gap, k) < FAR_AWAY;
}

/* Is the texel free, and touched by no body? */
bool takes_part(int k) {
    return plane_at(PLANE_inverse_mass, k) > 0.0 && !is_touched(k);
}

vec3 trusted_velocity(int k, vec3 v) {
    mark_block m = marks[cloth.mark];
    return takes_part(k) ? v * m.trust + vec3(m.drift_x, m.drift_y, m.drift_z) : v;
}

#endif
