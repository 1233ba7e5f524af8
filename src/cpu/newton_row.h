/* Rows of the equations: what the passes of Newton's method load. */
#ifndef TOILE_CPU_NEWTON_ROW_H
#define TOILE_CPU_NEWTON_ROW_H

#include "cpu/newton.h"
#include "kernel/bend.h"
#include "kernel/solve.h"

/* What kernel/system.h loads, from column 0 of a row on. */
typedef struct system_view {
    const float *restrict move[3], *restrict inertia, *restrict planes[30];
    const float *restrict bend[SYSTEM_WEIGHTS];
} system_view;

#define PLACE       ptrdiff_t
#define SYSTEM      const system_view *view,
#define SYSTEM_HERE view,

__attribute__((always_inline)) static inline v3 load_move(SYSTEM PLACE k) {
    return v3_make(view->move[0][k], view->move[1][k], view->move[2][k]);
}

__attribute__((always_inline)) static inline float load_inertia(SYSTEM PLACE k) {
    return view->inertia[k];
}

__attribute__((always_inline)) static inline v4 load_spring(SYSTEM int q, PLACE k) {
    const float *restrict const *p = view->planes + 4 * q;
    return v4_make(v3_make(p[0][k], p[1][k], p[2][k]), p[3][k]);
}

__attribute__((always_inline)) static inline block load_block(SYSTEM int q, PLACE k) {
    const float *restrict const *p = view->planes + 6 * q;
    return block_make(v3_make(p[0][k], p[1][k], p[2][k]), v3_make(p[3][k], p[4][k], p[5][k]));
}

__attribute__((always_inline)) static inline float load_bend(SYSTEM int w, PLACE k) {
    return view->bend[w][k];
}

#include "kernel/system.h"
#include "kernel/system_bend.h"

_Static_assert((int)WEIGHT_U == SYSTEM_BEND_U && (int)WEIGHT_V == SYSTEM_BEND_V &&
                   (int)WEIGHT_TWIST == SYSTEM_BEND_TWIST,
               "weights lie in the order of kernel/system_bend.h");
_Static_assert(EQ_north == EQ_east + 6 && EQ_rise == EQ_north + 6 && EQ_left == EQ_rise + 6 &&
                   EQ_block == EQ_left + 6,
               "blocks lie in the order of kernel/system.h");

/* Three planes of a level, from a place on. */
typedef struct rows3 {
    float *restrict x, *restrict y, *restrict z;
} rows3;

static inline rows3 rows3_at(float *const planes[3], size_t at) {
    return (rows3){planes[0] + at, planes[1] + at, planes[2] + at};
}

__attribute__((always_inline)) static inline v3 rows3_load(rows3 f, ptrdiff_t k) {
    return v3_make(f.x[k], f.y[k], f.z[k]);
}

__attribute__((always_inline)) static inline void rows3_store(rows3 f, ptrdiff_t k, v3 a) {
    f.x[k] = a.x;
    f.y[k] = a.y;
    f.z[k] = a.z;
}

/* A row of blocks. */
typedef struct rows6 {
    float *restrict p[6];
} rows6;

static inline rows6 rows6_at(float *const planes[6], size_t at) {
    return (rows6){{planes[0] + at, planes[1] + at, planes[2] + at, planes[3] + at, planes[4] + at,
                    planes[5] + at}};
}

__attribute__((always_inline)) static inline block rows6_load(rows6 f, ptrdiff_t k) {
    return block_make(v3_make(f.p[0][k], f.p[1][k], f.p[2][k]),
                      v3_make(f.p[3][k], f.p[4][k], f.p[5][k]));
}

__attribute__((always_inline)) static inline void rows6_store(rows6 f, ptrdiff_t k, block a) {
    f.p[0][k] = a.diagonal.x;
    f.p[1][k] = a.diagonal.y;
    f.p[2][k] = a.diagonal.z;
    f.p[3][k] = a.sides.x;
    f.p[4][k] = a.sides.y;
    f.p[5][k] = a.sides.z;
}

/* The first sweep of a cycle, from nothing. */
static inline void first_sweep(const newton_level *l, const system_row *row) {
    const rows3 r = rows3_at(&l->plane[EQ_residual], row->at);
    const rows3 guess = rows3_at(&l->plane[EQ_guess], row->at);
    const rows6 inverse = rows6_at(&l->plane[EQ_inverse], row->at);
    const int floats = row->floats;
#pragma omp simd
    for (int i = 0; i < floats; i++) {
        rows3_store(guess, i, solve_first(rows6_load(inverse, i), rows3_load(r, i)));
    }
}

/* Sums of a row by columns of a vector, so that all instruction sets give the same. */
static inline double lanes_sum(const float lanes[GRID_VECTOR]) {
    double sum = 0.0;
    for (int lane = 0; lane < GRID_VECTOR; lane++) {
        sum += (double)lanes[lane];
    }
    return sum;
}

static inline double row_sum(const float *restrict a, int floats) {
    float lanes[GRID_VECTOR] = {0.0f};
    for (int vector = 0; vector < floats; vector += GRID_VECTOR) {
#pragma omp simd
        for (int lane = 0; lane < GRID_VECTOR; lane++) {
            lanes[lane] += a[vector + lane];
        }
    }
    return lanes_sum(lanes);
}

/* ---- rows of the scratch ------------------------------------------------------------------------
 */

/* A row of the scratch begins one line behind. */
static inline float *scratch_at(const newton_args *args, int row) {
    return args->scratch + (size_t)row * args->state->scratch_row + GRID_LINE;
}

enum { ROW_OUT = 0, PUSH_OUT = 3 };

static inline rows3 scratch3(const newton_args *args, int row) {
    return (rows3){scratch_at(args, row), scratch_at(args, row + 1), scratch_at(args, row + 2)};
}

/* The gradient of bending of some columns of a row, before the constant. at: its column 0. */
__attribute__((noinline, unused)) static void
bend_columns(const system_view *given, ptrdiff_t at, ptrdiff_t up, int begin, int end, rows3 out) {
    const system_view view = *given;
    for (int vector = begin; vector < end; vector += GRID_VECTOR) {
#pragma omp simd
        for (int lane = 0; lane < GRID_VECTOR; lane++) {
            rows3_store(out, vector + lane, system_bending(&view, at + vector + lane, up));
        }
    }
}

#endif
