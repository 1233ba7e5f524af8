/* The hierarchy of grids of the multilevel solver: Schmitt 2013 section 5.3.
 *
 * A texel of a level stands for up to 2 x 2 texels of the finer one: it is one of them, its
 * representative. That is the one in the middle, as in the paper, unless another one of the four is
 * pinned, or the middle does not exist. So no pin and no thin part is lost on the way down, any
 * size halves, and the border columns and rows are there on every level.
 *
 * Its position is the mean of the texels that follow it when its changes are interpolated.
 *
 * Threads and diagonals of a level join texels whose representatives a way over the finer level's
 * edges joins within their box; the rest length is that of the way, scaled to the distance of the
 * means. Nothing is tied together across a gap or a hole. */
#ifndef TOILE_COOK_LEVELS_H
#define TOILE_COOK_LEVELS_H

#include <stdint.h>

#include "cook/grid.h"

enum { MAX_LEVELS = TOILE_MAX_LEVELS };

/* Rest length of an edge that does not exist: longer than all others, so that it never pulls. */
#define LEVEL_NO_EDGE 1e15f

typedef enum level_edge { EDGE_U, EDGE_V, EDGE_RISING, EDGE_FALLING, EDGE_KINDS } level_edge;

/* A texel of the finer level that the usual weights do not fit, because texels around it lack a
 * representative or a way to it, or it is one itself that is not in the middle. */
typedef struct level_odd {
    uint32_t texel;     /* index in the planes of the finer level */
    uint32_t coarse[4]; /* in those of the coarser; weights of 0 where fewer are used */
    float weights[4];
} level_odd;

/* A part of the mean position of a coarse texel. */
typedef struct level_part {
    uint32_t column; /* of the coarse texel */
    uint32_t texel;  /* index in the planes of the finer level */
    float weight;    /* those of a coarse texel add up to 1 */
} level_part;

typedef struct level {
    grid grid;
    float *rest[EDGE_KINDS]; /* planes, m, at the edge's left or lower texel; the falling diagonal
                                of a cell at its lower left. NULL on level 0: all are the same */
    float *inverse_mass;     /* plane, 1/kg, of what follows the texel by the weights below; 0 where
                                absent or pinned. NULL on level 0 */
    float *coverage;         /* plane: cloth in the cell up and right of the texel, as a share of a
                                full one; edges weigh by it as on level 0. NULL there */
    float *regular;      /* plane: cloth in that cell; 0 where a representative at its corners is
                            not in the middle of what it stands for. NULL on level 0 */
    uint32_t *source;    /* a texel, row by row: index in the planes of level 0 */
    float *mean;         /* plane: 1 where the position is the usual mean of 3 x 3 finer texels,
                            else 0: the next three say of which */
    level_part *parts;   /* sorted by texels */
    uint32_t *part_rows; /* first of each row, and one past the last */
    size_t part_count;
    float *even;        /* plane of the finer level: 1 where the usual weights fit, else 0 */
    level_odd *odd;     /* where they do not, sorted by rows of the finer level */
    uint32_t *odd_rows; /* first of each row of the finer level, and one past the last */
    size_t odd_count;
} level;

typedef struct levels {
    int count;
    level items[MAX_LEVELS];
} levels;

/* What there is on level 0: coverage a plane of the grid, the others row by row. */
typedef struct levels_base {
    const grid *grid;
    const float *coverage;
    const float *mass;         /* kg; 0 where absent */
    const float *inverse_mass; /* 1/kg; 0 where absent or pinned */
} levels_base;

/* How many levels it takes to get down to about 20 texels along the longer side. */
int levels_usual_count(const grid *g);

/* At most `count` of them: a level of 2 x 2 texels is the last. */
toile_result levels_create(levels *l, const levels_base *base, int count);
void levels_free(levels *l); /* zeroed is fine */

#endif
