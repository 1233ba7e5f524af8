#include "io/panel_file.h"

#include <stdlib.h>

#include "base/error.h"
#include "io/file.h"

#define FILE_LIMIT ((size_t)1 << 34) /* 16 GB: some hundred million texels */

toile_result panel_write(const char *path, const toile_panel *panel) {
    size_t size = toile_panel_size(panel);
    void *bytes = malloc(size);
    if (!bytes) {
        return error_set(TOILE_ERROR_MEMORY, "not enough memory for the %zu bytes of '%s'", size,
                         path);
    }
    file_writer *w = NULL;
    toile_result result = toile_panel_save(panel, bytes, size);
    if (result == TOILE_OK) {
        result = file_create(path, &w);
    }
    if (result == TOILE_OK) {
        fwrite(bytes, 1, size, file_stream(w));
        result = file_commit(w);
    }
    free(bytes);
    return result;
}

toile_result panel_read(const char *path, toile_panel **panel) {
    uint8_t *bytes;
    size_t size;
    *panel = NULL;
    toile_result result = file_read(path, FILE_LIMIT, &bytes, &size);
    if (result != TOILE_OK) {
        return result;
    }
    result = toile_panel_load(bytes, size, panel);
    if (result != TOILE_OK) {
        error_prefix("%s: ", path);
    }
    free(bytes);
    return result;
}
