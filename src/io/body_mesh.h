/* The surfaces of bodies as triangles, for export. */
#ifndef TOILE_IO_BODY_MESH_H
#define TOILE_IO_BODY_MESH_H

#include <stddef.h>

#include "io/mesh.h"
#include "toile/toile.h"

/* Planes have no end. What is shown of one is a square around the foot of a point. */
typedef struct body_mesh_region {
    float center[3]; /* m, in the world */
    float reach;     /* m, half the edge of the square */
} body_mesh_region;

/* How large the mesh of a body is; but for meshes, the same for all bodies of a shape. */
typedef struct body_mesh_size {
    size_t vertices, triangles;
} body_mesh_size;
body_mesh_size body_mesh_get_size(const toile_body_def *def);

/* Positions and normals relative to the body's pose, as toile_body_get_pose tells it. Free with
 * mesh_free. */
toile_result body_mesh_create(const toile_body_def *def, const body_mesh_region *region,
                              mesh_data *out);

#endif
