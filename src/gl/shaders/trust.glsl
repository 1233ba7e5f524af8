/* Ways that are made longer or shorter, so that what iterations have left does no work along them;
 * see cpu/work.c. */
#ifndef TOILE_GL_TRUST
#define TOILE_GL_TRUST

/* Is the texel free, and touched by no body? */
bool takes_part(int k) {
    return plane_at(PLANE_inverse_mass, k) > 0.0 && !(cycle_plane_at(CYCLE_gap, k) < FAR_AWAY);
}

vec3 trusted_velocity(int k, vec3 v) {
    return takes_part(k) ? v * marks[cloth.mark].trust : v;
}

#endif
