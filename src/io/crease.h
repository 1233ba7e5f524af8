/* Meshes that are smooth where they are round and sharp where they have edges. */
#ifndef TOILE_IO_CREASE_H
#define TOILE_IO_CREASE_H

#include "io/mesh.h"
#include "toile/toile.h"

/* Takes the triangles apart, three vertices each, and gives a corner the mean normal, weighted by
 * area, of those triangles at its vertex that are turned by less than 40 degrees from its own. */
toile_result mesh_make_creased(const toile_mesh_def *def, mesh_data *out);

/* The same surface of as few vertices as it needs, for drawing: corners of a vertex that have the
 * same normal share it. A smooth mesh has as many vertices as before. */
toile_result mesh_make_shared(const toile_mesh_def *def, mesh_data *out);

#endif
