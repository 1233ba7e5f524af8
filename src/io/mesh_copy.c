#include "io/mesh_copy.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "io/file.h"

#define FILE_LIMIT ((size_t)1 << 30)

bool mesh_same_file(const char *a, const char *b) {
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

static toile_result write_bytes(const char *path, const uint8_t *bytes, size_t size) {
    char *folder = memory_string(path);
    if (!folder) {
        return TOILE_ERROR_MEMORY;
    }
    char *slash = strrchr(folder, '/');
    toile_result result = TOILE_OK;
    if (slash && slash != folder) {
        *slash = '\0';
        result = file_make_folder(folder);
    }
    free(folder);
    file_writer *w;
    if (result == TOILE_OK) {
        result = file_create(path, &w);
    }
    if (result == TOILE_OK) {
        fwrite(bytes, 1, size, file_stream(w));
        result = file_commit(w);
    }
    return result;
}

static toile_result copy_file(const char *from, const char *to) {
    uint8_t *bytes;
    size_t size;
    toile_result result = file_read(from, FILE_LIMIT, &bytes, &size);
    if (result == TOILE_OK) {
        result = write_bytes(to, bytes, size);
        free(bytes);
    }
    return result;
}

/* The path of what stands beside a file. */
static char *beside(const char *path, const char *name) {
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    char *other = memory_alloc(folder + strlen(name) + 1, 1, "a path");
    if (other) {
        memcpy(other, path, folder);
        memcpy(other + folder, name, strlen(name));
    }
    return other;
}

static toile_result copy_buffer(const char *from, const char *to, const char *uri) {
    char *source = beside(from, uri), *target = beside(to, uri);
    toile_result result = source && target ? copy_file(source, target) : TOILE_ERROR_MEMORY;
    free(source);
    free(target);
    return result;
}

static toile_result copy_buffers(const char *from, const char *to) {
    json_error_t error;
    json_t *root = json_load_file(from, 0, &error);
    json_t *buffers = json_object_get(root, "buffers");
    toile_result result = TOILE_OK;
    for (size_t i = 0; i < json_array_size(buffers) && result == TOILE_OK; i++) {
        const char *uri = json_string_value(json_object_get(json_array_get(buffers, i), "uri"));
        /* Those that the reader takes: beside the file or below. */
        if (uri && strncmp(uri, "data:", 5) != 0 && *uri != '/' && !strstr(uri, "..")) {
            result = copy_buffer(from, to, uri);
        }
    }
    json_decref(root);
    return result;
}

toile_result mesh_copy(const char *from, const char *to) {
    toile_result result = copy_file(from, to);
    size_t length = strlen(from);
    if (result == TOILE_OK && length > 5 && strcasecmp(from + length - 5, ".gltf") == 0) {
        result = copy_buffers(from, to);
    }
    return result;
}
