/* The matrix of an implicit step, on every level of a hierarchy of grids.
 *
 * A quasi-Newton step of the implicit solver needs the inverse of a matrix that is never smaller
 * than the energy's second derivative (docs/physics.md). A spring of stiffness k is at most as
 * stiff along every axis as a weak spring of stiffness k of rest length zero, so
 *
 *     x' A x = sum over texels ground_i x_i^2 + sum over edges coupling_ij (x_i - x_j)^2
 *
 * will do, with mass / substep^2 and the edges to pinned texels in the ground, and bending bounded
 * by threads 8 B / h^2 stiffer: (a - 2 b + c)^2 <= 2 (a - b)^2 + 2 (b - c)^2, and a cell's twist
 * squared is at most the sum of its four sides squared. It is the same for x, y and z, and constant
 * as long as the substep is.
 *
 * Beyond its limit of elongation a thread is stiffer. The matrix must be as stiff, wherever that
 * may happen: around pinned texels, since a load that hangs on one of them alone stretches the
 * threads there without bound as the grid gets finer; everywhere if the cloth's own weight may do
 * it.
 *
 * A coarse texel lies on every second texel of the finer level, and one beyond the border where
 * the number of texels is even, so that any size halves. Coarse matrices are the Galerkin product
 * P' A P with bilinear P. An edge of the finer level lies within one cell of the coarser, and what
 * it becomes there is again ground and couplings within that cell, so nine points stay nine
 * points; differences of large numbers that would lose the mass never arise. */
#ifndef TOILE_COOK_MULTIGRID_H
#define TOILE_COOK_MULTIGRID_H

#include <stdint.h>

#include "cook/grid.h"

enum { MULTIGRID_LEVELS = TOILE_MAX_LEVELS };

typedef enum matrix_plane {
    MATRIX_INVERSE, /* m/N: 1 / diagonal; 0 where absent or pinned */
    MATRIX_GROUND,  /* N/m */
    MATRIX_EAST,    /* N/m: coupling with the texel to the right */
    MATRIX_NORTH,   /* up */
    MATRIX_RISING,  /* of the cell up and right: its lower left and upper right texels */
    MATRIX_FALLING, /* of that cell: its lower right and upper left texels */
    MATRIX_PLANES
} matrix_plane;

typedef struct matrix_level {
    grid grid; /* only its layout is filled in */
    float *plane[MATRIX_PLANES];
} matrix_level;

typedef struct multigrid {
    int count;
    matrix_level levels[MULTIGRID_LEVELS];
    float *inertia;     /* plane of the finest, N/m: mass / substep^2; 0 where absent or pinned */
    float *bound;       /* plane of the finest: how many times stiffer than below its limit a thread
                           between two such texels is beyond it, less 1; the lesser of both counts */
    int32_t *row_bound; /* a row of it: is there any? */
    float *exact;       /* inverse of the coarsest matrix, its texels row by row */
    double *scratch;    /* for inverting it */
    int unknowns;       /* texels of the coarsest */
    unsigned fills;     /* so often it was filled */
    size_t bytes;
} multigrid;

/* What the finest matrix is made of. */
typedef struct multigrid_base {
    const float *coverage;      /* plane */
    const float *mass;          /* row by row, kg; 0 where absent */
    const float *inverse_mass;  /* row by row, 1/kg; 0 where absent or pinned */
    float spacing;              /* m */
    float stretch_u, stretch_v; /* N/m */
    float shear, bend;          /* N/m; bend: B / spacing^2, damping in it */
    bool bounded;               /* everywhere, and not only around pins */
    float substep;              /* s */
} multigrid_base;

/* Arrays for the levels of a grid, down to about 10 x 10 texels. */
toile_result multigrid_create(multigrid *m, const grid *finest);
void multigrid_free(multigrid *m); /* zeroed is fine */

/* The matrices. Allocates nothing. */
void multigrid_fill(multigrid *m, const multigrid_base *base);

#endif
