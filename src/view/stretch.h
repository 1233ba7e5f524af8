/* How much cloth is stretched at each vertex of a mesh, for colours. */
#ifndef TOILE_VIEW_STRETCH_H
#define TOILE_VIEW_STRETCH_H

#include "io/mesh.h"

/* Fills in elongation over `full`, the one of warp or weft that is larger, -1 to 1, averaged over
 * the triangles about each vertex. weights: room for a number a vertex. */
void stretch_values(const mesh_view *mesh, float full, float *values, float *weights);

#endif
