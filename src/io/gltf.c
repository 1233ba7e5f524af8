#include "io/gltf.h"

#include <stdlib.h>
#include <string.h>

#include "io/gltf_parts.h"
#include "io/gltf_value.h"

toile_result gltf_read_name(const node *at, gltf *g, const char **out) {
    node at_name = node_member(at, "name");
    const char *name;
    toile_result result = gltf_get_string_if(&at_name, &name);
    if (result != TOILE_OK) {
        return result;
    }
    *out = "";
    if (name) {
        size_t size = strlen(name) + 1;
        char *copy = memory_pool_alloc(&g->memory, size, 1, "a name");
        if (!copy) {
            return TOILE_ERROR_MEMORY;
        }
        *out = memcpy(copy, name, size);
    }
    return TOILE_OK;
}

static toile_result read_parts(gltf_file *f, gltf **out) {
    gltf *g = memory_alloc(1, sizeof *g, "a glTF file");
    if (!g) {
        return TOILE_ERROR_MEMORY;
    }
    g->bytes = f->size;
    toile_result result = gltf_read_meshes(f, g);
    result = result == TOILE_OK ? gltf_read_skins(f, g) : result;
    result = result == TOILE_OK ? gltf_read_nodes(f, g) : result;
    result = result == TOILE_OK ? gltf_read_animations(f, g) : result;
    if (result != TOILE_OK) {
        gltf_free(g);
        return result;
    }
    *out = g;
    return TOILE_OK;
}

toile_result gltf_read(const char *path, gltf **out) {
    gltf_file *f;
    toile_result result = gltf_file_open(path, &f);
    if (result == TOILE_OK) {
        result = read_parts(f, out);
        gltf_file_close(f);
    }
    return result;
}

toile_result gltf_parse(const uint8_t *bytes, size_t size, const char *name, gltf **out) {
    gltf_file *f;
    toile_result result = gltf_file_parse(bytes, size, name, &f);
    if (result == TOILE_OK) {
        result = read_parts(f, out);
        gltf_file_close(f);
    }
    return result;
}

void gltf_free(gltf *g) {
    if (g) {
        memory_pool_free(&g->memory);
        free(g);
    }
}
