#include "convert/conversion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

size_t conversion_add_node(conversion *c, added_node node) {
    added_node *larger = realloc(c->added, (c->added_count + 1) * sizeof *larger);
    if (!larger) {
        error_set(TOILE_ERROR_MEMORY, "not enough memory for nodes");
        return TREE_NONE;
    }
    c->added = larger;
    c->added[c->added_count++] = node;
    return c->tree.count + c->added_count - 1;
}

/* Names need not be UTF-8. */
json_t *conversion_name(const struct aiString *name) {
    size_t length = strnlen(name->data, sizeof name->data);
    json_t *string = json_stringn(name->data, length);
    if (string) {
        return string;
    }
    char plain[sizeof name->data];
    for (size_t i = 0; i < length; i++) {
        plain[i] = name->data[i];
        if ((unsigned char)plain[i] >= 128) {
            plain[i] = '?';
        }
    }
    return json_stringn(plain, length);
}

toile_result conversion_scale(const conversion *c, float *values, size_t count, double scale,
                              const char *what, const char *name) {
    for (size_t i = 0; i < count; i++) {
        values[i] = (float)((double)values[i] * scale);
        if (!isfinite(values[i])) {
            return error_set(TOILE_ERROR_FORMAT,
                             "cannot convert '%s': %s of '%s': expected finite numbers", c->path,
                             what, name);
        }
    }
    return TOILE_OK;
}
