/* A .glb file that is put together in memory: its text as a tree of JSON, its numbers one accessor
 * after the other. For files of characters, whose text is short; the motion of a run, which is
 * long, is written by io/glb.h as it comes. */
#ifndef TOILE_IO_GLB_BUILDER_H
#define TOILE_IO_GLB_BUILDER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Numbers of the glTF 2.0 specification. */
enum {
    GLB_FLOAT = 5126,
    GLB_UNSIGNED_INT = 5125,
    GLB_UNSIGNED_SHORT = 5123,
    GLB_ARRAY_BUFFER = 34962,
    GLB_ELEMENT_ARRAY_BUFFER = 34963
};

/* jansson says when memory is not enough by NULLs that it passes on. */
typedef struct glb_builder {
    json_t *root; /* has "asset" and "scene"; the caller adds nodes, meshes and the like */
    json_t *accessors, *views;
    uint8_t *binary;
    size_t size, capacity;
    bool failed; /* not enough memory */
} glb_builder;

/* The values of one accessor. */
typedef struct glb_values {
    const void *data;
    size_t count;     /* elements */
    size_t width;     /* components per element */
    size_t bytes;     /* per component */
    int component;    /* GLB_FLOAT ... */
    const char *type; /* "VEC3" ... */
    int target;       /* GLB_ARRAY_BUFFER ...; 0: none */
} glb_values;

glb_values glb_floats(const float *data, size_t count, size_t width, int target);

glb_builder glb_builder_begin(void);
void glb_builder_free(glb_builder *b);

/* Appends values with a view of their own; bounds: with the least and the largest of each
 * component, of floats. Returns the number of the accessor. */
json_int_t glb_builder_add(glb_builder *b, glb_values v, bool bounds);

/* Puts a list into the root, unless it is empty: the specification has no empty lists. */
void glb_builder_set(glb_builder *b, const char *key, json_t *list);

/* Writes the file; errors of writing are left to the stream. False when memory is not enough, or
 * the file would have more than the 4 GiB that its header can count. */
bool glb_builder_write(glb_builder *b, FILE *stream);

#endif
