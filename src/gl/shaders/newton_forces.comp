#version 430 core
/* Unbalanced forces, contact with bodies, blocks and their inverses, and the first sweep. */
#define SHAPE_COUNT    panel.bodies
#define SHAPES_PLACE   BIND_TILE_SHAPES
#define CONTACTS_PLACE BIND_TILE_CONTACTS
#include "gl/shaders/newton_coupled.glsl"
#include "gl/shaders/newton_sum.glsl"
#include "gl/shaders/newton_system.glsl"
#include "gl/shaders/newton_repels.glsl"

uniform int substep;

#include "gl/shaders/shape_list.glsl"
#include "kernel/touch.h"

layout(local_size_x = UP_COLUMNS, local_size_y = UP_ROWS) in;

vec3 load_move(int k) {
    return vector_at(EQ_place, k);
}

void touch_near(inout touching t, touch_texel x, surface near, touch_numbers numbers) {
    if (near.gap < TOUCH_REACH * panel.spacing) {
        t = touch_body(t, x, near, numbers);
    }
}

touching touch_all(int k, touch_texel x, touch_numbers numbers) {
    touching t = touching(block_zero(), vec3(0.0), vec3(0.0), vec3(0.0), TOUCH_FAR, 0.0, 0.0, 0.0);
    for (int body = 0; body < panel.bodies; body++) {
        shape s = shape_of(body);
        if (!s.solid) {
            vec4 hit = shape_hit(s, x.at);
            vec3 velocity = contact_surface_velocity(s.velocity, s.spin, x.at - s.center);
            contact_block contact = contacts[tile.panel * panel.bodies + body];
            touch_near(t, x, surface(hit.xyz, velocity * numbers.substep, hit.w - contact.distance,
                                     contact.friction, s.reflection), numbers);
        }
    }
    float height = panel.meshes != 0 ? equation_at(EQ_height, k) : -FAR_AWAY;
    if (height > -FAR_AWAY) {
        vec3 n = vector_at(EQ_side, k);
        touch_near(t, x, surface(n, vector_at(EQ_way, k), v3_dot(n, x.at) - height,
                                 equation_at(EQ_friction, k), equation_at(EQ_reflection, k)),
                   numbers);
    }
    return t;
}

/* Keeps what the texel touches; returns what bodies do to it. */
touch_pressed touch_at(int k, touch_texel x) {
    touch_numbers numbers = touch_numbers(panel.press, panel.substep, panel.least);
    touch_pressed p = touch_pressed(block_zero(), x.force);
    touching t = touching(block_zero(), vec3(0.0), vec3(0.0), vec3(0.0), TOUCH_FAR, 0.0, 0.0, 0.0);
    if (x.inertia > 0.0 && panel.touches != 0) {
        t = touch_all(k, x, numbers);
    }
    if (t.gap < TOUCH_FAR) {
        p = touch_press(t, x, vector_at(EQ_kept, k), equation_at(EQ_limit, k), numbers.times);
        set_vector(EQ_normal, k, t.normal);
        set_vector(EQ_gone, k, t.gone);
        set_equation(EQ_mu, k, t.friction);
        set_equation(EQ_back, k, t.back);
    }
    set_equation(EQ_gap, k, t.gap);
    set_equation(EQ_hold, k, t.hold);
    set_block(EQ_contact, k, p.matrix);
    return p;
}

vec3 force_at(int k, float inertia) {
    vec3 back = vector_at(EQ_start, k) - load_move(k);
    vec3 way = v3_madd(back, vector_at(EQ_speed, k), panel.substep);
    return solve_force(system_tensions(k, panel.stride), system_bending(k, panel.stride),
                       vector_at(EQ_lag, k), panel.bend_once, panel.bend_lag, way, inertia);
}

/* Adds what repels the texel to what presses on it, and keeps which springs do. */
touch_pressed repel_at(int k, touch_pressed p) {
    ivec2 own = repels_of(k);
    repelled all = repel_none();
    for (int s = own.x; s < own.y; s += REPEL_WORDS) {
        vec3 n = repel_direction(s);
        int partner = int(repels[s + REPEL_PLACE]);
        float depth = repel_depth(load_move(k) - vector_at(EQ_place, partner), n,
                                  repel_float(s, REPEL_REST));
        float acting = repel_acting(repel_float(s, REPEL_STIFFNESS), depth);
        repels[s + REPEL_ACTING] = floatBitsToUint(acting);
        if (acting > 0.0) {
            all = repel_add(all, n, acting, depth);
        }
    }
    return touch_pressed(block_add(p.matrix, all.matrix), p.force + all.force);
}

/* Returns the block that the texel adds to that of a move which all make alike. */
block solve_at(int k) {
    float inertia = load_inertia(k);
    block own = system_own(k, panel.stride), coupled = block_zero();
    vec3 force = force_at(k, inertia);
    int touched = panel.coupled != 0 ? touched_at(k) : 0;
    if (touched != 0) {
        force -= gather_touched(touched - 1);
        coupled = own_touched(touched - 1);
    }
    block inverse = solve_inverse(block_add(own, coupled), panel.bend, inertia > 0.0);
    touch_texel x = touch_texel(load_move(k), vector_at(EQ_start, k), vector_at(EQ_came, k), force,
                                inverse, inertia);
    touch_pressed p = touch_at(k, x);
    block alike = block_lift(p.matrix, inertia); /* which does not feel what repels texels */
    if (panel.repels != 0 && inertia > 0.0) {
        p = repel_at(k, p);
        set_block(EQ_contact, k, p.matrix);
    }
    own = block_add(own, p.matrix);
    inverse = solve_inverse(block_add(own, coupled), panel.bend, inertia > 0.0);
    set_vector(EQ_residual, k, p.force);
    set_block(EQ_own, k, own);
    set_block(EQ_inverse, k, inverse);
    set_vector(EQ_guess, k, solve_first(inverse, p.force));
    set_vector(EQ_move, k, vec3(0.0));
    return alike;
}

/* Inertia times what the texel has moved in the substep, and twice the kinetic energy of that. */
vec4 motion_at(int k) {
    vec3 way = load_move(k) - vector_at(EQ_start, k);
    return load_inertia(k) * vec4(way, v3_dot(way, way));
}

void main() {
    enter_tile();
    if (is_settled()) {
        return;
    }
    block alike = block_zero();
    vec4 motion = vec4(0.0);
    if (is_there(own_texel())) {
        int k = place_of(own_texel());
        alike = solve_at(k);
        motion = motion_at(k);
    }
    motion = sum_tile(motion, false);
    if (gl_LocalInvocationIndex == 0u) {
        parts[sums_at() + SUMS_MOTION] = motion.w;
    }
    if (part_at(PART_LOOSE) != 0.0) {
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
