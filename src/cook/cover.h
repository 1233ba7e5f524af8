/* Which texels exist, and how much cloth there is in each cell. */
#ifndef TOILE_COOK_COVER_H
#define TOILE_COOK_COVER_H

#include "cook/grid.h"
#include "model/outline.h"

/* A texel exists where its own cell, one spacing wide and centred on it, touches the panel. Springs
 * and masses live on the cells between four texels: `coverage`, a plane of the grid as grid_cover
 * fills it, holds the cloth of each such cell whose four texels exist. Cloth in a cell that lacks a
 * texel is counted for the nearest cells that are whole, so the sum over all cells times spacing^2
 * is the area of the panel; rectangles are covered as grid_cover does it, where a size within a
 * thousandth of a spacing from a multiple is that multiple. A texel that would have no whole cell
 * gets one, and so does a thread between two texels where the panel is thin: the missing neighbours
 * are made to exist too. A panel of one piece thus has a grid of one part. Covered cells have 0.01
 * at least, unless the panel is too small for that. mask: a byte a texel, row by row, 1 where it
 * exists. The box of the outline and of the grid are the same. */
toile_result cover_outline(const outline *o, const grid *g, uint8_t *mask, float *coverage);

/* How many parts the existing texels fall into that no thread (edge of a covered cell) connects. */
toile_result cover_count_parts(const grid *g, const float *coverage, const uint8_t *mask,
                               int *parts);

#endif
