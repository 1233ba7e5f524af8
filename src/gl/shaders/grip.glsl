/* Bodies that hold texels during an implicit step, as in cpu/grip.c: a texel is held by the one that
 * presses it hardest. */
#ifndef TOILE_GL_GRIP
#define TOILE_GL_GRIP

#include "gl/shaders/shapes.glsl"

/* In spacings: surfaces farther away are not asked, unless they held the texel before. */
const float GRIP_REACH = 4.0;

/* What a texel touches. */
struct touch {
    vec3 normal, gone;
    float gap, friction, hold;
    float back;
};

/* A surface that is `gap` away and goes `way` in the substep. */
void touch_surface(inout touch t, int k, vec3 p, vec3 r, vec3 normal, vec3 way, float gap,
                   float friction, float reflection) {
    float glue = cycle_plane_at(CYCLE_glue, k);
    float stiffness = 1.0 / k_max(matrix_at(MATRIX_inverse, k), KERNEL_TINY);
    float pressure = grip_pressure(r, normal, grip_off(gap, p), stiffness) + glue;
    bool grips = pressure > t.hold;
    bool rubs = gap < k_min(GRIP_BAND * cloth.spacing, t.gap) && !(t.hold > 0.0);
    if (grips || rubs) {
        t.normal = normal;
        t.gone = (p - state_at(PLANE_x, k)) - way;
        t.gap = gap;
        t.friction = friction;
        vec3 gravity = vec3(cloth.gravity_x, cloth.gravity_y, cloth.gravity_z);
        bool second = cloth.substep < cloth.moment;
        t.back = grip_back(state_at(second ? PLANE_ax : PLANE_vx, k), way, normal, cloth.substep,
                           reflection, grip_least(gravity, cloth.substep));
        t.hold = grips ? pressure : t.hold;
    }
}

void touch_shapes(inout touch t, int k, vec3 p, vec3 r) {
    bool glued = cycle_plane_at(CYCLE_glue, k) > 0.0;
    for (int body = 0; body < cloth.body_count; body++) {
        shape s = shape_of(body);
        vec4 hit = shape_hit(s, p);
        float gap = hit.w - contacts[body].distance;
        if (!s.solid && (glued || gap < GRIP_REACH * cloth.spacing)) {
            vec3 velocity = contact_surface_velocity(s.velocity, s.spin, p - s.center);
            touch_surface(t, k, p, r, hit.xyz, velocity * cloth.substep, gap,
                          contacts[body].friction, s.reflection);
        }
    }
}

void touch_meshes(inout touch t, int k, vec3 p, vec3 r) {
    float height = cycle_plane_at(CYCLE_level, k);
    if (height > -FAR_AWAY) {
        vec3 n = cycle_at(CYCLE_mx, k);
        touch_surface(t, k, p, r, n, cycle_at(CYCLE_wx, k), v3_dot(n, p) - height,
                      cycle_plane_at(CYCLE_friction, k), cycle_plane_at(CYCLE_reflection, k));
    }
}

/* Keeps what the texel at p touches; returns its force with friction. */
vec3 grip_at(int k, vec3 p, vec3 r) {
    touch t = touch(vec3(0.0), vec3(0.0), FAR_AWAY, 0.0, 0.0, 0.0);
    if (plane_at(PLANE_inverse_mass, k) > 0.0 && cloth.coarse_only == 0) {
        touch_shapes(t, k, p, r);
        if (cloth.meshes != 0) {
            touch_meshes(t, k, p, r);
        }
    }
    set_cycle(CYCLE_nx, k, t.normal);
    set_cycle(CYCLE_gx, k, t.gone);
    set_cycle_plane(CYCLE_gap, k, t.gap);
    set_cycle_plane(CYCLE_mu, k, t.friction);
    set_cycle_plane(CYCLE_hold, k, t.hold);
    set_cycle_plane(CYCLE_back, k, t.back);
    if (t.gap < FAR_AWAY) {
        vec3 slid = along_surface(t.gone, t.normal);
        r += grip_friction(cycle_at(CYCLE_fx, k), slid, matrix_at(MATRIX_inertia, k),
                           cycle_plane_at(CYCLE_most, k));
    }
    return r;
}

#endif
