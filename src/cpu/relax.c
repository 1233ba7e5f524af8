/* Relaxation of the distance constraints of a level: Schmitt 2013 section 5.2.
 *
 * Edge-based Gauss-Seidel. Figure 8 of the paper has eight independent sets, no two edges of which
 * share a texel: threads along u that start in even and in odd columns (U0, U1), threads along v
 * that start in even and in odd rows (V0, V1), and the rising and falling diagonals likewise by
 * rows (R0, R1, F0, F1). They are taken in the order U0 U1 V0 R0 F0 | V1 R1 F1 for then all sets
 * before the bar work within pairs of rows (0, 1), (2, 3) ... and those behind it within (1, 2),
 * (3, 4) ...: a pair stays in the cache for five sets, and threads meet twice an iteration instead
 * of eight times. The result is the same to the bit as that of eight passes. */
#include "cpu/passes.h"
#include "kernel/distance.h"
#include "kernel/spring.h"

/* One level, and what its edges need. Copied into each loop, so that the compiler sees that no
 * store changes it. */
typedef struct relax_args {
    float *restrict x, *restrict y, *restrict z;
    float *restrict multiplier; /* of the set */
    const float *restrict mass; /* inverse */
    const float *restrict coverage;
    const float *restrict rest_plane; /* coarse levels, of the set */
    const float *restrict before;     /* multiplier, coarse levels, of the set */
    float rest, longest_ratio;        /* finest level; longest over rest */
    float compliance, relaxation;
    ptrdiff_t up;
} relax_args;

static inline float edge_weight(const float *restrict c, ptrdiff_t k, ptrdiff_t up,
                                level_edge kind) {
    return kind == EDGE_U   ? thread_weight(c[k], c[k - up])
           : kind == EDGE_V ? thread_weight(c[k], c[k - 1])
                            : c[k];
}

/* The edge from texel a to b, whose multiplier and rest length are at k. */
__attribute__((always_inline)) static inline void
relax_edge(relax_args r, ptrdiff_t a, ptrdiff_t b, ptrdiff_t k, level_edge kind, bool finest) {
    v3 from = v3_make(r.x[a], r.y[a], r.z[a]), to = v3_make(r.x[b], r.y[b], r.z[b]);
    v3 d = v3_sub(to, from);
    float inverse = v3_inverse_length(d);
    float length = v3_dot(d, d) * inverse;
    float masses = r.mass[a] + r.mass[b], multiplier = r.multiplier[k];
    float weight = edge_weight(r.coverage, k, r.up, kind), change, longest;
    bool there = weight > 0.0f;
    if (finest) {
        change = r.relaxation *
                 distance_change(length, r.rest, weight, multiplier, r.compliance, masses);
        longest = r.rest * r.longest_ratio;
    } else {
        float rest = r.rest_plane[k];
        there = there & (rest < LEVEL_NO_EDGE);
        change = distance_change_pull(length, rest, weight, multiplier, r.compliance, masses,
                                      r.relaxation, r.before[k]);
        longest = rest * r.longest_ratio;
    }
    change = k_select(there, change, 0.0f);
    float pull =
        k_select(there, distance_pull(weight * change, length, longest, masses), 0.0f) * inverse;
    r.multiplier[k] = multiplier + change;
    float pull_a = pull * r.mass[a], pull_b = pull * r.mass[b];
    r.x[a] = from.x + d.x * pull_a;
    r.y[a] = from.y + d.y * pull_a;
    r.z[a] = from.z + d.z * pull_a;
    r.x[b] = to.x - d.x * pull_b;
    r.y[b] = to.y - d.y * pull_b;
    r.z[b] = to.z - d.z * pull_b;
}

/* Everything but what differs between sets. */
typedef struct relax_level {
    relax_args args;
    const level_state *level;
    const cloth_params *params;
    int columns;
    bool finest, backwards;
} relax_level;

static relax_level level_of(const pass_args *args) {
    const level_state *l = &args->hierarchy->levels[args->level];
    const cloth_params *p = args->params;
    return (relax_level){
        .args = {.x = l->at.x,
                 .y = l->at.y,
                 .z = l->at.z,
                 .mass = l->inverse_mass,
                 .coverage = l->coverage,
                 .longest_ratio = p->longest / p->spacing,
                 .relaxation = args->plan->relaxation,
                 .up = l->table->grid.stride},
        .level = l,
        .params = p,
        .columns = grid_floats(&l->table->grid),
        .finest = args->level == 0,
        .backwards = args->backwards,
    };
}

static relax_args set_of(const relax_level *l, level_edge kind) {
    const cloth_params *p = l->params;
    relax_args r = l->args;
    r.multiplier = l->level->at.plane[LEVEL_lu + (int)kind];
    r.before = l->level->at.plane[LEVEL_bu + (int)kind];
    r.rest_plane = l->level->table->rest[kind];
    r.rest = kind == EDGE_U || kind == EDGE_V ? p->spacing : p->diagonal;
    r.compliance = kind == EDGE_U   ? p->compliance_u
                   : kind == EDGE_V ? p->compliance_v
                                    : p->compliance_shear;
    return r;
}

/* Threads along u, those that start in columns of one parity. */
__attribute__((always_inline)) static inline void relax_within(const relax_level *l, ptrdiff_t row,
                                                               int parity, bool finest) {
    const relax_args r = set_of(l, EDGE_U);
    const ptrdiff_t first = row + parity;
    const int pairs = l->columns / 2;
#pragma omp simd
    for (int i = 0; i < pairs; i++) {
        ptrdiff_t a = first + 2 * (ptrdiff_t)i;
        relax_edge(r, a, a + 1, a, EDGE_U, finest);
    }
}

/* Edges of one kind from a row to the one above. */
__attribute__((always_inline)) static inline void relax_between(const relax_level *l, ptrdiff_t row,
                                                                level_edge kind, bool finest) {
    const relax_args r = set_of(l, kind);
    const ptrdiff_t from = kind == EDGE_FALLING ? 1 : 0;
    const ptrdiff_t to = r.up + (kind == EDGE_RISING ? 1 : 0);
    const int columns = l->columns;
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        ptrdiff_t k = row + i;
        relax_edge(r, k + from, k + to, k, kind, finest);
    }
}

__attribute__((always_inline)) static inline void relax_pair(const relax_level *l, ptrdiff_t row,
                                                             bool finest) {
    relax_between(l, row, l->backwards ? EDGE_FALLING : EDGE_V, finest);
    relax_between(l, row, EDGE_RISING, finest);
    relax_between(l, row, l->backwards ? EDGE_V : EDGE_FALLING, finest);
}

__attribute__((always_inline)) static inline void relax_row(const relax_level *l, ptrdiff_t row,
                                                            bool finest) {
    relax_within(l, row, l->backwards ? 1 : 0, finest);
    relax_within(l, row, l->backwards ? 0 : 1, finest);
}

__attribute__((always_inline)) static inline void relax_even(const relax_level *l, int pair,
                                                             bool finest) {
    const grid *g = &l->level->table->grid;
    ptrdiff_t row = (ptrdiff_t)grid_index(g, 0, 2 * pair);
    bool whole = 2 * pair + 1 < g->rows;
    if (whole && l->backwards) {
        relax_pair(l, row, finest);
    }
    relax_row(l, row, finest);
    if (whole) {
        relax_row(l, row + g->stride, finest);
    }
    if (whole && !l->backwards) {
        relax_pair(l, row, finest);
    }
}

void CPU_FN(relax_even_rows)(const pass_args *args, int pair_begin, int pair_end) {
    const relax_level l = level_of(args);
    for (int pair = pair_begin; pair < pair_end; pair++) {
        if (l.finest) {
            relax_even(&l, pair, true);
        } else {
            relax_even(&l, pair, false);
        }
    }
}

void CPU_FN(relax_odd_rows)(const pass_args *args, int pair_begin, int pair_end) {
    const relax_level l = level_of(args);
    for (int pair = pair_begin; pair < pair_end; pair++) {
        ptrdiff_t row = (ptrdiff_t)grid_index(&l.level->table->grid, 0, 2 * pair + 1);
        if (l.finest) {
            relax_pair(&l, row, true);
        } else {
            relax_pair(&l, row, false);
        }
    }
}
