/* A cycle over the grids: A e = r for the constant matrix of cook/multigrid.h, from the finest grid
 * to the coarsest and back (a V-cycle).
 *
 * Each grid is swept once by damped Jacobi on the way down, from nothing, and twice on the way up.
 */
#include "cpu/bending.h"
#include "cpu/couplings.h"
#include "cpu/held.h"

/* ---- down ---------------------------------------------------------------------------------------
 */

/* All axes at once: couplings are read once. */
static void defect_row(const cycle_level *l, size_t first) {
    const cycle_planes *p = &l->at;
    const coupling_row c = couplings(l->matrix, first);
    const field r = field_from(p->rx, p->ry, p->rz, first);
    const field e = field_from(p->ex, p->ey, p->ez, first);
    float *restrict tx = p->tx + first, *restrict ty = p->ty + first, *restrict tz = p->tz + first;
    const ptrdiff_t up = l->matrix->grid.stride;
    const int columns = row_floats(&l->matrix->grid);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        tx[i] = cycle_defect(r.x[i], around(c, e.x, i, up), CYCLE_FIRST);
        ty[i] = cycle_defect(r.y[i], around(c, e.y, i, up), CYCLE_FIRST);
        tz[i] = cycle_defect(r.z[i], around(c, e.z, i, up), CYCLE_FIRST);
    }
}

void CPU_FN(defect_rows)(const pass_args *args, int row_begin, int row_end) {
    const cycle_level *l = &args->cycle->levels[args->level];
    for (int row = row_begin; row < row_end; row++) {
        defect_row(l, grid_index(&l->matrix->grid, 0, row));
        if (args->level == 0) {
            CPU_FN(hold_row)(l, row, CYCLE_tx);
        }
    }
}

/* The forces of a coarse row, P' t, and the first sweep over them. */
void CPU_FN(down_rows)(const pass_args *args, int row_begin, int row_end) {
    const cycle_level *l = &args->cycle->levels[args->level],
                      *finer = &args->cycle->levels[args->level - 1];
    const ptrdiff_t up = finer->matrix->grid.stride;
    const int columns = l->matrix->grid.columns;
    for (int row = row_begin; row < row_end; row++) {
        size_t first = grid_index(&l->matrix->grid, 0, row);
        size_t below = grid_index(&finer->matrix->grid, 0, 2 * row);
        const float *restrict inverse = l->matrix->plane[MATRIX_INVERSE] + first;
        for (int axis = 0; axis < 3; axis++) {
            const float *restrict t = finer->at.plane[CYCLE_tx + axis] + below;
            float *restrict r = l->at.plane[CYCLE_rx + axis] + first;
            float *restrict e = l->at.plane[CYCLE_ex + axis] + first;
#pragma omp simd
            for (int i = 0; i < columns; i++) {
                r[i] = gathered(t + 2 * i, up);
                e[i] = CYCLE_FIRST * inverse[i] * r[i];
            }
        }
        CPU_FN(hold_coarse_row)(l, finer, row, args->level == 1);
        CPU_FN(sweep_held_row)(l, row, CYCLE_rx, CYCLE_ex, 0.0f); /* keeps nothing */
    }
}

/* ---- the coarsest grid --------------------------------------------------------------------------
 */

/* e = A^-1 r, where the level is a cloth's last. */
void CPU_FN(exact_rows)(const pass_args *args, int row_begin, int row_end) {
    const cycle_level *l = &args->cycle->levels[args->level];
    if (args->level != args->cycle->count - 1) {
        return;
    }
    if (CPU_FN(is_held)(l)) {
        if (row_begin == 0 && row_end > 0) { /* one thread: all rows depend on all others */
            CPU_FN(solve_held)(args->cycle);
        }
        return;
    }
    const multigrid *m = args->cycle->tables;
    const grid *g = &l->matrix->grid;
    size_t start = grid_index(g, 0, 0);
    for (int row = row_begin; row < row_end; row++) {
        for (int column = 0; column < g->columns; column++) {
            size_t k = grid_index(g, column, row);
            size_t unknown = (size_t)row * (size_t)g->columns + (size_t)column;
            for (int axis = 0; axis < 3; axis++) {
                l->at.plane[CYCLE_ex + axis][k] =
                    exact_product(m->exact + unknown * (size_t)m->unknowns,
                                  l->at.plane[CYCLE_rx + axis] + start, g);
            }
        }
    }
}

/* ---- up -----------------------------------------------------------------------------------------
 */

/* A row of the first sweep, and P e of the coarser grid on it. */
void CPU_FN(up_rows)(const pass_args *args, int row_begin, int row_end) {
    const cycle_level *l = &args->cycle->levels[args->level],
                      *coarser = &args->cycle->levels[args->level + 1];
    const ptrdiff_t up = coarser->matrix->grid.stride;
    for (int row = row_begin; row < row_end; row++) {
        size_t first = grid_index(&l->matrix->grid, 0, row);
        size_t above = grid_index(&coarser->matrix->grid, 0, row / 2);
        const ptrdiff_t other = row % 2 ? up : 0;
        const float *restrict inverse = l->matrix->plane[MATRIX_INVERSE] + first;
        for (int axis = 0; axis < 3; axis++) {
            gain_of_row(coarser->at.plane[CYCLE_ex + axis] + above, other, inverse,
                        l->at.plane[CYCLE_ex + axis] + first, l->matrix->grid.columns);
        }
        if (args->level == 0) {
            CPU_FN(land_row)(l, row, CYCLE_ex);
        }
    }
}

/* A sweep over a row, from three planes to three others. */
__attribute__((always_inline)) static inline void
sweep_row(const cycle_level *l, size_t first, cycle_plane from, cycle_plane to, float weight) {
    float *const *p = l->at.plane;
    const coupling_row c = couplings(l->matrix, first);
    const field r = field_from(p[CYCLE_rx], p[CYCLE_ry], p[CYCLE_rz], first);
    const field e = field_from(p[from], p[from + 1], p[from + 2], first);
    const float *restrict inverse = l->matrix->plane[MATRIX_INVERSE] + first;
    float *restrict x = p[to] + first, *restrict y = p[to + 1] + first,
                    *restrict z = p[to + 2] + first;
    const ptrdiff_t up = l->matrix->grid.stride;
    const int columns = row_floats(&l->matrix->grid);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        x[i] = cycle_sweep(e.x[i], r.x[i], around(c, e.x, i, up), inverse[i], weight);
        y[i] = cycle_sweep(e.y[i], r.y[i], around(c, e.y, i, up), inverse[i], weight);
        z[i] = cycle_sweep(e.z[i], r.z[i], around(c, e.z, i, up), inverse[i], weight);
    }
}

static void sweep_level(const pass_args *args, int row_begin, int row_end, cycle_plane from,
                        cycle_plane to, float weight) {
    const cycle_level *l = &args->cycle->levels[args->level];
    for (int row = row_begin; row < row_end; row++) {
        sweep_row(l, grid_index(&l->matrix->grid, 0, row), from, to, weight);
        if (args->level == 0) {
            CPU_FN(land_row)(l, row, to);
        } else {
            CPU_FN(sweep_held_row)(l, row, from, to, 1.0f - weight);
        }
    }
}

void CPU_FN(sweep_rows)(const pass_args *args, int row_begin, int row_end) {
    sweep_level(args, row_begin, row_end, CYCLE_ex, CYCLE_tx, CYCLE_SECOND);
}

void CPU_FN(sweep_back_rows)(const pass_args *args, int row_begin, int row_end) {
    sweep_level(args, row_begin, row_end, CYCLE_tx, CYCLE_ex, CYCLE_THIRD);
}

/* ---- onto positions -----------------------------------------------------------------------------
 */

/* Adds the correction: from qx, qy, qz to x, y, z, and what is ahead of those. Returns how far the
 * texel that it moves most goes. */
static float add_correction(const pass_args *args, size_t first, int columns) {
    const cycle_planes *c = &args->cycle->levels[0].at;
    const level_planes *l = &args->hierarchy->levels[0].at;
    const field q = field_from(l->qx, l->qy, l->qz, first);
    const field e = field_from(c->ex, c->ey, c->ez, first);
    const cloth_planes *s = &args->state->at;
    const field start = field_from(s->x, s->y, s->z, first);
    float *restrict x = l->x + first, *restrict y = l->y + first, *restrict z = l->z + first;
    float *restrict bx = c->bx + first, *restrict by = c->by + first, *restrict bz = c->bz + first;
    const float lag = args->params->bend_lag;
    float longest = 0.0f;
#pragma omp simd reduction(max : longest)
    for (int i = 0; i < columns; i++) {
        v3 move = field_at(e, i), end = v3_add(field_at(q, i), move);
        longest = k_max(longest, v3_dot(move, move));
        x[i] = end.x;
        y[i] = end.y;
        z[i] = end.z;
        v3 ahead = ahead_of(end, field_at(start, i), lag);
        bx[i] = ahead.x;
        by[i] = ahead.y;
        bz[i] = ahead.z;
    }
    return k_sqrt(longest);
}

/* The last sweep of the finest grid, and all of it onto positions. */
void CPU_FN(correct_rows)(const pass_args *args, int row_begin, int row_end) {
    const cycle_level *finest = &args->cycle->levels[0];
    const int columns = row_floats(&args->state->grid);
    for (int row = row_begin; row < row_end; row++) {
        size_t first = grid_index(&args->state->grid, 0, row);
        sweep_row(finest, first, CYCLE_tx, CYCLE_ex, CYCLE_THIRD);
        CPU_FN(land_row)(finest, row, CYCLE_ex);
        args->cycle->row_moved[row] = add_correction(args, first, columns);
    }
}
