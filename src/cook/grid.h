/* Cooking a panel into the grid its texels live on. */
#ifndef TOILE_COOK_GRID_H
#define TOILE_COOK_GRID_H

#include <stddef.h>

#include "toile/toile.h"

/* Texels are stored row by row in planes. GRID_HALO absent texels or more stand between a row and
 * the next, and as many rows below and above, so that the twelve neighbours of any texel can be
 * read without asking where the border is: what is absent has no weight. The ones behind a row are
 * also those before the next. They fill it up to whole vectors, over which passes run, and one
 * vector more: a pass that writes to the right of its texel stays in its own row. Rows begin at a
 * cache line: vectors as wide as one that lie across two take twice as long to load. */
enum { GRID_HALO = 2, GRID_VECTOR = 8, GRID_LINE = 16 };

/* In spacings: what reaches no further into the square around a texel does not touch it, so that
 * rounding makes no texels. Ratios of two floats are a half, or away from one by 2^-25 at least:
 * sizes and spacings as users give them never come this near. */
#define GRID_TOUCH_TOLERANCE 1e-9

typedef struct grid {
    int columns, rows;    /* texels along u and v */
    int stride;           /* floats from a row to the next, whole lines */
    size_t size;          /* floats of a plane, whole lines */
    float spacing;        /* m */
    float size_u, size_v; /* m, exact size of the panel */
    float last_u, last_v; /* width of the last cells in spacings, over 0.5 to 1.5: 1 when the size
                             is a multiple; less only where grid_create_for has but one cell */
} grid;

static inline size_t grid_index(const grid *g, int column, int row) {
    return (size_t)(row + GRID_HALO) * (size_t)g->stride + (size_t)(column + GRID_LINE);
}

/* The floats of a row that passes run over, some absent texels included: whole vectors, said so
 * that the compiler knows it and leaves out what it would do with a remainder. */
static inline int grid_floats(const grid *g) {
    return (g->columns + GRID_VECTOR - 1) / GRID_VECTOR * GRID_VECTOR;
}

static inline size_t grid_texels(const grid *g) {
    return (size_t)g->columns * (size_t)g->rows;
}

/* The layout of so many texels. */
void grid_set_texels(grid *g, int columns, int rows);

/* Are sizes, spacing and transform, with the scale applied, what toile.h allows? */
toile_result grid_check(const float size[2], float spacing, float scale);
toile_result grid_check_transform(const toile_transform *t);

/* Fills in the grid of a rectangle whose size was checked. One without a cell, or with more texels
 * than fit, is refused. */
toile_result grid_create(grid *g, const float size[2], float spacing);

/* Checks and fills in that of a box around an outline, in metres and unscaled. It may be smaller
 * than a cell: there are at least 2 x 2 texels. */
toile_result grid_create_for(grid *g, double size_u, double size_v, double spacing);

/* The same grid, `scale` times as large. */
grid grid_scaled(const grid *g, float scale);

/* Coverage of the cells: plane[grid_index(i, j)] belongs to the cell whose lower left texel is (i,
 * j); 1 is a cell full of cloth. */
void grid_cover(const grid *g, float *plane);

/* Share of a full texel's mass that the four cells around a texel give it, 1 inside. */
float grid_texel_share(const grid *g, const float *coverage, int column, int row);

/* Where texels of a rectangle start: 3 floats a texel, row by row. */
void grid_place(const grid *g, const toile_transform *transform, float *positions);

#endif
