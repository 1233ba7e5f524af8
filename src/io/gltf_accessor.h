/* Accessors of a glTF document: numbers in its buffers, whatever their type and layout. */
#ifndef TOILE_IO_GLTF_ACCESSOR_H
#define TOILE_IO_GLTF_ACCESSOR_H

#include "io/gltf_file.h"

/* Types of components, as bits. */
enum {
    COMPONENT_I8 = 1 << 0,
    COMPONENT_U8 = 1 << 1,
    COMPONENT_I16 = 1 << 2,
    COMPONENT_U16 = 1 << 3,
    COMPONENT_U32 = 1 << 4,
    COMPONENT_F32 = 1 << 5
};

/* What an accessor must be for one use of it: section 3.7.2 and others of the specification. */
typedef struct accessor_rule {
    const char *use;     /* for messages: "positions" */
    const char *type;    /* "VEC3" */
    unsigned plain;      /* bits of the components that it may have */
    unsigned normalized; /* the same when they stand for numbers from 0 or -1 to 1 */
    bool vertex;         /* an attribute of vertices, whose elements begin at multiples of four */
} accessor_rule;

/* Elements side by side, or a stride apart. */
typedef struct accessor_run {
    const uint8_t *bytes; /* NULL: zeros */
    size_t stride;
    unsigned component;
} accessor_run;

typedef struct accessor {
    node at;
    size_t count; /* elements, at least 1 */
    size_t width; /* numbers per element */
    bool normalized;
    accessor_run values;
    size_t sparse_count; /* elements that differ from values */
    accessor_run sparse_indices, sparse_values;
} accessor;

/* Opens the accessor whose index stands there, with everything checked but its numbers, and takes
 * them off what the file may give. */
toile_result accessor_open(gltf_file *f, const node *index, const accessor_rule *rule,
                           accessor *out);

/* Refuses another number of elements than count, which is what `as` has: "POSITION". */
toile_result accessor_expect_count(const accessor *a, size_t count, const char *as);

/* Writes the numbers of all elements, the first number of an element `pitch` after that of the one
 * before. Floats are finite. Integers need a rule of unsigned components. */
toile_result accessor_get_floats(const accessor *a, float *out, size_t pitch);
void accessor_get_integers(const accessor *a, uint32_t *out, size_t pitch);

/* The largest number that a component can hold, for those of integers. */
uint32_t accessor_largest(const accessor *a);

#endif
