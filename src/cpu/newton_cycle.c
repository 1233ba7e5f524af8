/* The passes of conjugate gradients and of the cycle that preconditions them: products with the
 * matrix of a level, sweeps, and the way to the next coarser level and back. */
#include <string.h>

#include "cpu/newton_row.h"
#include "kernel/cycle.h"

/* ---- products -----------------------------------------------------------------------------------
 */

/* Not inlined, and in parts: a loop with all loads of a texel would have more pointers than there
 * are registers. Views begin with column 0 of the plane, rows at a place in it: a view is made once
 * in a pass, for short rows are done in less time than that takes. */
__attribute__((noinline)) static void bend_inside(const system_view *given, ptrdiff_t at,
                                                  ptrdiff_t up, int begin, int end, rows3 out) {
    const system_view view = *given;
#pragma omp simd
    for (int i = begin; i < end; i++) {
        rows3_store(out, i, system_bending_inside(&view, at + i, up));
    }
}

/* Rows of the scratch: what springs of a row pull at its texels with, at the other ends the other
 * way round. Those that lead to the row above are kept until its turn. */
enum { PULL_EAST = 6, PULL_UP = 9, PULL_ROWS = 9 };

typedef struct pulls {
    rows3 east, north, rise, left;
} pulls;

static pulls pulls_at(const newton_args *args, int row) {
    const int up = PULL_UP + (row & 1) * PULL_ROWS;
    return (pulls){scratch3(args, PULL_EAST), scratch3(args, up), scratch3(args, up + 3),
                   scratch3(args, up + 6)};
}

/* Those of one kind, to texels so far away. */
__attribute__((noinline)) static void springs_of_link(const system_view *view, int q, ptrdiff_t at,
                                                      ptrdiff_t to, int floats, rows3 out) {
    const float *restrict const *move = view->move, *restrict const *spring = view->planes + 4 * q;
    const float *restrict x = move[0] + at, *restrict y = move[1] + at, *restrict z = move[2] + at;
    const float *restrict tx = spring[0] + at, *restrict ty = spring[1] + at;
    const float *restrict tz = spring[2] + at, *restrict pull = spring[3] + at;
#pragma omp simd
    for (int i = 0; i < floats; i++) {
        v3 apart = v3_sub(v3_make(x[i], y[i], z[i]), v3_make(x[i + to], y[i + to], z[i + to]));
        v4 stiff = v4_make(v3_make(tx[i], ty[i], tz[i]), pull[i]);
        rows3_store(out, i, newton_spring_times(stiff, apart));
    }
}

/* Springs to the row above: all that the next row needs of this one. */
static void springs_up(const system_view *view, ptrdiff_t at, ptrdiff_t up, int floats, pulls own) {
    springs_of_link(view, SYSTEM_NORTH, at, up, floats, own.north);
    springs_of_link(view, SYSTEM_RISE, at, up + 1, floats, own.rise);
    springs_of_link(view, SYSTEM_LEFT, at, up - 1, floats, own.left);
}

/* One coordinate of bending, inertia and all springs of a row. */
typedef struct pulls_along {
    const float *restrict east, *restrict north, *restrict rise, *restrict left;
    const float *restrict from_north, *restrict from_rise, *restrict from_left;
} pulls_along;

__attribute__((noinline)) static void gather_along(const pulls_along *given,
                                                   const float *restrict move,
                                                   const float *restrict inertia, float bend,
                                                   int floats, float *restrict out) {
    const pulls_along p = *given;
#pragma omp simd
    for (int i = 0; i < floats; i++) {
        float own = out[i] * bend + move[i] * inertia[i];
        float from = (p.east[i] + p.north[i]) + (p.rise[i] + p.left[i]);
        float straight = p.east[i - 1] + p.from_north[i];
        float aslant = p.from_rise[i - 1] + p.from_left[i + 1];
        out[i] = (own + from) - (straight + aslant);
    }
}

static void gather_springs(const system_view *view, ptrdiff_t at, pulls own, pulls below,
                           float bend, int floats, rows3 out) {
    const float *inertia = view->inertia + at;
    const pulls_along x = {own.east.x,    own.north.x,  own.rise.x,  own.left.x,
                           below.north.x, below.rise.x, below.left.x};
    const pulls_along y = {own.east.y,    own.north.y,  own.rise.y,  own.left.y,
                           below.north.y, below.rise.y, below.left.y};
    const pulls_along z = {own.east.z,    own.north.z,  own.rise.z,  own.left.z,
                           below.north.z, below.rise.z, below.left.z};
    gather_along(&x, view->move[0] + at, inertia, bend, floats, out.x);
    gather_along(&y, view->move[1] + at, inertia, bend, floats, out.y);
    gather_along(&z, view->move[2] + at, inertia, bend, floats, out.z);
}

__attribute__((noinline)) static void contact_part(const newton_args *args, const system_row *row,
                                                   const system_view *view, rows3 out) {
    const column_range pressed = args->panels[row->panel].implicit->row_pressed[row->row];
    const rows6 contact = rows6_at(&args->state->level[0].plane[EQ_contact], row->at);
    const float *restrict a = view->move[0] + row->at, *restrict b = view->move[1] + row->at,
                          *restrict c = view->move[2] + row->at;
#pragma omp simd
    for (int i = pressed.begin; i < pressed.end; i++) {
        v3 force = block_times(rows6_load(contact, i), v3_make(a[i], b[i], c[i]));
        rows3_store(out, i, v3_add(rows3_load(out, i), force));
    }
}

__attribute__((noinline)) static void coarse_row_part(const system_view *given, ptrdiff_t at,
                                                      int floats, float bend, rows3 out) {
    const system_view view = *given;
#pragma omp simd
    for (int i = 0; i < floats; i++) {
        v3 bent = v3_scale(rows3_load(out, i), bend);
        rows3_store(out, i, v3_add(bent, system_coarse_row(&view, at + i)));
    }
}

__attribute__((noinline)) static void coarse_up_part(const system_view *given, ptrdiff_t at,
                                                     ptrdiff_t up, int floats, rows3 out) {
    const system_view view = *given;
#pragma omp simd
    for (int i = 0; i < floats; i++) {
        rows3_store(out, i, v3_add(rows3_load(out, i), system_coarse_up(&view, at + i, up)));
    }
}

__attribute__((noinline)) static void coarse_down_part(const system_view *given, ptrdiff_t at,
                                                       ptrdiff_t up, int floats, rows3 out) {
    const system_view view = *given;
#pragma omp simd
    for (int i = 0; i < floats; i++) {
        rows3_store(out, i, v3_add(rows3_load(out, i), system_coarse_down(&view, at + i, up)));
    }
}

static system_view view_of(const newton_level *l, equation_plane of, bool finest) {
    system_view v = {.inertia = finest ? l->plane[EQ_inertia] : NULL};
    for (int axis = 0; axis < 3; axis++) {
        v.move[axis] = l->plane[(int)of + axis];
    }
    const int count = finest ? 16 : 30, first = finest ? EQ_springs : EQ_east;
    for (int p = 0; p < count; p++) {
        v.planes[p] = l->plane[first + p];
    }
    for (int w = 0; w < SYSTEM_WEIGHTS; w++) {
        v.bend[w] = l->table->weights[w];
    }
    return v;
}

/* Before the first row of a thread or of a panel. Columns beside a row have no springs. */
static void enter_springs(const newton_args *args, const system_row *row, const system_view *view) {
    for (int k = PULL_EAST; k < PULL_UP + 2 * PULL_ROWS; k++) {
        scratch_at(args, k)[-1] = scratch_at(args, k)[row->floats] = 0.0f;
    }
    springs_up(view, (ptrdiff_t)row->at - row->up, row->up, row->floats,
               pulls_at(args, row->row + 1));
}

/* The matrix times a vector, of a row, into the scratch rows ROW_OUT. */
static void multiply_row(const newton_args *args, const system_row *row, equation_plane of,
                         const system_view *view) {
    const newton_level *l = &args->state->level[args->depth];
    const ptrdiff_t at = (ptrdiff_t)row->at, up = row->up;
    const float bend = newton_bend(args, row->panel);
    const rows3 out = scratch3(args, ROW_OUT);
    bend_columns(view, at, up, 0, row->inside, out);
    bend_inside(view, at, up, row->inside, row->inside_end, out);
    bend_columns(view, at, up, row->inside_end, row->floats, out);
    if (args->depth == 0) {
        const pulls own = pulls_at(args, row->row), below = pulls_at(args, row->row + 1);
        springs_of_link(view, SYSTEM_EAST, at, 1, row->floats, own.east);
        springs_up(view, at, up, row->floats, own);
        gather_springs(view, at, own, below, bend, row->floats, out);
        contact_part(args, row, view, out);
        if (CPU_FN(newton_self_has)(args, row)) {
            const float *const all[3] = {l->plane[of], l->plane[of + 1], l->plane[of + 2]};
            CPU_FN(newton_self_product)(args, row, all);
        }
    } else {
        coarse_row_part(view, at, row->floats, bend, out);
        coarse_up_part(view, at, up, row->floats, out);
        coarse_down_part(view, at, up, row->floats, out);
    }
    CPU_FN(newton_couple_product)(args, row);
    CPU_FN(newton_meet_product)(args, row);
}

/* What is done with a product, which is in the scratch. */
typedef void product_end(const newton_args *args, const system_row *row, int index);

/* Rows of a panel's coarsest level take no part: they are solved exactly. */
static void over_products(const newton_args *args, equation_plane of, product_end *end,
                          int row_begin, int row_end) {
    const newton_level *l = &args->state->level[args->depth];
    const system_view view = view_of(l, of, args->depth == 0);
    CPU_FN(newton_couple_planes)(args, of);
    for (int j = row_begin; j < row_end; j++) {
        const system_row *row = &l->table->row[j];
        if (newton_rests(args, row) || l->table->panels[row->panel].last) {
            continue;
        }
        if (args->depth == 0 && (j == row_begin || row->row == 0)) {
            enter_springs(args, row, &view);
        }
        multiply_row(args, row, of, &view);
        end(args, row, j);
    }
}

/* Pinned and absent texels have no inverse, and no force. */
static void end_defect(const newton_args *args, const system_row *row, int index) {
    const newton_level *l = &args->state->level[args->depth];
    const rows3 r = rows3_at(&l->plane[EQ_residual], row->at), out = scratch3(args, ROW_OUT);
    const rows3 result = rows3_at(&l->plane[EQ_result], row->at);
    const float *restrict there = l->plane[EQ_inverse] + row->at;
    const int floats = row->floats;
    (void)index;
#pragma omp simd
    for (int i = 0; i < floats; i++) {
        v3 left = v3_sub(rows3_load(r, i), rows3_load(out, i));
        rows3_store(result, i, v3_scale(left, k_select(there[i] > 0.0f, 1.0f, 0.0f)));
    }
}

static void end_sweep(const newton_args *args, const system_row *row, int index) {
    const newton_level *l = &args->state->level[args->depth];
    const rows3 r = rows3_at(&l->plane[EQ_residual], row->at), out = scratch3(args, ROW_OUT);
    const rows3 guess = rows3_at(&l->plane[EQ_guess], row->at);
    const rows3 result = rows3_at(&l->plane[EQ_result], row->at);
    const rows6 inverse = rows6_at(&l->plane[EQ_inverse], row->at);
    float lanes[GRID_VECTOR] = {0.0f};
    for (int vector = 0; vector < row->floats; vector += GRID_VECTOR) {
#pragma omp simd
        for (int lane = 0; lane < GRID_VECTOR; lane++) {
            int i = vector + lane;
            v3 left = v3_sub(rows3_load(r, i), rows3_load(out, i));
            v3 z = solve_sweep(rows3_load(guess, i), rows6_load(inverse, i), left);
            rows3_store(result, i, z);
            lanes[lane] += v3_dot(rows3_load(r, i), z);
        }
    }
    l->row_dot[index] = lanes_sum(lanes);
    CPU_FN(newton_couple_left)(args, row);
}

static void end_product(const newton_args *args, const system_row *row, int index) {
    const newton_level *l = &args->state->level[0];
    const rows3 p = rows3_at(&l->plane[EQ_direction], row->at), out = scratch3(args, ROW_OUT);
    const rows3 product = rows3_at(&l->plane[EQ_product], row->at);
    const float *restrict there = l->plane[EQ_inertia] + row->at;
    float lanes[GRID_VECTOR] = {0.0f};
    for (int vector = 0; vector < row->floats; vector += GRID_VECTOR) {
#pragma omp simd
        for (int lane = 0; lane < GRID_VECTOR; lane++) {
            int i = vector + lane;
            v3 a = v3_scale(rows3_load(out, i), k_select(there[i] > 0.0f, 1.0f, 0.0f));
            rows3_store(product, i, a);
            lanes[lane] += v3_dot(a, rows3_load(p, i));
        }
    }
    l->row_dot[index] = lanes_sum(lanes);
}

void CPU_FN(newton_defect)(const newton_args *args, int row_begin, int row_end) {
    over_products(args, EQ_guess, end_defect, row_begin, row_end);
}

void CPU_FN(newton_sweep)(const newton_args *args, int row_begin, int row_end) {
    over_products(args, EQ_guess, end_sweep, row_begin, row_end);
}

void CPU_FN(newton_product)(const newton_args *args, int row_begin, int row_end) {
    over_products(args, EQ_direction, end_product, row_begin, row_end);
}

/* ---- between levels -----------------------------------------------------------------------------
 */

/* P' of three finer rows: those behind the last are absent, and zero. A finer row is at least as
 * long as the pairs of a coarse one, but for a vector, which is zero in the scratch. */
static void down_row(const newton_args *args, const system_row *row) {
    const newton_level *l = &args->state->level[args->depth], *finer = l - 1;
    const system_panel *fine = &finer->table->panels[row->panel];
    const int floats = grid_floats(&fine->grid), coarse_floats = row->floats;
    const ptrdiff_t up = fine->grid.stride;
    for (int axis = 0; axis < 3; axis++) {
        float *restrict sum = scratch_at(args, axis);
        const float *restrict from =
            finer->plane[EQ_result + axis] + fine->first + grid_index(&fine->grid, 0, 2 * row->row);
        float *restrict out = l->plane[EQ_residual + axis] + row->at;
        memset(sum - 1, 0, sizeof *sum);
        memset(sum + floats, 0, 2 * GRID_VECTOR * sizeof *sum);
#pragma omp simd
        for (int i = 0; i < floats; i++) {
            sum[i] = 0.5f * (from[i - up] + from[i + up]) + from[i];
        }
#pragma omp simd
        for (int i = 0; i < coarse_floats; i++) {
            out[i] = sum[2 * i] + 0.5f * (sum[2 * i - 1] + sum[2 * i + 1]);
        }
    }
}

void CPU_FN(newton_down)(const newton_args *args, int row_begin, int row_end) {
    const newton_level *l = &args->state->level[args->depth];
    for (int j = row_begin; j < row_end; j++) {
        const system_row *row = &l->table->row[j];
        if (!newton_rests(args, row)) {
            down_row(args, row);
            first_sweep(l, row);
        }
    }
}

/* P of the coarser level, added to a row. A row between two coarse ones has half of both. */
static void up_row(const newton_args *args, const system_row *row) {
    const newton_level *l = &args->state->level[args->depth], *coarser = l + 1;
    const system_panel *coarse = &coarser->table->panels[row->panel];
    const float *restrict there = l->plane[EQ_inverse] + row->at;
    const size_t at = coarse->first + grid_index(&coarse->grid, 0, row->row / 2);
    const ptrdiff_t other = row->row % 2 ? coarse->grid.stride : 0;
    const int pairs = row->floats / 2;
    for (int axis = 0; axis < 3; axis++) {
        const float *restrict e = coarser->plane[EQ_result + axis] + at;
        float *restrict guess = l->plane[EQ_guess + axis] + row->at;
#pragma omp simd
        for (int i = 0; i < pairs; i++) {
            float on = cycle_between(e[i], e[i + other]);
            float next = cycle_between(e[i + 1], e[i + 1 + other]);
            guess[2 * i] += k_select(there[2 * i] > 0.0f, on, 0.0f);
            guess[2 * i + 1] += k_select(there[2 * i + 1] > 0.0f, cycle_between(on, next), 0.0f);
        }
    }
}

void CPU_FN(newton_up)(const newton_args *args, int row_begin, int row_end) {
    const system_level *l = args->state->level[args->depth].table;
    for (int j = row_begin; j < row_end; j++) {
        const system_row *row = &l->row[j];
        if (!newton_rests(args, row) && !l->panels[row->panel].last) {
            up_row(args, row);
        }
    }
}

/* ---- conjugate gradients ------------------------------------------------------------------------
 */

void CPU_FN(newton_direction)(const newton_args *args, int row_begin, int row_end) {
    const newton_level *l = &args->state->level[0];
    for (int j = row_begin; j < row_end; j++) {
        const system_row *row = &l->table->row[j];
        if (newton_rests(args, row)) {
            continue;
        }
        const float beta = newton_part_of(args, row->panel)->beta;
        const int floats = row->floats;
        for (int axis = 0; axis < 3; axis++) {
            const float *restrict z = l->plane[EQ_result + axis] + row->at;
            float *restrict p = l->plane[EQ_direction + axis] + row->at;
#pragma omp simd
            for (int i = 0; i < floats; i++) {
                p[i] = z[i] + beta * p[i];
            }
        }
    }
}

void CPU_FN(newton_advance)(const newton_args *args, int row_begin, int row_end) {
    const newton_level *l = &args->state->level[0];
    for (int j = row_begin; j < row_end; j++) {
        const system_row *row = &l->table->row[j];
        if (newton_rests(args, row)) {
            continue;
        }
        const float alpha = newton_part_of(args, row->panel)->alpha;
        const int floats = row->floats;
        for (int axis = 0; axis < 3; axis++) {
            const float *restrict p = l->plane[EQ_direction + axis] + row->at;
            const float *restrict product = l->plane[EQ_product + axis] + row->at;
            float *restrict d = l->plane[EQ_move + axis] + row->at;
            float *restrict r = l->plane[EQ_residual + axis] + row->at;
#pragma omp simd
            for (int i = 0; i < floats; i++) {
                d[i] += alpha * p[i];
                r[i] -= alpha * product[i];
            }
        }
        first_sweep(l, row);
        for (int axis = 0; newton_is_loose(args, row->panel) && axis < 3; axis++) {
            l->row_sums[SUMS * j + SUM_FORCE + axis] =
                row_sum(l->plane[EQ_residual + axis] + row->at, floats);
        }
    }
}
