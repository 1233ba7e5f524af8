/* The work that forces would do which iterations have left unbalanced, and the ways that are made
 * longer or shorter for it (kernel/implicit.h). Texels that a body touches are left out: what is
 * left on them is how hard it presses. */
#include "cpu/forces.h"

/* Texels that take part: free ones that no body touches. */
typedef struct work_row {
    const float *restrict inverse_mass, *restrict gap;
    bool touched; /* is any of the row? */
} work_row;

static work_row work_row_at(const pass_args *args, int row) {
    const size_t first = grid_index(&args->state->grid, 0, row);
    const cycle_level *finest = &args->cycle->levels[0];
    return (work_row){args->state->at.inverse_mass + first, finest->at.gap + first,
                      finest->row_held[row] != 0};
}

__attribute__((always_inline)) static inline bool takes_part(const work_row *w, int i) {
    return (w->inverse_mass[i] > 0.0f) & !(w->touched & (w->gap[i] < FLT_MAX));
}

/* Sums by column of a vector, and then of those, so that all instruction sets give the same. */
static void sum_row(const pass_args *args, int row) {
    const size_t first = grid_index(&args->state->grid, 0, row);
    const cycle_planes *c = &args->cycle->levels[0].at;
    const force_row f = force_row_at(args, first, LEVEL_x, CYCLE_bx);
    const work_row w = work_row_at(args, row);
    const field r = field_from(c->rx, c->ry, c->rz, first);
    float work[GRID_VECTOR] = {0.0f}, kinetic[GRID_VECTOR] = {0.0f};
    FOR_PARTS(residual_part, args, &f, row, first);
    for (int vector = 0; vector < row_floats(&args->state->grid); vector += GRID_VECTOR) {
#pragma omp simd
        for (int lane = 0; lane < GRID_VECTOR; lane++) {
            int i = vector + lane;
            v3 way = v3_sub(field_at(f.x, i), field_at(f.start, i));
            float part = k_select(takes_part(&w, i), 1.0f, 0.0f);
            work[lane] += part * v3_dot(field_at(r, i), way);
            kinetic[lane] += part * 0.5f * v3_dot(inertia_force(way, f.inertia[i]), way);
        }
    }
    float *sums = &args->cycle->row_work[2 * row];
    sums[0] = 0.0f;
    sums[1] = 0.0f;
    for (int lane = 0; lane < GRID_VECTOR; lane++) {
        sums[0] += work[lane];
        sums[1] += kinetic[lane];
    }
}

void CPU_FN(work_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        sum_row(args, row);
    }
}

void CPU_FN(trust_rows)(const pass_args *args, int row_begin, int row_end) {
    const float trust = args->cycle->trust;
    const int columns = row_floats(&args->state->grid);
    for (int row = row_begin; row < row_end; row++) {
        const size_t first = grid_index(&args->state->grid, 0, row);
        const work_row w = work_row_at(args, row);
        for (int axis = 0; axis < 3; axis++) {
            float *restrict v = args->state->at.plane[PLANE_vx + axis] + first;
#pragma omp simd
            for (int i = 0; i < columns; i++) {
                v[i] = k_select(takes_part(&w, i), v[i] * trust, v[i]);
            }
        }
    }
}
