/* Particle-based Jacobi: Schmitt 2013 section 5.2. Each texel gathers from its eight edges, so
 * every edge is worked out twice, once for either end; the results are taken as a share of their
 * sum, the same for all texels, where the paper averages over the edges of each texel: so both ends
 * of an edge move by opposite impulses also on the border, and momentum is kept. */
#include "cpu/passes.h"
#include "kernel/distance.h"
#include "kernel/spring.h"

typedef struct jacobi_args {
    field x;
    const float *restrict mass, *restrict coverage;
    float relaxation, longest_ratio;
    ptrdiff_t up;
} jacobi_args;

/* The edges of one kind. */
typedef struct jacobi_set {
    const float *restrict multiplier, *restrict rest_plane, *restrict before;
    float *restrict changed; /* multiplier, out */
    float rest, compliance;
} jacobi_set;

typedef struct jacobi_edge {
    v3 move;     /* of the texel, before its inverse mass */
    float after; /* multiplier */
} jacobi_edge;

/* The edge from texel k to k + to, whose multiplier is at k + at. */
__attribute__((always_inline)) static inline jacobi_edge edge_of(jacobi_args a, jacobi_set s,
                                                                 ptrdiff_t k, ptrdiff_t to,
                                                                 ptrdiff_t at, float weight,
                                                                 bool finest) {
    v3 d = v3_sub(field_at(a.x, k + to), field_at(a.x, k));
    float inverse = v3_inverse_length(d), length = v3_dot(d, d) * inverse;
    float masses = a.mass[k] + a.mass[k + to], multiplier = s.multiplier[k + at];
    float rest = finest ? s.rest : s.rest_plane[k + at];
    bool there = finest ? weight > 0.0f : (weight > 0.0f) & (rest < LEVEL_NO_EDGE);
    float change = finest ? a.relaxation * distance_change(length, rest, weight, multiplier,
                                                           s.compliance, masses)
                          : distance_change_pull(length, rest, weight, multiplier, s.compliance,
                                                 masses, a.relaxation, s.before[k + at]);
    change = k_select(there, change, 0.0f);
    float pull =
        distance_pull(weight * change, length, rest * a.longest_ratio, masses / a.relaxation);
    pull = k_select(there, pull, 0.0f);
    jacobi_edge e = {v3_scale(d, pull * inverse), multiplier + change};
    return e;
}

__attribute__((always_inline)) static inline void
jacobi_row(jacobi_args a, const jacobi_set sets[EDGE_KINDS], float *restrict ox, float *restrict oy,
           float *restrict oz, int columns, bool finest) {
    const jacobi_set u = sets[EDGE_U], v = sets[EDGE_V], r = sets[EDGE_RISING],
                     f = sets[EDGE_FALLING];
    const float *restrict c = a.coverage;
    const ptrdiff_t up = a.up;
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        ptrdiff_t k = i;
        float own = c[k], left = c[k - 1], below = c[k - up], corner = c[k - 1 - up];
        jacobi_edge right = edge_of(a, u, k, 1, 0, thread_weight(own, below), finest);
        jacobi_edge west = edge_of(a, u, k, -1, -1, thread_weight(left, corner), finest);
        jacobi_edge north = edge_of(a, v, k, up, 0, thread_weight(own, left), finest);
        jacobi_edge south = edge_of(a, v, k, -up, -up, thread_weight(below, corner), finest);
        jacobi_edge rise = edge_of(a, r, k, 1 + up, 0, own, finest);
        jacobi_edge sink = edge_of(a, r, k, -1 - up, -1 - up, corner, finest);
        jacobi_edge fall = edge_of(a, f, k, up - 1, -1, left, finest);
        jacobi_edge lift = edge_of(a, f, k, 1 - up, -up, below, finest);
        v3 threads = v3_add(v3_add(right.move, west.move), v3_add(north.move, south.move));
        v3 diagonals = v3_add(v3_add(rise.move, sink.move), v3_add(fall.move, lift.move));
        v3 out = v3_madd(field_at(a.x, k), v3_add(threads, diagonals), a.mass[k]);
        ox[i] = out.x;
        oy[i] = out.y;
        oz[i] = out.z;
        u.changed[k] = right.after;
        v.changed[k] = north.after;
        r.changed[k] = rise.after;
        f.changed[k - 1] = fall.after;
    }
}

static void jacobi_level(const pass_args *args, int row_begin, int row_end, level_plane from,
                         level_plane to, level_plane from_multiplier, level_plane to_multiplier) {
    const level_state *l = &args->hierarchy->levels[args->level];
    const cloth_params *p = args->params;
    const grid *g = &l->table->grid;
    float *const *planes = l->at.plane;
    for (int row = row_begin; row < row_end; row++) {
        size_t first = grid_index(g, 0, row);
        jacobi_args a = {field_from(planes[from], planes[from + 1], planes[from + 2], first),
                         l->inverse_mass + first,
                         l->coverage + first,
                         args->plan->jacobi_relaxation,
                         p->longest / p->spacing,
                         g->stride};
        jacobi_set sets[EDGE_KINDS];
        for (int e = 0; e < EDGE_KINDS; e++) {
            bool thread = e == EDGE_U || e == EDGE_V;
            sets[e] = (jacobi_set){
                planes[(int)from_multiplier + e] + first,
                args->level == 0 ? a.coverage : l->table->rest[e] + first,
                args->level == 0 ? a.coverage : planes[LEVEL_bu + e] + first,
                planes[(int)to_multiplier + e] + first,
                thread ? p->spacing : p->diagonal,
                e == EDGE_U   ? p->compliance_u
                : e == EDGE_V ? p->compliance_v
                              : p->compliance_shear,
            };
        }
        float *ox = planes[to] + first, *oy = planes[to + 1] + first, *oz = planes[to + 2] + first;
        if (args->level == 0) {
            jacobi_row(a, sets, ox, oy, oz, grid_floats(g), true);
        } else {
            jacobi_row(a, sets, ox, oy, oz, grid_floats(g), false);
        }
    }
}

void CPU_FN(jacobi_rows)(const pass_args *args, int row_begin, int row_end) {
    jacobi_level(args, row_begin, row_end, LEVEL_x, LEVEL_qx, LEVEL_lu, LEVEL_nu);
}

void CPU_FN(jacobi_back_rows)(const pass_args *args, int row_begin, int row_end) {
    jacobi_level(args, row_begin, row_end, LEVEL_qx, LEVEL_x, LEVEL_nu, LEVEL_lu);
}

void CPU_FN(jacobi_copy_rows)(const pass_args *args, int row_begin, int row_end) {
    const level_state *l = &args->hierarchy->levels[args->level];
    const grid *g = &l->table->grid;
    const int columns = grid_floats(g);
    for (int row = row_begin; row < row_end; row++) {
        size_t first = grid_index(g, 0, row);
        for (int p = 0; p < 3 + EDGE_KINDS; p++) {
            const float *restrict from =
                l->at.plane[p < 3 ? LEVEL_qx + p : LEVEL_nu + p - 3] + first;
            float *restrict to = l->at.plane[p < 3 ? LEVEL_x + p : LEVEL_lu + p - 3] + first;
#pragma omp simd
            for (int i = 0; i < columns; i++) {
                to[i] = from[i];
            }
        }
    }
}
