/* What a glTF file of a stranger must keep to before a library is let at it. */
#ifndef TOILE_IO_GLTF_CHECK_H
#define TOILE_IO_GLTF_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "toile/toile.h"

/* Version 2, JSON that is not nested too deeply, nodes that form trees of moderate depth, and at
 * most `limit` vertices and indices in all instances of its meshes together. The rest is for the
 * library that reads the file. name stands for the file in messages. */
toile_result gltf_check(const uint8_t *bytes, size_t size, bool binary, size_t limit,
                        const char *name);

#endif
