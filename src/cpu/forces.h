/* Unbalanced forces of a row of texels, and the blocks that divide them. Inlined into the passes
 * that need them, which take of it what they use. */
#ifndef TOILE_CPU_FORCES_H
#define TOILE_CPU_FORCES_H

#include "cpu/bending.h"
#include "kernel/implicit.h"
#include "kernel/sway.h"

/* What a texel's springs do to it, and how stiffly. */
typedef struct spring_sum {
    v3 force, diagonal, sides;
} spring_sum;

__attribute__((always_inline)) static inline spring_sum sum_of(spring_sum a, spring_sum b) {
    return (spring_sum){v3_add(a.force, b.force), v3_add(a.diagonal, b.diagonal),
                        v3_add(a.sides, b.sides)};
}

__attribute__((always_inline)) static inline spring_sum
spring_to(field x, ptrdiff_t k, ptrdiff_t to, v3 here, float rest, float stiffness) {
    v3 d = v3_sub(field_at(x, k + to), here);
    float inverse = 1.0f / k_sqrt(v3_dot(d, d) + KERNEL_TINY);
    float excess = spring_excess(rest, inverse), across = spring_across(excess, stiffness);
    return (spring_sum){v3_scale(d, stiffness * excess),
                        spring_block_diagonal(d, inverse, across, stiffness),
                        spring_block_sides(d, inverse, across, stiffness)};
}

/* What a thread adds beyond its limit. */
__attribute__((always_inline)) static inline spring_sum bound_to(field x,
                                                                 const float *restrict bound,
                                                                 ptrdiff_t k, ptrdiff_t to, v3 here,
                                                                 float longest, float stiffness) {
    v3 d = v3_sub(field_at(x, k + to), here);
    float inverse = 1.0f / k_sqrt(v3_dot(d, d) + KERNEL_TINY);
    float excess = bound_excess(longest, inverse);
    float stiffer = stiffness * k_min(bound[k], bound[k + to]) * (float)(excess > 0.0f);
    float across = stiffer * excess;
    return (spring_sum){v3_scale(d, stiffer * excess),
                        spring_block_diagonal(d, inverse, across, stiffer),
                        spring_block_sides(d, inverse, across, stiffer)};
}

/* What the unbalanced force of a texel depends on, at a row. */
typedef struct force_row {
    const cloth_params *params;
    field x, ahead, start, v; /* positions; ahead by the retardation of bending; at the start of the
                                 substep; velocities without springs */
    const float *restrict coverage, *restrict inertia, *restrict bound;
    ptrdiff_t up;
    float substep; /* s */
    float inert;   /* how much bending adds to inertia, as a factor */
    float held;    /* N/m, of absent and pinned texels, whose blocks are divided by, too */
} force_row;

/* A part of a row: any, one around which all cells are full, or one with threads that are bound to
 * their limit. Loops are made for each kind; the bits are the same wherever two of them may run. */
typedef enum force_kind { FORCE_ANY, FORCE_PLAIN, FORCE_BOUND } force_kind;

__attribute__((always_inline)) static inline spring_sum
springs_at(const force_row *f, ptrdiff_t k, thread_weights wu, thread_weights wv, force_kind kind) {
    const cloth_params *p = f->params;
    const field x = f->x;
    const v3 here = field_at(x, k);
    const ptrdiff_t up = f->up;
    const float h = p->spacing, g = p->diagonal, longest = p->longest;
    const float ku = p->stretch_u, kv = p->stretch_v, ks = p->shear;
    const float *restrict c = f->coverage, *restrict b = f->bound;
    float rise = ks, sink = ks, fall_left = ks, fall_right = ks;
    if (kind != FORCE_PLAIN) {
        rise = ks * c[k];
        sink = ks * c[k - 1 - up];
        fall_left = ks * c[k - 1];
        fall_right = ks * c[k - up];
    }
    spring_sum along_u = sum_of(spring_to(x, k, -1, here, h, ku * wu.before),
                                spring_to(x, k, 1, here, h, ku * wu.after));
    spring_sum along_v = sum_of(spring_to(x, k, -up, here, h, kv * wv.before),
                                spring_to(x, k, up, here, h, kv * wv.after));
    spring_sum rising =
        sum_of(spring_to(x, k, 1 + up, here, g, rise), spring_to(x, k, -1 - up, here, g, sink));
    spring_sum falling = sum_of(spring_to(x, k, up - 1, here, g, fall_left),
                                spring_to(x, k, 1 - up, here, g, fall_right));
    spring_sum all = sum_of(sum_of(along_u, along_v), sum_of(rising, falling));
    if (kind == FORCE_BOUND) {
        spring_sum bound_u = sum_of(bound_to(x, b, k, -1, here, longest, ku * wu.before),
                                    bound_to(x, b, k, 1, here, longest, ku * wu.after));
        spring_sum bound_v = sum_of(bound_to(x, b, k, -up, here, longest, kv * wv.before),
                                    bound_to(x, b, k, up, here, longest, kv * wv.after));
        all = sum_of(all, sum_of(bound_u, bound_v));
    }
    return all;
}

/* Positions at planes of the level from `from` on, and ahead of them at those of the cycle. */
static inline force_row force_row_at(const pass_args *args, size_t first, level_plane from,
                                     cycle_plane ahead) {
    const cloth_planes *s = &args->state->at;
    const level_planes *l = &args->hierarchy->levels[0].at;
    const cycle_planes *c = &args->cycle->levels[0].at;
    return (force_row){
        .params = args->params,
        .x = field_from(l->plane[from], l->plane[from + 1], l->plane[from + 2], first),
        .ahead = field_from(c->plane[ahead], c->plane[ahead + 1], c->plane[ahead + 2], first),
        .start = field_from(s->x, s->y, s->z, first),
        .v = field_from(s->vx, s->vy, s->vz, first),
        .coverage = s->coverage + first,
        .inertia = args->cycle->tables->inertia + first,
        .bound = args->cycle->tables->bound + first,
        .up = args->state->grid.stride,
        .substep = args->plan->substep,
        .held = args->params->cell_mass / (args->plan->substep * args->plan->substep),
        .inert = 1.0f + BEND_ROW * args->params->bend * (1.0f + args->params->bend_lag) *
                            (args->plan->substep * args->plan->substep) / args->params->cell_mass};
}

/* How threads weigh around a texel. */
typedef struct texel_weights {
    thread_weights u, v;
} texel_weights;

__attribute__((always_inline)) static inline texel_weights
weights_at(const force_row *f, ptrdiff_t k, force_kind kind) {
    const thread_weights full = {1.0f, 1.0f, 1.0f, 1.0f, 1.0f};
    if (kind == FORCE_PLAIN) {
        return (texel_weights){full, full};
    }
    return (texel_weights){weights_along(f->coverage, k, 1, f->up),
                           weights_along(f->coverage, k, f->up, 1)};
}

/* The normal of the cloth at a texel, and its tangent a. */
typedef struct cloth_frame {
    v3 normal, tangent;
} cloth_frame;

__attribute__((always_inline)) static inline cloth_frame frame_at(field x, ptrdiff_t k,
                                                                  ptrdiff_t up, texel_weights w) {
    v3 here = field_at(x, k);
    v3 east = v3_scale(v3_sub(field_at(x, k + 1), here), w.u.after);
    v3 west = v3_scale(v3_sub(field_at(x, k - 1), here), w.u.before);
    v3 north = v3_scale(v3_sub(field_at(x, k + up), here), w.v.after);
    v3 south = v3_scale(v3_sub(field_at(x, k - up), here), w.v.before);
    v3 along_u = v3_sub(east, west), along_v = v3_sub(north, south);
    v3 normal = sway_normal(along_u, along_v);
    return (cloth_frame){normal, sway_tangent(along_u, along_v, normal)};
}

/* The unbalanced force of a texel on which springs act with `springs`. A factor of 0 or 1 stands
 * where one would choose, for a compiler that is left a choice does not use vectors. */
__attribute__((always_inline)) static inline v3
balance_at(const force_row *f, ptrdiff_t k, texel_weights w, v3 springs, force_kind kind) {
    const bent_field bent = {f->ahead, f->ahead, 0.0f, BENT_ALREADY};
    v3 bend = bending_at(bent, f->coverage, kind == FORCE_PLAIN, k, f->up, w.u, w.v);
    float rate = f->inertia[k], free = (float)(rate > 0.0f);
    v3 way =
        v3_madd(v3_sub(field_at(f->start, k), field_at(f->x, k)), field_at(f->v, k), f->substep);
    v3 r = v3_add(inertia_force(way, rate), v3_madd(springs, bend, -f->params->bend));
    return v3_scale(r, free);
}

/* The force, and the block that divides it. Bending's bound on a texel, the sum over its row of the
 * matrix, is at most BEND_ROW times the share of its cells that is cloth, as its mass is: taken in
 * proportion to that, all texels of a sheet that falls freely move alike. */
__attribute__((always_inline)) static inline spring_sum force_at(const force_row *f, ptrdiff_t k,
                                                                 force_kind kind) {
    const texel_weights w = weights_at(f, k, kind);
    spring_sum springs = springs_at(f, k, w.u, w.v, kind);
    float rate = f->inertia[k], free = (float)(rate > 0.0f);
    float own = (rate + (1.0f - free) * f->held) * f->inert;
    return (spring_sum){balance_at(f, k, w, springs.force, kind),
                        v3_madd(v3_make(own, own, own), springs.diagonal, 2.0f),
                        v3_scale(springs.sides, 2.0f)};
}

/* Forces alone, of a part of a row. */
__attribute__((always_inline)) static inline void residual_part(const pass_args *args,
                                                                const force_row *f, size_t first,
                                                                int begin, int end,
                                                                force_kind kind) {
    const cycle_planes *out = &args->cycle->levels[0].at;
    float *restrict rx = out->rx + first, *restrict ry = out->ry + first,
                    *restrict rz = out->rz + first;
#pragma omp simd
    for (int i = begin; i < end; i++) {
        spring_sum at = force_at(f, i, kind);
        rx[i] = at.force.x;
        ry[i] = at.force.y;
        rz[i] = at.force.z;
    }
}

/* The parts of a row, with a function that is inlined for each kind. */
#define FOR_PARTS(part, args, f, row, first)                                                       \
    do {                                                                                           \
        const int columns_ = row_floats(&(args)->state->grid);                                     \
        const int32_t *plain_ = &(args)->cycle->row_plain[2 * (row)];                              \
        if ((args)->cycle->tables->row_bound[row]) {                                               \
            part((args), (f), (first), 0, columns_, FORCE_BOUND);                                  \
        } else {                                                                                   \
            part((args), (f), (first), 0, plain_[0], FORCE_ANY);                                   \
            part((args), (f), (first), plain_[0], plain_[1], FORCE_PLAIN);                         \
            part((args), (f), (first), plain_[1], columns_, FORCE_ANY);                            \
        }                                                                                          \
    } while (0)

#endif
