/* Values of a glTF document, checked one by one. Unlike in a scene, unknown keys are passed over:
 * extensions and extras may stand anywhere. */
#ifndef TOILE_IO_GLTF_VALUE_H
#define TOILE_IO_GLTF_VALUE_H

#include "io/json.h"

/* Whole numbers of JSON are exact up to here. */
#define GLTF_LARGEST ((size_t)1 << 53)

toile_result gltf_expect_object(const node *at);

/* The length of an array; 0 when it is not there. */
toile_result gltf_get_length(const node *at, size_t *count);

/* A whole number from low to high. The second leaves *out as it is when there is none. */
toile_result gltf_get_size(const node *at, size_t low, size_t high, size_t *out);
toile_result gltf_get_size_if(const node *at, size_t low, size_t high, size_t *out);

/* An index into a list of count things of that kind, such as "accessors". */
toile_result gltf_get_index(const node *at, size_t count, const char *kind, size_t *out);
toile_result gltf_get_index_if(const node *at, size_t count, const char *kind, size_t *out);

/* Leaves *out as it is when there is none. */
toile_result gltf_get_bool_if(const node *at, bool *out);

/* Exactly count numbers that a float can hold; leaves out as it is when there is no such array. */
toile_result gltf_get_floats_if(const node *at, size_t count, float *out);

/* NULL when there is none. Borrowed from the document. */
toile_result gltf_get_string_if(const node *at, const char **out);

#endif
