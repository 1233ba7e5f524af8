/* Ways along the cloth (kernel/sway.h): a cycle for two numbers a texel, over the grids of the one
 * over A but the finest, and with its matrices. Forces and ground of the finest come from tie.c;
 * sway.c moves it. */
#include "cpu/couplings.h"
#include "kernel/sway.h"

enum { PARTS = 2 };

static cycle_row row_at(const cycle_level *l, size_t first, int part) {
    return (cycle_row){.c = couplings(l->matrix, first),
                       .r = l->at.plane[CYCLE_ua + part] + first,
                       .inverse = l->at.ui + first,
                       .up = l->matrix->grid.stride,
                       .columns = row_floats(&l->matrix->grid)};
}

/* Ground, diagonal, forces, and the first sweep. */
void CPU_FN(slide_down_rows)(const pass_args *args, int row_begin, int row_end) {
    const cycle_level *l = &args->cycle->levels[args->level],
                      *finer = &args->cycle->levels[args->level - 1];
    const cycle_plane from = args->level == 1 ? CYCLE_ua : CYCLE_la;
    const ptrdiff_t up = finer->matrix->grid.stride;
    const int columns = l->matrix->grid.columns;
    for (int row = row_begin; row < row_end; row++) {
        size_t first = grid_index(&l->matrix->grid, 0, row);
        size_t below = grid_index(&finer->matrix->grid, 0, 2 * row);
        const float *restrict own = l->matrix->plane[MATRIX_INVERSE] + first;
        const float *restrict turns = finer->at.ug + below;
        float *restrict ground = l->at.ug + first, *restrict inverse = l->at.ui + first;
#pragma omp simd
        for (int i = 0; i < columns; i++) {
            ground[i] = gathered(turns + 2 * i, up);
            inverse[i] = sway_inverse(own[i], ground[i]);
        }
        for (int part = 0; part < PARTS; part++) {
            const float *restrict t = finer->at.plane[(int)from + part] + below;
            float *restrict r = l->at.plane[CYCLE_ua + part] + first;
            float *restrict way = l->at.plane[CYCLE_wa + part] + first;
#pragma omp simd
            for (int i = 0; i < columns; i++) {
                r[i] = gathered(t + 2 * i, up);
                way[i] = CYCLE_FIRST * inverse[i] * r[i];
            }
        }
    }
}

void CPU_FN(slide_defect_rows)(const pass_args *args, int row_begin, int row_end) {
    const cycle_level *l = &args->cycle->levels[args->level];
    for (int row = row_begin; row < row_end; row++) {
        size_t first = grid_index(&l->matrix->grid, 0, row);
        for (int part = 0; part < PARTS; part++) {
            const cycle_row at = row_at(l, first, part);
            const float *restrict way = l->at.plane[CYCLE_wa + part] + first;
            float *restrict t = l->at.plane[CYCLE_la + part] + first;
#pragma omp simd
            for (int i = 0; i < at.columns; i++) {
                float left = cycle_defect(at.r[i], around(at.c, way, i, at.up), CYCLE_FIRST);
                t[i] = k_select(at.inverse[i] > 0.0f, left, 0.0f);
            }
        }
    }
}

/* A^-1 r, and as much of it as is best with the ground, of which it does not know. */
static void solve(const cycle_state *s, int part) {
    const cycle_level *l = &s->levels[s->count - 1];
    const multigrid *m = s->tables;
    const grid *g = &l->matrix->grid;
    const float *r = l->at.plane[CYCLE_ua + part];
    float *way = l->at.plane[CYCLE_wa + part], work = 0.0f, ground = 0.0f;
    for (int unknown = 0; unknown < m->unknowns; unknown++) {
        size_t k = grid_index(g, unknown % g->columns, unknown / g->columns);
        way[k] = exact_product(m->exact + (size_t)unknown * (size_t)m->unknowns,
                               r + grid_index(g, 0, 0), g);
        work += way[k] * r[k];
        ground += way[k] * way[k] * l->at.ug[k];
    }
    const float share = sway_share(work, ground);
    for (int unknown = 0; unknown < m->unknowns; unknown++) {
        way[grid_index(g, unknown % g->columns, unknown / g->columns)] *= share;
    }
}

/* One thread: all rows depend on all others. */
void CPU_FN(slide_exact_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int part = 0; part < PARTS && row_begin == 0 && row_end > 0; part++) {
        solve(args->cycle, part);
    }
}

void CPU_FN(slide_up_rows)(const pass_args *args, int row_begin, int row_end) {
    const cycle_level *l = &args->cycle->levels[args->level],
                      *coarser = &args->cycle->levels[args->level + 1];
    for (int row = row_begin; row < row_end; row++) {
        size_t first = grid_index(&l->matrix->grid, 0, row);
        size_t above = grid_index(&coarser->matrix->grid, 0, row / 2);
        for (int part = 0; part < PARTS; part++) {
            gain_of_row(coarser->at.plane[CYCLE_wa + part] + above,
                        row % 2 ? coarser->matrix->grid.stride : 0, l->at.ui + first,
                        l->at.plane[CYCLE_wa + part] + first, l->matrix->grid.columns);
        }
    }
}

static void sweep_rows(const pass_args *args, int row_begin, int row_end, cycle_plane from,
                       cycle_plane to, float weight) {
    const cycle_level *l = &args->cycle->levels[args->level];
    for (int row = row_begin; row < row_end; row++) {
        size_t first = grid_index(&l->matrix->grid, 0, row);
        for (int part = 0; part < PARTS; part++) {
            sweep_of_row(row_at(l, first, part), l->at.plane[(int)from + part] + first,
                         l->at.plane[(int)to + part] + first, weight);
        }
    }
}

void CPU_FN(slide_sweep_rows)(const pass_args *args, int row_begin, int row_end) {
    sweep_rows(args, row_begin, row_end, CYCLE_wa, CYCLE_la, CYCLE_SECOND);
}

void CPU_FN(slide_back_rows)(const pass_args *args, int row_begin, int row_end) {
    sweep_rows(args, row_begin, row_end, CYCLE_la, CYCLE_wa, CYCLE_THIRD);
}
