/* The unbalanced force of a texel, as in cpu/implicit.c. Before it, FORCE_FROM says in which planes
 * positions begin. */
#ifndef TOILE_GL_FORCES
#define TOILE_GL_FORCES

#include "gl/shaders/bending.glsl"

/* Ahead by the retardation of bending: the CPU keeps that, a GPU computes it in less time. */
vec3 bent_at(int k) {
    vec3 x = level_at(FORCE_FROM, k);
    return v3_madd(x, x - state_at(PLANE_x, k), cloth.bend_lag);
}

float coverage_at(int k) {
    return plane_at(PLANE_coverage, k);
}

/* What a texel's springs do to it, and how stiffly. */
struct spring_sum {
    vec3 force, diagonal, sides;
};

spring_sum sum_of(spring_sum a, spring_sum b) {
    return spring_sum(a.force + b.force, a.diagonal + b.diagonal, a.sides + b.sides);
}

spring_sum spring_to(int k, int to, vec3 here, float rest, float stiffness) {
    vec3 d = level_at(FORCE_FROM, k + to) - here;
    float inverse = 1.0 / k_sqrt(v3_dot(d, d) + KERNEL_TINY);
    float excess = spring_excess(rest, inverse), across = spring_across(excess, stiffness);
    return spring_sum(d * (stiffness * excess),
                      spring_block_diagonal(d, inverse, across, stiffness),
                      spring_block_sides(d, inverse, across, stiffness));
}

/* What a thread adds beyond its limit. */
spring_sum bound_to(int k, int to, vec3 here, float stiffness) {
    vec3 d = level_at(FORCE_FROM, k + to) - here;
    float inverse = 1.0 / k_sqrt(v3_dot(d, d) + KERNEL_TINY);
    float bound = k_min(matrix_at(MATRIX_bound, k), matrix_at(MATRIX_bound, k + to));
    float stiffer = stiffness * bound, across = stiffer * bound_excess(cloth.longest, inverse);
    float along = bound_stiffness(stiffer, spring_excess(cloth.spacing, inverse), cloth.spacing,
                                  cloth.longest);
    return spring_sum(d * across, spring_block_diagonal(d, inverse, across, along),
                      spring_block_sides(d, inverse, across, along));
}

spring_sum springs_at(int k, int up, thread_weights wu, thread_weights wv) {
    vec3 here = level_at(FORCE_FROM, k);
    float h = cloth.spacing, g = cloth.diagonal;
    float ku = cloth.stretch_u, kv = cloth.stretch_v, ks = cloth.shear;
    spring_sum along_u = sum_of(spring_to(k, -1, here, h, ku * wu.before),
                                spring_to(k, 1, here, h, ku * wu.after));
    spring_sum along_v = sum_of(spring_to(k, -up, here, h, kv * wv.before),
                                spring_to(k, up, here, h, kv * wv.after));
    spring_sum rising = sum_of(spring_to(k, 1 + up, here, g, ks * coverage_at(k)),
                               spring_to(k, -1 - up, here, g, ks * coverage_at(k - 1 - up)));
    spring_sum falling = sum_of(spring_to(k, up - 1, here, g, ks * coverage_at(k - 1)),
                                spring_to(k, 1 - up, here, g, ks * coverage_at(k - up)));
    spring_sum all = sum_of(sum_of(along_u, along_v), sum_of(rising, falling));
    if (matrix_at(MATRIX_bound, k) > 0.0) {
        spring_sum bound_u = sum_of(bound_to(k, -1, here, ku * wu.before),
                                    bound_to(k, 1, here, ku * wu.after));
        spring_sum bound_v = sum_of(bound_to(k, -up, here, kv * wv.before),
                                    bound_to(k, up, here, kv * wv.after));
        all = sum_of(all, sum_of(bound_u, bound_v));
    }
    return all;
}

/* The unbalanced force of a texel on which springs act with `springs`. */
vec3 balance_at(int k, int up, thread_weights wu, thread_weights wv, vec3 springs) {
    vec3 bend = bending_at(k, up, wu, wv);
    float rate = matrix_at(MATRIX_inertia, k), free = rate > 0.0 ? 1.0 : 0.0;
    vec3 way = v3_madd(state_at(PLANE_x, k) - level_at(FORCE_FROM, k), state_at(PLANE_vx, k),
                       cloth.substep);
    return (inertia_force(way, rate) + v3_madd(springs, bend, -cloth.bend)) * free;
}

/* The force, and the block that divides it. */
spring_sum force_at(int k) {
    int up = level.grid.stride;
    thread_weights wu = weights_along(k, 1, up), wv = weights_along(k, up, 1);
    spring_sum springs = springs_at(k, up, wu, wv);
    float rate = matrix_at(MATRIX_inertia, k), free = rate > 0.0 ? 1.0 : 0.0;
    float squared = cloth.substep * cloth.substep, held = cloth.cell_mass / squared;
    float inert = 1.0 + BEND_ROW * cloth.bend * (1.0 + cloth.bend_lag) * squared / cloth.cell_mass;
    float own = (rate + (1.0 - free) * held) * inert;
    return spring_sum(balance_at(k, up, wu, wv, springs.force), v3_madd(vec3(own), springs.diagonal, 2.0), springs.sides * 2.0);
}

#endif
