/* The surfaces of shapes as triangles, to be drawn. */
#ifndef TOILE_MODEL_SHAPE_SURFACE_H
#define TOILE_MODEL_SHAPE_SURFACE_H

#include "model/solid.h"

/* Is the surface of such a shape smooth? */
bool shape_is_round(toile_shape_kind kind);

/* Faces, the normals of their corners and the box of a shape that is neither a plane nor a mesh, in
 * its own frame. There is no tree: the solid cannot be asked for distances. */
toile_result shape_surface(solid *out, toile_shape_kind kind, v3 size);

#endif
