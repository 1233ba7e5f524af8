/* What a row of the matrix of cook/multigrid.h makes of a plane. */
#ifndef TOILE_CPU_COUPLINGS_H
#define TOILE_CPU_COUPLINGS_H

#include "cpu/passes.h"

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

#endif
