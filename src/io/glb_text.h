/* The words of the JSON text of a .glb file: numbers, accessors, buffer views. Real numbers are all
 * equally wide, so that the length of the text is known beforehand. */
#ifndef TOILE_IO_GLB_TEXT_H
#define TOILE_IO_GLB_TEXT_H

#include "io/glb_plan.h"

/* Numbers of the glTF 2.0 specification. */
enum {
    FLOAT = 5126,
    UNSIGNED_INT = 5125,
    UNSIGNED_SHORT = 5123,
    ARRAY_BUFFER = 34962,
    ELEMENT_ARRAY_BUFFER = 34963
};

typedef struct text {
    FILE *stream; /* NULL: only measures */
    uint64_t length;
} text;

void put(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Comma between the elements of an array. */
void put_separator(text *t, bool first);
void put_string(text *t, const char *string);
void put_floats(text *t, const float *values, int count);

void put_channel(text *t, uint64_t sampler, uint64_t node, const char *path, bool first);

typedef struct accessor {
    uint64_t view, offset, count;
    int component;
    const char *type;
    const glb_range *range; /* NULL: none */
} accessor;
void put_accessor(text *t, accessor a, bool first);

/* Puts a view behind the one before and moves the offset on. A stride is wanted where several
 * accessors share a view of vertices. */
void put_view(text *t, uint64_t *offset, uint64_t bytes, int stride, int target);

#endif
