#include "io/gltf_check.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/json.h"

/* Readers follow children by recursion. */
enum { DEEPEST_NODE = 256 };

enum { HEADER_SIZE = 12, CHUNK_HEADER_SIZE = 8 };

typedef struct checker {
    const char *name;
    json_t *nodes, *meshes, *accessors;
    int64_t *parents; /* a node; -1: none */
} checker;

static json_t *parse(const uint8_t *bytes, size_t size, bool binary) {
    if (binary) {
        uint32_t header[5];
        if (size < sizeof header) {
            return NULL;
        }
        memcpy(header, bytes, sizeof header);
        bool good = memcmp(bytes, "glTF", 4) == 0 && header[1] == 2 &&
                    memcmp(bytes + HEADER_SIZE + 4, "JSON", 4) == 0;
        bytes += HEADER_SIZE + CHUNK_HEADER_SIZE;
        size -= HEADER_SIZE + CHUNK_HEADER_SIZE;
        if (!good || header[3] > size) {
            return NULL;
        }
        size = header[3];
    }
    json_error_t error;
    return json_loadb((const char *)bytes, size, 0, &error);
}

/* An index as the file gives it, or -1. */
static int64_t index_of(const json_t *value, const json_t *array) {
    json_int_t index = json_is_integer(value) ? json_integer_value(value) : -1;
    return index >= 0 && (size_t)index < json_array_size(array) ? (int64_t)index : -1;
}

static toile_result adopt_children(checker *c, size_t index) {
    json_t *children = json_object_get(json_array_get(c->nodes, index), "children");
    for (size_t i = 0; i < json_array_size(children); i++) {
        int64_t child = index_of(json_array_get(children, i), c->nodes);
        if (child < 0) {
            return error_set(TOILE_ERROR_FORMAT, "'%s': node %zu has a child that does not exist",
                             c->name, index);
        }
        if (c->parents[child] >= 0) {
            return error_set(TOILE_ERROR_FORMAT, "'%s': node %zu is the child of two nodes",
                             c->name, (size_t)child);
        }
        c->parents[child] = (int64_t)index;
    }
    return TOILE_OK;
}

/* With one parent each, nodes that never come to a root are in a circle. */
static toile_result check_depth(const checker *c, size_t index) {
    int depth = 0;
    for (int64_t at = (int64_t)index; c->parents[at] >= 0; at = c->parents[at]) {
        if (++depth > DEEPEST_NODE) {
            return error_set(TOILE_ERROR_FORMAT,
                             "'%s': node %zu is its own ancestor, or has more than %d", c->name,
                             index, DEEPEST_NODE);
        }
    }
    return TOILE_OK;
}

static toile_result check_tree(checker *c) {
    size_t count = json_array_size(c->nodes);
    for (size_t i = 0; i < count; i++) {
        c->parents[i] = -1;
    }
    toile_result result = TOILE_OK;
    for (size_t i = 0; i < count && result == TOILE_OK; i++) {
        result = adopt_children(c, i);
    }
    for (size_t i = 0; i < count && result == TOILE_OK; i++) {
        result = check_depth(c, i);
    }
    return result;
}

static double accessor_count(const checker *c, const json_t *value) {
    int64_t index = index_of(value, c->accessors);
    json_t *accessor = index >= 0 ? json_array_get(c->accessors, (size_t)index) : NULL;
    return json_number_value(json_object_get(accessor, "count"));
}

/* Vertices and indices of a mesh. */
static double mesh_count(const checker *c, size_t mesh) {
    json_t *primitives = json_object_get(json_array_get(c->meshes, mesh), "primitives");
    double count = 0.0;
    for (size_t i = 0; i < json_array_size(primitives); i++) {
        json_t *primitive = json_array_get(primitives, i);
        json_t *attributes = json_object_get(primitive, "attributes");
        count += accessor_count(c, json_object_get(attributes, "POSITION"));
        count += accessor_count(c, json_object_get(primitive, "indices"));
    }
    return count;
}

static toile_result check_instances(const checker *c, double *counts, double limit) {
    for (size_t i = 0; i < json_array_size(c->meshes); i++) {
        counts[i] = mesh_count(c, i);
    }
    double total = 0.0;
    for (size_t i = 0; i < json_array_size(c->nodes); i++) {
        json_t *value = json_object_get(json_array_get(c->nodes, i), "mesh");
        int64_t mesh = index_of(value, c->meshes);
        if (value && mesh < 0) {
            return error_set(TOILE_ERROR_FORMAT, "'%s': node %zu has a mesh that does not exist",
                             c->name, i);
        }
        total += mesh >= 0 ? counts[mesh] : 0.0;
    }
    if (!(total <= limit)) {
        return error_set(TOILE_ERROR_FORMAT,
                         "'%s': its meshes have %.3g vertices and indices: expected at most %.3g",
                         c->name, total, limit);
    }
    return TOILE_OK;
}

static toile_result check(const json_t *root, size_t limit, const char *name) {
    const char *version =
        json_string_value(json_object_get(json_object_get(root, "asset"), "version"));
    if (!version || strncmp(version, "2.", 2) != 0) {
        return error_set(TOILE_ERROR_FORMAT, "'%s': expected glTF of version 2, found %s%s%s", name,
                         version ? "\"" : "none", version ? make_printable(version).text : "",
                         version ? "\"" : "");
    }
    checker c = {.name = name,
                 .nodes = json_object_get(root, "nodes"),
                 .meshes = json_object_get(root, "meshes"),
                 .accessors = json_object_get(root, "accessors")};
    c.parents = memory_alloc(json_array_size(c.nodes) + 1, sizeof *c.parents, "nodes");
    double *counts = memory_alloc(json_array_size(c.meshes) + 1, sizeof *counts, "meshes");
    toile_result result = c.parents && counts ? check_tree(&c) : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        result = check_instances(&c, counts, (double)limit);
    }
    free(c.parents);
    free(counts);
    return result;
}

toile_result gltf_check(const uint8_t *bytes, size_t size, bool binary, size_t limit,
                        const char *name) {
    json_t *root = parse(bytes, size, binary);
    if (!root) {
        return error_set(TOILE_ERROR_FORMAT, "'%s' is no %s of version 2", name,
                         binary ? "binary glTF" : "glTF");
    }
    toile_result result = check(root, limit, name);
    json_decref(root);
    return result;
}
