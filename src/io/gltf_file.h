/* A glTF 2.0 file, text or binary: the document, and the bytes of its buffers. */
#ifndef TOILE_IO_GLTF_FILE_H
#define TOILE_IO_GLTF_FILE_H

#include <stdint.h>

#include "io/json.h"

/* What is read at most: a gigabyte, and once more for the files of its buffers. */
#define GLTF_FILE_LIMIT ((size_t)1 << 30)

typedef struct gltf_buffer {
    const uint8_t *bytes;
    size_t size;    /* byteLength; as many are there */
    uint8_t *owned; /* NULL: the bytes of the file */
} gltf_buffer;

typedef struct gltf_file {
    document *document;
    uint8_t *bytes;       /* of the file; NULL when the caller has them, or they are not needed */
    const uint8_t *chunk; /* the binary one of a .glb; NULL: none */
    size_t chunk_size;
    gltf_buffer *buffers;
    size_t buffer_count;
    size_t size; /* bytes of the file, and of buffers beside it or decoded from it */
    /* How many more numbers accessors may give. A file of some hundred bytes can name an accessor
     * of zeros with 2^28 elements, or have many meshes use one. */
    size_t values_left;
    /* The root, and its lists, whose elements other parts name by index. */
    node root, buffer_views, accessors, meshes, skins, nodes;
    size_t view_count, accessor_count, mesh_count, skin_count, node_count;
} gltf_file;

/* Reads file and buffers. All buffers are read, used or not, and a file with one that cannot be is
 * refused. */
toile_result gltf_file_open(const char *path, gltf_file **out);

/* The same for bytes in memory, which must stay as long as the file does; name stands for the path
 * in messages. Buffers must be in it, too. */
toile_result gltf_file_parse(const uint8_t *bytes, size_t size, const char *name, gltf_file **out);

void gltf_file_close(gltf_file *f); /* NULL is fine */

/* Called for a file that a buffer is read from: its name relative to the folder of the document,
 * and where it is. Whatever is not TOILE_OK ends the visit. */
typedef toile_result gltf_buffer_visitor(void *context, const char *name, const char *path);

/* Visits the files that gltf_file_open reads beside the file itself, in order. */
toile_result gltf_visit_buffer_files(const char *path, gltf_buffer_visitor *visit, void *context);

#endif
