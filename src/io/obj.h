/* Wavefront OBJ: positions, pattern coordinates in metres as vt, normals, triangles. */
#ifndef TOILE_IO_OBJ_H
#define TOILE_IO_OBJ_H

#include "io/mesh.h"
#include "toile/toile.h"

toile_result obj_write(const char *path, const mesh_view *mesh);

/* Reads all faces of a file as one mesh, polygons cut into fans. Vertices are those that faces use,
 * in the order of the file; one that is used with several vt becomes as many. Coordinates are NULL
 * when the file has none, normals always. Free with mesh_free. */
toile_result obj_read(const char *path, mesh_data *out);

/* The same for text in memory, which must have a zero byte behind its length; name stands for the
 * path in messages. */
toile_result obj_parse(const char *text, size_t length, const char *name, mesh_data *out);

#endif
