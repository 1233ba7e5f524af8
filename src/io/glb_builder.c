#include "io/glb_builder.h"

#include <stdlib.h>
#include <string.h>

#include "io/glb_chunks.h"
#include "toile/toile.h"

glb_values glb_floats(const float *data, size_t count, size_t width, int target) {
    static const char *const types[] = {NULL, "SCALAR", "VEC2", "VEC3", "VEC4"};
    const char *type = width == 16 ? "MAT4" : types[width];
    return (glb_values){data, count, width, sizeof(float), GLB_FLOAT, type, target};
}

glb_builder glb_builder_begin(void) {
    char generator[64];
    snprintf(generator, sizeof generator, "toile %s", toile_version());
    return (glb_builder){
        .root = json_pack("{s:{s:s, s:s}, s:i}", "asset", "version", "2.0", "generator", generator,
                          "scene", 0),
        .accessors = json_array(),
        .views = json_array(),
    };
}

void glb_builder_free(glb_builder *b) {
    json_decref(b->root);
    json_decref(b->accessors);
    json_decref(b->views);
    free(b->binary);
}

static bool append_bytes(glb_builder *b, const void *bytes, size_t size) {
    size_t padded = (size + 3) & ~(size_t)3;
    if (!b->binary || b->size + padded > b->capacity) {
        size_t wanted = 2 * (b->size + padded);
        uint8_t *larger = realloc(b->binary, wanted);
        if (!larger) {
            return false;
        }
        b->binary = larger;
        b->capacity = wanted;
    }
    memset(b->binary + b->size, 0, padded);
    memcpy(b->binary + b->size, bytes, size);
    b->size += padded;
    return true;
}

static void set_bounds(json_t *accessor, const glb_values *v) {
    const float *data = v->data;
    json_t *low = json_array(), *high = json_array();
    for (size_t k = 0; k < v->width; k++) {
        float least = data[k], most = data[k];
        for (size_t i = 1; i < v->count; i++) {
            float value = data[v->width * i + k];
            least = value < least ? value : least;
            most = value > most ? value : most;
        }
        json_array_append_new(low, json_real((double)least));
        json_array_append_new(high, json_real((double)most));
    }
    json_object_set_new(accessor, "min", low);
    json_object_set_new(accessor, "max", high);
}

json_int_t glb_builder_add(glb_builder *b, glb_values v, bool bounds) {
    size_t size = v.count * v.width * v.bytes;
    json_t *view = json_pack("{s:i, s:I, s:I}", "buffer", 0, "byteOffset", (json_int_t)b->size,
                             "byteLength", (json_int_t)size);
    if (v.target) {
        json_object_set_new(view, "target", json_integer(v.target));
    }
    json_t *accessor =
        json_pack("{s:I, s:i, s:I, s:s}", "bufferView", (json_int_t)json_array_size(b->views),
                  "componentType", v.component, "count", (json_int_t)v.count, "type", v.type);
    if (bounds) {
        set_bounds(accessor, &v);
    }
    b->failed = b->failed || !append_bytes(b, v.data, size) ||
                json_array_append_new(b->views, view) != 0 ||
                json_array_append_new(b->accessors, accessor) != 0;
    return (json_int_t)json_array_size(b->accessors) - 1;
}

void glb_builder_set(glb_builder *b, const char *key, json_t *list) {
    if (json_array_size(list) > 0) {
        json_object_set(b->root, key, list);
    }
    json_decref(list);
}

bool glb_builder_write(glb_builder *b, FILE *stream) {
    glb_builder_set(b, "accessors", json_incref(b->accessors));
    glb_builder_set(b, "bufferViews", json_incref(b->views));
    if (b->size > 0) {
        json_object_set_new(b->root, "buffers",
                            json_pack("[{s:I}]", "byteLength", (json_int_t)b->size));
    }
    char *text = b->failed ? NULL : json_dumps(b->root, JSON_COMPACT);
    size_t length = text ? strlen(text) : 0;
    bool fits = text && glb_file_bytes(length, b->size) <= UINT32_MAX;
    if (fits) {
        glb_begin_json(stream, length, b->size);
        fwrite(text, 1, length, stream);
        glb_begin_binary(stream, length, b->size);
        fwrite(b->binary, 1, b->size, stream);
    }
    free(text);
    return fits;
}
