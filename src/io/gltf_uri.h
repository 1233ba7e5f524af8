/* What a glTF document names its buffers by: data in the document itself, or a file below its
 * folder. */
#ifndef TOILE_IO_GLTF_URI_H
#define TOILE_IO_GLTF_URI_H

#include <stdint.h>

#include "io/json.h"

bool gltf_uri_is_data(const char *uri);

/* What "data:...;base64," holds. Free with free(). */
toile_result gltf_uri_get_data(const node *at, const char *uri, uint8_t **bytes, size_t *size);

/* The name of a file, %XX decoded: relative, without ".." as a part. Free with free(). */
toile_result gltf_uri_get_name(const node *at, const char *uri, char **name);

/* Where a plain file of that name is, links followed; it must lie in the folder or below it. Free
 * with free(). */
toile_result gltf_uri_find_file(const node *at, const char *folder, const char *name, char **path);

#endif
