#version 430 core
/* Friction, for the next substep; none on texels that no body is near. */
#include "gl/shaders/newton_cloth.glsl"

void main() {
    int k = enter();
    if (!is_there()) {
        return;
    }
    touch_rubbed now = touch_rubbed(vec3(0.0), 0.0, state_at(PLANE_x, k));
    if (implicit_plane_at(IMPLICIT_gap, k) < TOUCH_FAR) {
        touching t;
        t.normal = implicit_at(IMPLICIT_nx, k);
        t.gone = implicit_at(IMPLICIT_gx, k);
        t.gap = implicit_plane_at(IMPLICIT_gap, k);
        t.friction = implicit_plane_at(IMPLICIT_mu, k);
        t.hold = implicit_plane_at(IMPLICIT_hold, k);
        now.kept = implicit_at(IMPLICIT_fx, k);
        now.limit = implicit_plane_at(IMPLICIT_limit, k);
        now = touch_rub(t, now, contact_times() * equation_at(EQ_inertia, k), cloth.grip_follow,
                        GRIP_BAND * cloth.spacing);
        set_state(PLANE_x, k, now.start);
    }
    set_implicit(IMPLICIT_fx, k, now.kept);
    set_implicit_plane(IMPLICIT_limit, k, now.limit);
}
