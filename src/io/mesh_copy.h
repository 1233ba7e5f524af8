/* Mesh files taken along to another folder. */
#ifndef TOILE_IO_MESH_COPY_H
#define TOILE_IO_MESH_COPY_H

#include <stdbool.h>

#include "toile/toile.h"

/* Copies a file to a path whose folders are made, and with a .gltf file the buffers beside it. */
toile_result mesh_copy(const char *from, const char *to);

/* Whether two paths lead to the same file, and there is one. */
bool mesh_same_file(const char *a, const char *b);

#endif
