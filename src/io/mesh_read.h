/* Meshes of other programs: Wavefront OBJ by our own reader, glTF 2.0 by Assimp. */
#ifndef TOILE_IO_MESH_READ_H
#define TOILE_IO_MESH_READ_H

#include "io/mesh.h"
#include "toile/toile.h"

/* Reads a file that ends in .obj, .gltf or .glb as one triangle mesh. All meshes of a glTF file are
 * joined, instance by instance, as the nodes of its scene place them; lines, points, animation and
 * morph targets are left out. Coordinates are the first set (TEXCOORD_0) with v pointing up, as in
 * OBJ: glTF's v runs downwards, so 1 - v is stored. They are NULL when the file has none, normals
 * always. A vertex is finite or the file is refused. Buffers of a .gltf are read from files beside
 * it or below. Messages name the file. Free with mesh_free. */
toile_result mesh_read(const char *path, mesh_data *out);

#endif
