/* Rows of the equations: what the passes of Newton's method load. */
#ifndef TOILE_CPU_NEWTON_ROW_H
#define TOILE_CPU_NEWTON_ROW_H

#include "cpu/newton.h"
#include "kernel/bend.h"
#include "kernel/solve.h"

/* What kernel/system.h loads, from column 0 of a row on. */
typedef struct system_view {
    const float *restrict move[3], *restrict inertia, *restrict planes[30];
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

#include "kernel/system.h"

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

/* ---- bending ------------------------------------------------------------------------------------
 *
 * Second differences of a row serve the rows beside it, too: they are kept in a ring while a thread
 * goes up. */

/* From a row of the scratch to the next; a row begins one vector behind. */
static inline size_t scratch_row(const newton_args *args) {
    return (size_t)args->state->equations.level[0].widest + 4 * GRID_VECTOR;
}

static inline float *scratch_at(const newton_args *args, int row) {
    return args->scratch + (size_t)row * scratch_row(args) + GRID_VECTOR;
}

enum { RING_V = 0, RING_TWIST = 9, RING_U = 15, RING_OUT = 18, PUSH_OUT = 21 };

typedef struct bend_ring {
    const newton_args *args;
    const float *planes[3]; /* what is bent */
    size_t base;            /* where these planes begin in those of the level */
    const float *weights[SYSTEM_WEIGHTS];
} bend_ring;

static inline void bend_along_v(const bend_ring *b, const system_row *row, int away) {
    const ptrdiff_t up = row->up, at = (ptrdiff_t)row->at + away * up;
    const float *restrict w = b->weights[WEIGHT_V] + at;
    for (int axis = 0; axis < 3; axis++) {
        const float *restrict x = b->planes[axis] + (at - (ptrdiff_t)b->base);
        float *restrict out = scratch_at(b->args, RING_V + 3 * ((row->row + away + 3) % 3) + axis);
#pragma omp simd
        for (int i = 0; i < row->floats; i++) {
            out[i] = w[i] * ((x[i - up] - x[i]) + (x[i + up] - x[i]));
        }
    }
}

static inline void bend_twisted(const bend_ring *b, const system_row *row, int away) {
    const ptrdiff_t up = row->up, at = (ptrdiff_t)row->at + away * up;
    const float *restrict w = b->weights[WEIGHT_TWIST] + at;
    for (int axis = 0; axis < 3; axis++) {
        const float *restrict x = b->planes[axis] + (at - (ptrdiff_t)b->base);
        float *restrict out =
            scratch_at(b->args, RING_TWIST + 3 * ((row->row + away + 2) % 2) + axis);
#pragma omp simd
        for (int i = -1; i < row->floats; i++) {
            out[i] = w[i] * ((x[i] - x[i + 1]) - (x[i + up] - x[i + up + 1]));
        }
    }
}

/* Before the first row of a thread or of a panel. */
static inline void bend_enter(const bend_ring *b, const system_row *row) {
    bend_along_v(b, row, -1);
    bend_along_v(b, row, 0);
    bend_twisted(b, row, -1);
}

/* The gradient of a row, before the constant, into the rows RING_OUT. */
static inline void bend_row(const bend_ring *b, const system_row *row) {
    bend_along_v(b, row, 1);
    bend_twisted(b, row, 0);
    const float *restrict w = b->weights[WEIGHT_U] + row->at;
    const int j = row->row;
    for (int axis = 0; axis < 3; axis++) {
        const float *restrict x = b->planes[axis] + (row->at - b->base);
        float *restrict u = scratch_at(b->args, RING_U + axis);
        float *restrict out = scratch_at(b->args, RING_OUT + axis);
        const float *restrict below = scratch_at(b->args, RING_V + 3 * ((j + 2) % 3) + axis);
        const float *restrict here = scratch_at(b->args, RING_V + 3 * (j % 3) + axis);
        const float *restrict above = scratch_at(b->args, RING_V + 3 * ((j + 1) % 3) + axis);
        const float *restrict low = scratch_at(b->args, RING_TWIST + 3 * ((j + 1) % 2) + axis);
        const float *restrict high = scratch_at(b->args, RING_TWIST + 3 * (j % 2) + axis);
#pragma omp simd
        for (int i = -1; i <= row->floats; i++) {
            u[i] = w[i] * ((x[i - 1] - x[i]) + (x[i + 1] - x[i]));
        }
#pragma omp simd
        for (int i = 0; i < row->floats; i++) {
            float along = (u[i - 1] - u[i]) + (u[i + 1] - u[i]);
            float across = (below[i] - here[i]) + (above[i] - here[i]);
            float twist = (high[i] - high[i - 1]) - (low[i] - low[i - 1]);
            out[i] = (along + across) + twist;
        }
    }
}

/* Does the ring have to be entered anew at a row? */
static inline bool bend_starts(const system_level *l, int row, int row_begin) {
    return row == row_begin || l->row[row].panel != l->row[row - 1].panel;
}

#endif
