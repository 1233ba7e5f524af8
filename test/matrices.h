/* Matrices of the implicit solver on the sheets of sheets.h. */
#ifndef TOILE_TEST_MATRICES_H
#define TOILE_TEST_MATRICES_H

#include "sheets.h"

#include "cook/multigrid.h"

static inline double *zeros(size_t count) {
    double *memory = calloc(count > 0 ? count : 1, sizeof *memory);
    assert_non_null(memory);
    return memory;
}

static inline multigrid_base base_of(const sheet *s, float bend, bool bounded) {
    return (multigrid_base){.coverage = s->coverage,
                            .mass = s->mass,
                            .inverse_mass = s->inverse_mass,
                            .spacing = s->grid.spacing,
                            .stretch_u = 1500.0f,
                            .stretch_v = 900.0f,
                            .shear = 70.0f,
                            .bend = bend,
                            .bounded = bounded,
                            .substep = 1.0f / 60.0f};
}

/* Entries of a row: the texel itself, then those around it. */
enum { AROUND = 9 };
static const int STEPS[AROUND][2] = {{0, 0}, {1, 0},   {-1, 0}, {0, 1}, {0, -1},
                                     {1, 1}, {-1, -1}, {-1, 1}, {1, -1}};

static inline double entry(const matrix_level *l, int i, int j, int n) {
    const float *const *p = (const float *const *)l->plane;
    size_t k = grid_index(&l->grid, i, j), up = (size_t)l->grid.stride;
    const double couplings[AROUND] = {0.0,
                                      (double)p[MATRIX_EAST][k],
                                      (double)p[MATRIX_EAST][k - 1],
                                      (double)p[MATRIX_NORTH][k],
                                      (double)p[MATRIX_NORTH][k - up],
                                      (double)p[MATRIX_RISING][k],
                                      (double)p[MATRIX_RISING][k - up - 1],
                                      (double)p[MATRIX_FALLING][k - 1],
                                      (double)p[MATRIX_FALLING][k - up]};
    double sum = (double)p[MATRIX_GROUND][k];
    for (int m = 1; m < AROUND; m++) {
        sum += couplings[m];
    }
    return n == 0 ? sum : -couplings[n];
}

static const int SIZES[][2] = {{2, 2},   {3, 2},   {2, 5},  {9, 8},   {10, 10}, {11, 10},
                               {16, 23}, {31, 17}, {2, 40}, {40, 3},  {33, 33}, {34, 20},
                               {21, 40}, {40, 40}, {5, 26}, {39, 38}, {12, 9},  {17, 16}};
enum { SIZE_COUNT = sizeof SIZES / sizeof *SIZES };

#endif
