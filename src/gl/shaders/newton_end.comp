#version 430 core
/* Friction, for the next substep; none on texels that no body is near. */
#include "gl/shaders/newton_cloth.glsl"

void main() {
    int k = enter();
    if (!is_there()) {
        return;
    }
    touch_rubbed now = touch_rubbed(vec3(0.0), 0.0, state_at(PLANE_x, k));
    if (cycle_plane_at(CYCLE_gap, k) < TOUCH_FAR) {
        touching t;
        t.normal = cycle_at(CYCLE_nx, k);
        t.gone = cycle_at(CYCLE_gx, k);
        t.gap = cycle_plane_at(CYCLE_gap, k);
        t.friction = cycle_plane_at(CYCLE_mu, k);
        t.hold = cycle_plane_at(CYCLE_hold, k);
        now.kept = cycle_at(CYCLE_fx, k);
        now.limit = cycle_plane_at(CYCLE_limit, k);
        now = touch_rub(t, now, contact_times() * equation_at(EQ_inertia, k), cloth.grip_follow,
                        GRIP_BAND * cloth.spacing);
        set_state(PLANE_x, k, now.start);
    }
    set_cycle(CYCLE_fx, k, now.kept);
    set_cycle_plane(CYCLE_limit, k, now.limit);
}
