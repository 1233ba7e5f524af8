/* All panels of a world as one system of unknowns, on every level of a hierarchy of grids.
 *
 * Panels lie one after the other in the same planes, each with its border of absent texels, so that
 * a pass goes over the rows of all of them at once. On every level each panel has a grid of its
 * own: no coarse texel belongs to two. A coarse texel lies on every second texel of the finer
 * level, and one beyond the border where the number of texels is even, so that any size halves. A
 * panel ends at the level that is small enough to be solved exactly; coarser levels, which larger
 * panels have, are without it.
 *
 * Panels that couplings tie together, also by way of others, are a part: they end at one level and
 * are solved exactly together there. A panel that nothing ties is a part of its own. */
#ifndef TOILE_COOK_SYSTEM_H
#define TOILE_COOK_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include "cook/coupling.h"
#include "cook/grid.h"

enum { SYSTEM_LEVELS = TOILE_MAX_LEVELS };

/* A panel on a level. */
typedef struct system_panel {
    grid grid;     /* only its layout is filled in */
    size_t first;  /* of its plane in those of the level */
    int first_row; /* of its rows in those of the level */
    bool there;
    bool last;   /* its coarsest level */
    int unknown; /* there: its first in those of its part, 3 a texel, row by row */
} system_panel;

typedef struct system_row {
    size_t at;    /* column 0, in planes of the level */
    int floats;   /* that passes run over: whole vectors */
    ptrdiff_t up; /* to the row above */
    int panel, row;
    int inside, inside_end; /* columns, whole vectors: bending there is that of a full sheet */
} system_row;

/* Weights of second differences in the bending energy: kernel/bend.h. */
typedef enum system_weight { WEIGHT_U, WEIGHT_V, WEIGHT_TWIST, SYSTEM_WEIGHTS } system_weight;

typedef struct system_level {
    size_t size; /* floats of a plane */
    int rows;
    int widest;                     /* floats of its widest row */
    size_t texels;                  /* of the grids of all panels */
    system_row *row;                /* those of one panel after the other */
    system_panel *panels;           /* each of them */
    float *weights[SYSTEM_WEIGHTS]; /* planes */
    coupling_level couplings;
} system_level;

/* Panels that are tied together. */
typedef struct system_part {
    int first; /* panel */
    int levels;
    int unknowns; /* on its coarsest level */
} system_part;

typedef struct equations {
    int panels, levels, parts;
    int *part_of; /* a panel: its part */
    int *next;    /* a panel: the next one of its part, or NO_PANEL */
    system_part *part;
    system_level level[SYSTEM_LEVELS];
    size_t bytes;
} equations;

/* What a panel is made of; both must outlive the call only. */
typedef struct system_base {
    const grid *grid;
    const float *coverage;     /* plane */
    const float *inverse_mass; /* plane, 1/kg: 0 where texels are absent or pinned */
} system_base;

toile_result equations_create(equations *e, const system_base *bases, int panels,
                              const coupling_base *couplings, int coupling_count);
void equations_free(equations *e); /* zeroed is fine */

#endif
