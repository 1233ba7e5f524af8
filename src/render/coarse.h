/* Meshes with fewer triangles, to cast shadows: a shadow map shows nothing that is smaller than
 * its pixels, yet drawing it takes time for each triangle. */
#ifndef TOILE_RENDER_COARSE_H
#define TOILE_RENDER_COARSE_H

#include "io/mesh.h"
#include "toile/toile.h"

/* Merges the vertices of a cloth that fall into the same cell of its flat pattern, `cell` metres
 * wide, into the one nearest to the cell's middle (Rossignac and Borrel, Multi-resolution 3D
 * Approximations, 1993). As the pattern never changes, the same vertices are left in each frame of
 * a film. The result has positions only and is freed with mesh_free. */
toile_result coarse_mesh_make(const mesh_view *mesh, float cell, mesh_data *out);

#endif
