/* Meshes of other programs: Wavefront OBJ and glTF 2.0. */
#ifndef TOILE_IO_MESH_READ_H
#define TOILE_IO_MESH_READ_H

#include "io/mesh.h"
#include "toile/toile.h"

/* Reads a file that ends in .obj, .gltf or .glb as one triangle mesh. All meshes of a glTF file are
 * joined as gltf_join says. Coordinates are the first set (TEXCOORD_0) with v pointing up, as in
 * OBJ. They are NULL when one of the meshes has none, normals always. A vertex is finite or the
 * file is refused. Messages name the file. Free with mesh_free. */
toile_result mesh_read(const char *path, mesh_data *out);

#endif
