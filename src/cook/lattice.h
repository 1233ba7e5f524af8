/* The points inside an outline that a triangulation starts from. */
#ifndef TOILE_COOK_LATTICE_H
#define TOILE_COOK_LATTICE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/outline.h"

/* A hexagonal lattice: points of a row are `pitch` apart, every other row starts half a pitch
 * further, so neighbours make equilateral triangles. Stored are the runs of points that lie inside
 * the outline, row by row. */
typedef struct lattice_run {
    int32_t first; /* column */
    uint32_t count;
    size_t start; /* of its points among all */
} lattice_run;

typedef struct lattice {
    double pitch, rise; /* m, between columns and rows */
    double low[2];      /* m, point of column and row 0 */
    int32_t rows;
    size_t *row_ends;  /* one past the last run of each row */
    lattice_run *runs; /* of a row: from left to right, apart */
    size_t run_count, point_count;
    uint8_t *gone; /* a byte a point: 1 when it is too near to the outline */
} lattice;

/* Points inside, none nearer than `clearance` metres to the outline. */
toile_result lattice_create(lattice *l, const outline *o, double pitch, double clearance);
void lattice_free(lattice *l);

/* Where a point is, in metres. */
void lattice_place(const lattice *l, int32_t column, int32_t row, double point[2]);

#endif
