/* Quality triangulation of outlines. */
#ifndef TOILE_COOK_TRIANGULATE_H
#define TOILE_COOK_TRIANGULATE_H

#include "cook/flat_mesh.h"
#include "model/outline.h"

/* Fills an outline with triangles about `edge` metres wide. The border of the mesh is the outline
 * exactly: all its points are vertices, long sides are cut evenly. */
toile_result triangulate(const outline *o, double edge, flat_mesh *mesh);

/* The same for a rectangle, in rows and columns, without a library: about `edge` wide. */
toile_result triangulate_rectangle(double width, double height, double edge, flat_mesh *mesh);

#endif
