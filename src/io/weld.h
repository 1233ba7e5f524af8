/* Vertices that were split for the sake of their texture coordinates or normals made one again. */
#ifndef TOILE_IO_WELD_H
#define TOILE_IO_WELD_H

#include "io/mesh.h"
#include "toile/toile.h"

/* Joins vertices at exactly the same place, the first of them staying, and leaves out triangles
 * that have two corners in one then, as the poles of a ball of quads have. Coordinates and normals
 * go. A surface that was closed but for its seams is closed after it. */
toile_result mesh_weld(mesh_data *mesh);

/* The same, and tells the new number of each vertex that there was. */
toile_result mesh_weld_numbers(mesh_data *mesh, uint32_t *number);

#endif
