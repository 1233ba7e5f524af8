/* Edges of cloth against edges of meshes, and its triangles against their vertices: what
 * cpu/ccd.h, which knows vertices of cloth only, lets through. */
#ifndef TOILE_CPU_EDGES_H
#define TOILE_CPU_EDGES_H

#include "cpu/ccd.h"

/* For each cell of some rows: which of its parts would meet a mesh, and the pushes that keep them
 * from it. Reads the ways of texels in the rows beside them. */
void edges_rows(ccd_state *s, const pass_args *args, int row_begin, int row_end);

/* What the parts around a texel want of it: m, a shift of its end and a change of its way. Returns
 * false if it is nothing. */
bool edges_gather(const ccd_state *s, const pass_args *args, int column, int row, v3 *shift,
                  v3 *way);

#endif
