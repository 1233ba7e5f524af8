#version 430 core
/* Unbalanced forces, contact with bodies, blocks and their inverses, and the first sweep. */
#include "gl/shaders/newton_cloth.glsl"
#include "gl/shaders/newton_sum.glsl"
#include "gl/shaders/newton_system.glsl"
#include "gl/shaders/newton_repels.glsl"
#include "gl/shaders/shapes.glsl"

vec3 load_move(int k) {
    return level_at(LEVEL_x, k);
}

void touch_near(inout touching t, touch_texel x, surface near, touch_numbers numbers) {
    if (near.gap < TOUCH_REACH * cloth.spacing) {
        t = touch_body(t, x, near, numbers);
    }
}

touching touch_all(int k, touch_texel x, touch_numbers numbers) {
    touching t = touching(block_zero(), vec3(0.0), vec3(0.0), vec3(0.0), TOUCH_FAR, 0.0, 0.0, 0.0);
    for (int body = 0; body < cloth.body_count; body++) {
        shape s = shape_of(body);
        if (!s.solid) {
            vec4 hit = shape_hit(s, x.at);
            vec3 velocity = contact_surface_velocity(s.velocity, s.spin, x.at - s.center);
            touch_near(t, x, surface(hit.xyz, velocity * numbers.substep,
                                     hit.w - contacts[body].distance, contacts[body].friction,
                                     s.reflection), numbers);
        }
    }
    float height = cloth.meshes != 0 ? implicit_plane_at(IMPLICIT_level, k) : -FAR_AWAY;
    if (height > -FAR_AWAY) {
        vec3 n = implicit_at(IMPLICIT_mx, k);
        touch_near(t, x, surface(n, implicit_at(IMPLICIT_wx, k), v3_dot(n, x.at) - height,
                                 implicit_plane_at(IMPLICIT_friction, k),
                                 implicit_plane_at(IMPLICIT_reflection, k)), numbers);
    }
    return t;
}

/* Keeps what the texel touches; returns what bodies do to it. */
touch_pressed touch_at(int k, touch_texel x) {
    vec3 gravity = vec3(cloth.gravity_x, cloth.gravity_y, cloth.gravity_z);
    touch_numbers numbers =
        touch_numbers(contact_times(), cloth.substep, grip_least(gravity, cloth.substep));
    touch_pressed p = touch_pressed(block_zero(), x.force);
    touching t = touching(block_zero(), vec3(0.0), vec3(0.0), vec3(0.0), TOUCH_FAR, 0.0, 0.0, 0.0);
    if (x.inertia > 0.0 && cloth.coarse_only == 0) {
        t = touch_all(k, x, numbers);
    }
    if (t.gap < TOUCH_FAR) {
        p = touch_press(t, x, implicit_at(IMPLICIT_fx, k), implicit_plane_at(IMPLICIT_limit, k),
                        numbers.times);
        set_implicit(IMPLICIT_nx, k, t.normal);
        set_implicit(IMPLICIT_gx, k, t.gone);
        set_implicit_plane(IMPLICIT_mu, k, t.friction);
        set_implicit_plane(IMPLICIT_back, k, t.back);
    }
    set_implicit_plane(IMPLICIT_gap, k, t.gap);
    set_implicit_plane(IMPLICIT_hold, k, t.hold);
    set_block(EQ_contact, k, p.matrix);
    return p;
}

vec3 force_at(int k, float inertia) {
    int up = cloth.grid.stride;
    vec3 way = v3_madd(state_at(PLANE_x, k) - load_move(k), state_at(PLANE_vx, k), cloth.substep);
    return solve_force(system_tensions(k, up), system_bending(k, up), vector_at(EQ_lag, k),
                       cloth.bend, cloth.bend_lag, way, inertia);
}

/* Adds what repels the texel to what presses on it, and keeps which springs do. */
touch_pressed repel_at(int k, touch_pressed p) {
    ivec2 own = repels_of(equation_base + k);
    repelled all = repel_none();
    for (int s = own.x; s < own.y; s += REPEL_WORDS) {
        vec3 n = repel_direction(s);
        int partner = int(repels[s + REPEL_PLACE]) - equation_base;
        float depth = repel_depth(load_move(k) - vector_at(EQ_result, partner), n,
                                  repel_float(s, REPEL_REST));
        float acting = repel_acting(repel_float(s, REPEL_STIFFNESS), depth);
        repels[s + REPEL_ACTING] = floatBitsToUint(acting);
        if (acting > 0.0) {
            all = repel_add(all, n, acting, depth);
        }
    }
    return touch_pressed(block_add(p.matrix, all.matrix), p.force + all.force);
}

/* Returns the block that the texel adds to that of a move which all make alike. What couplings do
 * is where newton_couple has put it. */
block solve_at(int k) {
    float inertia = load_inertia(k), bend = cloth.bend * (1.0 + cloth.bend_lag);
    block own = system_own(k, cloth.grid.stride), coupled = block_zero();
    vec3 force = force_at(k, inertia);
    if (touched_at(k) != 0) {
        force -= vector_at(EQ_guess, k);
        coupled = block_at(EQ_direction, k);
    }
    bool second = cloth.substep < cloth.moment;
    touch_texel x = touch_texel(load_move(k), state_at(PLANE_x, k),
                                second ? implicit_at(IMPLICIT_began_x, k) : state_at(PLANE_vx, k), force,
                                solve_inverse(block_add(own, coupled), bend, inertia > 0.0), inertia);
    touch_pressed p = touch_at(k, x);
    block alike = block_lift(p.matrix, inertia); /* which does not feel what repels texels */
    if (parts[call.z + PART_REPELS] != 0.0 && inertia > 0.0) {
        p = repel_at(k, p);
        set_block(EQ_contact, k, p.matrix);
    }
    own = block_add(own, p.matrix);
    block inverse = solve_inverse(block_add(own, coupled), bend, inertia > 0.0);
    set_vector(EQ_residual, k, p.force);
    set_block(EQ_own, k, own);
    set_block(EQ_inverse, k, inverse);
    set_vector(EQ_guess, k, solve_first(inverse, p.force));
    set_vector(EQ_move, k, vec3(0.0));
    return alike;
}

/* Inertia times what the texel has moved in the substep, and twice the kinetic energy of that. */
vec4 motion_at(int k) {
    vec3 way = load_move(k) - state_at(PLANE_x, k);
    return load_inertia(k) * vec4(way, v3_dot(way, way));
}

void main() {
    int k = enter();
    if (rests()) {
        return;
    }
    block alike = block_zero();
    vec4 motion = vec4(0.0);
    if (is_there()) {
        alike = solve_at(k);
        motion = motion_at(k);
    }
    motion = sum_tile(motion, false);
    if (gl_LocalInvocationIndex == 0u) {
        parts[sums_at() + SUMS_MOTION] = motion.w;
    }
    if (parts[call.z + PART_LOOSE] != 0.0) {
        vec4 diagonal = sum_tile(vec4(alike.diagonal, 0.0), false);
        vec4 sides = sum_tile(vec4(alike.sides, 0.0), false);
        if (gl_LocalInvocationIndex == 0u) {
            for (int i = 0; i < 3; i++) {
                parts[sums_at() + SUMS_WAY + i] = motion[i];
                parts[sums_at() + SUMS_BLOCK + i] = diagonal[i];
                parts[sums_at() + SUMS_BLOCK + 3 + i] = sides[i];
            }
        }
    }
}
