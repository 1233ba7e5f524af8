/* A grid of a cycle, row by row: what its matrix makes of a plane, sweeps over it, and the way to
 * the next coarser grid and back. A matrix is that of cook/multigrid.h, or that of sway.c. */
#ifndef TOILE_CPU_COUPLINGS_H
#define TOILE_CPU_COUPLINGS_H

#include "cpu/passes.h"
#include "kernel/cycle.h"
#include "kernel/implicit.h"

/* The couplings of a row. */
typedef struct coupling_row {
    const float *restrict east, *restrict north, *restrict rising, *restrict falling;
} coupling_row;

static inline coupling_row couplings(const matrix_level *m, size_t first) {
    return (coupling_row){m->plane[MATRIX_EAST] + first, m->plane[MATRIX_NORTH] + first,
                          m->plane[MATRIX_RISING] + first, m->plane[MATRIX_FALLING] + first};
}

/* The sum of coupling * e around a texel. */
static inline float around(coupling_row c, const float *restrict e, ptrdiff_t k, ptrdiff_t up) {
    float u = c.east[k - 1] * e[k - 1] + c.east[k] * e[k + 1];
    float v = c.north[k - up] * e[k - up] + c.north[k] * e[k + up];
    float rising = c.rising[k - 1 - up] * e[k - 1 - up] + c.rising[k] * e[k + 1 + up];
    float falling = c.falling[k - 1] * e[k - 1 + up] + c.falling[k - up] * e[k + 1 - up];
    return (u + v) + (rising + falling);
}

/* A row of a grid, for one unknown a texel. */
typedef struct cycle_row {
    coupling_row c;
    const float *restrict r, *restrict inverse; /* of the matrix's diagonal; 0: the texel is not
                                                   moved */
    ptrdiff_t up;
    int columns;
} cycle_row;

static inline void sweep_of_row(cycle_row a, const float *restrict e, float *restrict swept,
                                float weight) {
#pragma omp simd
    for (int i = 0; i < a.columns; i++) {
        swept[i] = cycle_sweep(e[i], a.r[i], around(a.c, e, i, a.up), a.inverse[i], weight);
    }
}

/* P' of the finer grid's rows around the texel at t. */
static inline float gathered(const float *restrict t, ptrdiff_t up) {
    return cycle_gather(cycle_gather_row(t[-up - 1], t[-up], t[-up + 1]),
                        cycle_gather_row(t[-1], t[0], t[1]),
                        cycle_gather_row(t[up - 1], t[up], t[up + 1]));
}

/* P of the coarser grid, added to a row. `other` is the step to the coarser row on its other side,
 * 0 for a row that lies on one. Columns come in pairs: on a coarse texel, and between two. */
static inline void gain_of_row(const float *restrict coarse, ptrdiff_t other,
                               const float *restrict inverse, float *restrict e, int columns) {
    const int pairs = (columns + 1) / 2;
#pragma omp simd
    for (int i = 0; i < pairs; i++) {
        float on = cycle_between(coarse[i], coarse[i + other]);
        float next = cycle_between(coarse[i + 1], coarse[i + 1 + other]);
        e[2 * i] += k_select(inverse[2 * i] > 0.0f, on, 0.0f);
        e[2 * i + 1] += k_select(inverse[2 * i + 1] > 0.0f, cycle_between(on, next), 0.0f);
    }
}

/* A row of the inverse of the coarsest matrix times forces, from its first texel on. */
static inline float exact_product(const float *restrict a, const float *restrict r, const grid *g) {
    float sum = 0.0f;
    for (int row = 0; row < g->rows; row++) {
        const float *restrict line = r + (size_t)row * (size_t)g->stride;
        for (int column = 0; column < g->columns; column++) {
            sum += *a++ * line[column];
        }
    }
    return sum;
}

#endif
