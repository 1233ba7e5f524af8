/* Couplings: what ties places of panels to each other or to a point, on every level.
 *
 * A coupling is a row of weights, those of the four corners of a cell, and less those of another
 * one, whose sum over texels' places is drawn to nothing, or to a place that is given. An end stays
 * on the corners of one cell on every level: P is bilinear, and a cell lies within a coarser one.
 * So P' of a row is again one, and the coarse matrix P' K P is a list of rows as narrow as the
 * finest.
 *
 * Rows of a coarse level whose ends lie in the same cells are merged to one, with the mean of their
 * weights: about two a pair of cells along a seam. More gain nothing, and one has too few
 * unknowns. Rows that resist bending stay on the finest level: coarse ones save no iterations, even
 * in cloth of a hundred times the stiffness, and take up to a tenth of the time of the solve. */
#ifndef TOILE_COOK_COUPLING_H
#define TOILE_COOK_COUPLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "toile/toile.h"

/* The corners of a cell: its lower left texel, the one to the right, and the two above these. */
enum { CELL_CORNERS = 4, COUPLED_CORNERS = 2 * CELL_CORNERS };

typedef struct coupling_end {
    int panel;       /* NO_PANEL: a place that is given */
    int column, row; /* of the cell */
    float weights[CELL_CORNERS];
} coupling_end;
enum { NO_PANEL = -1 };

typedef struct coupling_base {
    coupling_end ends[2]; /* the first has a panel */
    bool fine;            /* it is on the finest level alone */
} coupling_base;

/* A row of a level: texels that have a weight, those of the first end before those of the second,
 * whose weights are negative. */
typedef struct coupling_row {
    uint32_t texels[COUPLED_CORNERS]; /* in planes of the level */
    float weights[COUPLED_CORNERS];
    int count, first; /* texels, and those of the first end */
    int panels[2];    /* the second is the first where there is none */
    bool tied;        /* there is a second end */
} coupling_row;

/* The panel of its texel k. */
static inline int coupling_panel(const coupling_row *row, int k) {
    return row->panels[k >= row->first];
}

/* A row that a texel is in. */
typedef struct coupling_entry {
    int row;
    float weight;
    float share; /* of the row's stiffness that counts for the texel: kernel/coupling.h */
} coupling_entry;

/* A texel that some row moves: it is there, and not pinned. */
typedef struct coupled_texel {
    uint32_t texel;
    int row;   /* of the equations */
    int first; /* of its entries; those of the next begin where they end */
} coupled_texel;

typedef struct coupling_level {
    int rows;
    coupling_row *row;
    int *finer;            /* rows of the finer level that were merged, one row after the other, */
    int *first_finer;      /* and where those of a row begin; rows + 1. Not on the finest level */
    int touched;           /* texels, in the order of planes */
    coupled_texel *texel;  /* touched + 1 */
    coupling_entry *entry; /* of a texel by rising row */
    int *first_of_row;     /* rows of the equations + 1: the first touched texel in each */
    size_t bytes;
} coupling_level;

struct equations;
struct system_base;

/* The lists of all levels, whose grids are laid out. */
toile_result couplings_create(struct equations *e, const struct system_base *bases,
                              const coupling_base *couplings, int count);

/* P' of an end, of which it is on the next coarser level. */
coupling_end coupling_coarser_end(const coupling_end *e);

void couplings_free(coupling_level *l); /* zeroed is fine */

#endif
