/* Coarse matrices (kernel/coarsen.h), one row of coarse texels at a time. */
#include <string.h>

#include "cpu/newton_row.h"
#include "kernel/coarsen.h"
#include "kernel/link.h"

/* Blocks of a row in the scratch: the links of kernel/system.h and the texel's own. */
enum { ROW_PLANES = 6 * (SYSTEM_LINKS + 1), HALVED_ROWS = 3, FULL_ROW = 3 * ROW_PLANES };

static float *halved_at(const newton_args *args, int fine_row, int number) {
    return scratch_at(args, (fine_row + HALVED_ROWS) % HALVED_ROWS * ROW_PLANES + number);
}

/* Blocks of springs between texels that are both free. */
__attribute__((noinline)) static void link_part(const float *const spring[4],
                                                const float *restrict inertia, ptrdiff_t to,
                                                rows6 out, int floats) {
    const float *restrict tx = spring[0], *restrict ty = spring[1], *restrict tz = spring[2],
                          *restrict pull = spring[3];
#pragma omp simd
    for (int i = 0; i < floats; i++) {
        v4 s = v4_make(v3_make(tx[i], ty[i], tz[i]), pull[i]);
        rows6_store(out, i, solve_link(s, inertia[i], inertia[i + to]));
    }
}

__attribute__((noinline)) static void own_free_part(const rows6 own, const float *restrict inertia,
                                                    rows6 out, int floats) {
#pragma omp simd
    for (int i = 0; i < floats; i++) {
        rows6_store(out, i,
                    block_scale(rows6_load(own, i), k_select(inertia[i] > 0.0f, 1.0f, 0.0f)));
    }
}

/* The blocks of a row of the finest level, into the scratch. */
static void full_row(const newton_args *args, const system_panel *fine, int fine_row,
                     const float *out[ROW_PLANES]) {
    const newton_level *l = &args->state->level[0];
    const size_t at = fine->first + grid_index(&fine->grid, 0, fine_row);
    const int floats = grid_floats(&fine->grid);
    float *planes[ROW_PLANES];
    for (int p = 0; p < ROW_PLANES; p++) {
        out[p] = planes[p] = scratch_at(args, FULL_ROW + p);
        planes[p][-1] = 0.0f;
        memset(planes[p] + floats, 0, 2 * GRID_VECTOR * sizeof(float));
    }
    for (int q = 0; q < SYSTEM_LINKS; q++) {
        const float *spring[4];
        for (int k = 0; k < 4; k++) {
            spring[k] = l->plane[EQ_springs + 4 * q + k] + at;
        }
        link_part(spring, l->plane[EQ_inertia] + at, link_to(q, fine->grid.stride),
                  rows6_at(&planes[6 * q], 0), floats);
    }
    own_free_part(rows6_at(&l->plane[EQ_own], at), l->plane[EQ_inertia] + at,
                  rows6_at(&planes[6 * SYSTEM_OWN], 0), floats);
}

/* One number of the blocks of a row, half as long. */
__attribute__((noinline)) static void halve_part(const float *const in[SYSTEM_LINKS + 1],
                                                 float *const out[SYSTEM_LINKS + 1], int columns) {
    const float *restrict own = in[SYSTEM_OWN], *restrict east = in[SYSTEM_EAST];
    const float *restrict north = in[SYSTEM_NORTH], *restrict rise = in[SYSTEM_RISE],
                          *restrict left = in[SYSTEM_LEFT];
    float *restrict half_own = out[SYSTEM_OWN], *restrict half_east = out[SYSTEM_EAST];
    float *restrict half_north = out[SYSTEM_NORTH], *restrict half_rise = out[SYSTEM_RISE],
                    *restrict half_left = out[SYSTEM_LEFT];
#pragma omp simd
    for (int c = 0; c < columns; c++) {
        int i = 2 * c;
        half_own[c] = coarsen_own(own[i - 1], own[i], own[i + 1], east[i - 1], east[i]);
        half_east[c] = coarsen_tie(own[i + 1], east[i], east[i + 1]);
    }
#pragma omp simd
    for (int c = 0; c < columns; c++) {
        int i = 2 * c;
        half_north[c] = coarsen_across(north[i - 1], north[i], north[i + 1], rise[i - 1], rise[i],
                                       left[i], left[i + 1]);
        half_rise[c] = coarsen_tie(north[i + 1], rise[i], rise[i + 1]);
        half_left[c] = coarsen_tie(north[i - 1], left[i - 1], left[i]);
    }
}

static void halve_row(const newton_args *args, const system_row *row, int fine_row) {
    const newton_level *l = &args->state->level[args->depth], *finer = l - 1;
    const system_panel *fine = &finer->table->panels[row->panel];
    const int columns = l->table->panels[row->panel].grid.columns;
    const float *from[ROW_PLANES];
    if (fine_row < 0 || fine_row >= fine->grid.rows) {
        for (int p = 0; p < ROW_PLANES; p++) {
            memset(halved_at(args, fine_row, p) - 1, 0, (size_t)(columns + 2) * sizeof(float));
        }
        return;
    }
    if (args->depth == 1) {
        full_row(args, fine, fine_row, from);
    } else {
        const size_t at = fine->first + grid_index(&fine->grid, 0, fine_row);
        for (int p = 0; p < ROW_PLANES; p++) {
            from[p] = finer->plane[EQ_east + p] + at;
        }
    }
    for (int k = 0; k < 6; k++) {
        const float *in[SYSTEM_LINKS + 1];
        float *out[SYSTEM_LINKS + 1];
        for (int q = 0; q <= SYSTEM_LINKS; q++) {
            in[q] = from[6 * q + k];
            out[q] = halved_at(args, fine_row, 6 * q + k);
            out[q][-1] = out[q][columns] = 0.0f;
        }
        halve_part(in, out, columns);
    }
}

/* One number of the blocks of a coarse row, from three halved ones. */
typedef struct halved {
    const float *restrict own, *restrict east, *restrict north, *restrict rise, *restrict left;
} halved;

static halved halved_of(const newton_args *args, int fine_row, int k) {
    return (halved){halved_at(args, fine_row, 6 * SYSTEM_OWN + k),
                    halved_at(args, fine_row, 6 * SYSTEM_EAST + k),
                    halved_at(args, fine_row, 6 * SYSTEM_NORTH + k),
                    halved_at(args, fine_row, 6 * SYSTEM_RISE + k),
                    halved_at(args, fine_row, 6 * SYSTEM_LEFT + k)};
}

__attribute__((noinline)) static void join_part(halved below, halved here, halved above,
                                                float *const out[SYSTEM_LINKS + 1], int columns) {
    float *restrict own = out[SYSTEM_OWN], *restrict east = out[SYSTEM_EAST];
    float *restrict north = out[SYSTEM_NORTH], *restrict rise = out[SYSTEM_RISE],
                    *restrict left = out[SYSTEM_LEFT];
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        own[i] =
            coarsen_own(below.own[i], here.own[i], above.own[i], below.north[i], here.north[i]);
        north[i] = coarsen_tie(above.own[i], here.north[i], above.north[i]);
        rise[i] = coarsen_tie(above.east[i], here.rise[i], above.rise[i]);
        left[i] = coarsen_tie(above.east[i - 1], here.left[i], above.left[i]);
    }
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        east[i] = coarsen_across(below.east[i], here.east[i], above.east[i], below.rise[i],
                                 here.rise[i], below.left[i + 1], here.left[i + 1]);
    }
}

__attribute__((noinline)) static void inverse_row(const newton_args *args, const system_row *row) {
    const newton_level *l = &args->state->level[args->depth];
    const rows6 own = rows6_at(&l->plane[EQ_block], row->at);
    const rows6 inverse = rows6_at(&l->plane[EQ_inverse], row->at);
    const float bend = newton_bend(args, row->panel);
    const int columns = l->table->panels[row->panel].grid.columns;
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        block b = rows6_load(own, i);
        rows6_store(inverse, i, solve_inverse(b, bend, b.diagonal.x > 0.0f));
    }
}

void CPU_FN(newton_coarsen)(const newton_args *args, int row_begin, int row_end) {
    const newton_level *l = &args->state->level[args->depth];
    for (int j = row_begin; j < row_end; j++) {
        const system_row *row = &l->table->row[j];
        if (newton_rests(args, row)) {
            continue;
        }
        if (j == row_begin || row->row == 0) {
            halve_row(args, row, 2 * row->row - 1);
        }
        halve_row(args, row, 2 * row->row);
        halve_row(args, row, 2 * row->row + 1);
        for (int k = 0; k < 6; k++) {
            float *out[SYSTEM_LINKS + 1];
            for (int q = 0; q <= SYSTEM_LINKS; q++) {
                out[q] = l->plane[EQ_east + 6 * q + k] + row->at;
            }
            join_part(halved_of(args, 2 * row->row - 1, k), halved_of(args, 2 * row->row, k),
                      halved_of(args, 2 * row->row + 1, k), out,
                      l->table->panels[row->panel].grid.columns);
        }
        inverse_row(args, row);
        CPU_FN(newton_meet_inverses)(args, row);
        CPU_FN(newton_couple_inverses)(args, row);
    }
}
