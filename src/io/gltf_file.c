#include "io/gltf_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/gltf_uri.h"
#include "io/gltf_value.h"

/* A value may have two bytes of text, and some fifty when jansson has read it. */
enum { MOST_JSON_VALUES = 1 << 24 };

/* What accessors may give beyond sixteen numbers for each byte: meshes share accessors. */
enum { FREE_VALUES = 1 << 22, VALUES_PER_BYTE = 16 };

/* ---- the container ------------------------------------------------------------------------------
 */

enum { HEADER_SIZE = 12, CHUNK_HEADER_SIZE = 8 };
enum { CHUNK_JSON = 0x4E4F534A, CHUNK_BINARY = 0x004E4942 }; /* "JSON", "BIN\0" */

typedef struct span {
    const uint8_t *bytes;
    size_t size;
} span;

static uint32_t get_u32(const uint8_t *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

/* Takes the chunk at the start of *rest off it. */
static toile_result take_chunk(span *rest, const char *name, uint32_t *kind, span *out) {
    size_t size = rest->size >= CHUNK_HEADER_SIZE ? get_u32(rest->bytes) : SIZE_MAX;
    if (size % 4 != 0 || size > rest->size - CHUNK_HEADER_SIZE) {
        return error_set(TOILE_ERROR_FORMAT,
                         "'%s' is damaged: expected chunks of whole fours of bytes that fill it",
                         name);
    }
    *kind = get_u32(rest->bytes + 4);
    *out = (span){rest->bytes + CHUNK_HEADER_SIZE, size};
    rest->bytes += CHUNK_HEADER_SIZE + size;
    rest->size -= CHUNK_HEADER_SIZE + size;
    return TOILE_OK;
}

/* The text goes first, then, maybe, the bytes of a buffer; chunks of other kinds are passed over.
 */
static toile_result open_container(gltf_file *f, span all, const char *name, span *text) {
    if (all.size < HEADER_SIZE || get_u32(all.bytes + 4) != 2) {
        return error_set(TOILE_ERROR_FORMAT, "'%s': expected binary glTF of version 2", name);
    }
    if (get_u32(all.bytes + 8) != all.size) {
        return error_set(TOILE_ERROR_FORMAT,
                         "'%s' is damaged: expected the %u bytes that it says it has, found %zu",
                         name, (unsigned)get_u32(all.bytes + 8), all.size);
    }
    span rest = {all.bytes + HEADER_SIZE, all.size - HEADER_SIZE};
    uint32_t kind = 0;
    toile_result result = take_chunk(&rest, name, &kind, text);
    if (result == TOILE_OK && kind != CHUNK_JSON) {
        return error_set(TOILE_ERROR_FORMAT, "'%s' is damaged: expected JSON in its first chunk",
                         name);
    }
    for (int i = 1; result == TOILE_OK && rest.size > 0; i++) {
        span chunk = {0};
        result = take_chunk(&rest, name, &kind, &chunk);
        if (result == TOILE_OK && i == 1 && kind == CHUNK_BINARY) {
            f->chunk = chunk.bytes;
            f->chunk_size = chunk.size;
        }
    }
    return result;
}

/* ---- the document -------------------------------------------------------------------------------
 */

/* Values of a text, those in strings aside. */
static size_t count_values(span text) {
    size_t count = 1;
    bool quoted = false;
    for (size_t i = 0; i < text.size; i++) {
        uint8_t c = text.bytes[i];
        if (c == '"') {
            quoted = !quoted;
        } else if (quoted) {
            i += c == '\\';
        } else {
            count += c == ',' || c == '[' || c == '{';
        }
    }
    return count;
}

static toile_result check_version(const node *root) {
    node asset = node_member(root, "asset"), version = node_member(&asset, "version"),
         least = node_member(&asset, "minVersion");
    const char *found, *needed;
    toile_result result = gltf_get_string_if(&version, &found);
    if (result != TOILE_OK) {
        return result;
    }
    if (!found || strncmp(found, "2.", 2) != 0) {
        return node_error(&version, "expected glTF of version 2, found %s",
                          describe_value(version.value).text);
    }
    result = gltf_get_string_if(&least, &needed);
    if (result == TOILE_OK && needed && strcmp(needed, "2.0") != 0) {
        return node_error(&least,
                          "expected \"2.0\", which this version of Toile reads, found \"%s\"",
                          make_printable(needed).text);
    }
    return result;
}

/* Extensions that only say how things look change nothing of what is read here. */
static bool is_about_looks(const char *extension) {
    static const char *const prefixes[] = {"KHR_materials_", "KHR_texture_", "EXT_texture_",
                                           "KHR_lights_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (strncmp(extension, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

static toile_result check_extensions(const node *root) {
    node list = node_member(root, "extensionsRequired");
    size_t count;
    toile_result result = gltf_get_length(&list, &count);
    for (size_t i = 0; i < count && result == TOILE_OK; i++) {
        node at = node_element(&list, i);
        const char *name;
        result = gltf_get_string_if(&at, &name);
        if (result == TOILE_OK && !is_about_looks(name)) {
            return node_error(&at, "the extension \"%s\" is not in this version of Toile",
                              make_printable(name).text);
        }
    }
    return result;
}

static toile_result find_list(gltf_file *f, const char *key, node *list, size_t *count) {
    *list = node_member(&f->root, key);
    return gltf_get_length(list, count);
}

static toile_result open_document(gltf_file *f, span text, const char *name) {
    if (count_values(text) > MOST_JSON_VALUES) {
        return error_set(TOILE_ERROR_FORMAT, "'%s': expected at most %d values of JSON", name,
                         MOST_JSON_VALUES);
    }
    toile_result result = document_open((const char *)text.bytes, text.size, name, &f->document);
    if (result != TOILE_OK) {
        return result;
    }
    f->root = node_root(f->document);
    const struct {
        const char *key;
        node *list;
        size_t *count;
    } lists[] = {{"bufferViews", &f->buffer_views, &f->view_count},
                 {"accessors", &f->accessors, &f->accessor_count},
                 {"meshes", &f->meshes, &f->mesh_count},
                 {"skins", &f->skins, &f->skin_count},
                 {"nodes", &f->nodes, &f->node_count}};
    result = gltf_expect_object(&f->root);
    result = result == TOILE_OK ? check_version(&f->root) : result;
    result = result == TOILE_OK ? check_extensions(&f->root) : result;
    for (size_t i = 0; i < sizeof lists / sizeof *lists && result == TOILE_OK; i++) {
        result = find_list(f, lists[i].key, lists[i].list, lists[i].count);
    }
    return result;
}

/* ---- buffers ------------------------------------------------------------------------------------
 */

/* folder: NULL for a document in memory. *left is what files may still have. */
static toile_result load_buffer_file(const node *at, const char *uri, const char *folder,
                                     size_t *left, gltf_buffer *out) {
    char *name, *path = NULL;
    toile_result result = gltf_uri_get_name(at, uri, &name);
    if (result != TOILE_OK) {
        return result;
    }
    result = folder ? gltf_uri_find_file(at, folder, name, &path)
                    : node_error(at, "expected data: in a document without a folder");
    if (result == TOILE_OK) {
        size_t size;
        result = file_read_plain(path, *left, &out->owned, &size);
        if (result == TOILE_OK) {
            out->bytes = out->owned;
            out->size = size;
            *left -= size;
        } else {
            node_error_prefix(at);
        }
    }
    free(name);
    free(path);
    return result;
}

static toile_result load_buffer(gltf_file *f, const node *at, size_t index, const char *folder,
                                size_t *left) {
    gltf_buffer *b = &f->buffers[index];
    node at_uri = node_member(at, "uri"), at_length = node_member(at, "byteLength");
    const char *uri;
    size_t length;
    toile_result result = gltf_expect_object(at);
    result = result == TOILE_OK ? gltf_get_size(&at_length, 1, GLTF_LARGEST, &length) : result;
    result = result == TOILE_OK ? gltf_get_string_if(&at_uri, &uri) : result;
    if (result != TOILE_OK) {
        return result;
    }
    if (uri && gltf_uri_is_data(uri)) {
        result = gltf_uri_get_data(&at_uri, uri, &b->owned, &b->size);
        b->bytes = b->owned;
    } else if (uri) {
        result = load_buffer_file(&at_uri, uri, folder, left, b);
    } else if (index == 0 && f->chunk) {
        b->bytes = f->chunk;
        b->size = f->chunk_size;
    } else {
        result = node_error(&at_uri, "expected it: there is no binary chunk for this buffer");
    }
    if (result == TOILE_OK && length > b->size) {
        return node_error(&at_length, "expected at most %zu, as many bytes as there are, found %zu",
                          b->size, length);
    }
    b->size = length;
    return result;
}

/* The folder of a file, without the slash. Free with free(). */
static char *folder_of(const char *path) {
    char *folder = memory_string(path);
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash) {
        slash[slash == folder] = '\0';
        return folder;
    }
    free(folder);
    return folder ? memory_string(".") : NULL;
}

static toile_result load_buffers(gltf_file *f, const char *path) {
    node list = node_member(&f->root, "buffers");
    toile_result result = gltf_get_length(&list, &f->buffer_count);
    if (result != TOILE_OK) {
        return result;
    }
    char *folder = path ? folder_of(path) : NULL;
    f->buffers = memory_alloc(f->buffer_count, sizeof *f->buffers, "buffers");
    if (!f->buffers || (path && !folder)) {
        free(folder);
        return TOILE_ERROR_MEMORY;
    }
    size_t left = GLTF_FILE_LIMIT;
    for (size_t i = 0; i < f->buffer_count && result == TOILE_OK; i++) {
        node at = node_element(&list, i);
        result = load_buffer(f, &at, i, folder, &left);
    }
    free(folder);
    return result;
}

/* ---- files --------------------------------------------------------------------------------------
 */

static toile_result open_bytes(gltf_file *f, span all, const char *name) {
    span text = all;
    toile_result result = TOILE_OK;
    if (all.size >= 4 && memcmp(all.bytes, "glTF", 4) == 0) {
        result = open_container(f, all, name, &text);
    }
    return result == TOILE_OK ? open_document(f, text, name) : result;
}

/* As many numbers as the file can have good use for. */
static void set_budget(gltf_file *f, size_t size) {
    f->size = size;
    for (size_t i = 0; i < f->buffer_count; i++) {
        f->size += f->buffers[i].owned ? f->buffers[i].size : 0;
    }
    f->values_left = FREE_VALUES + VALUES_PER_BYTE * f->size;
}

/* path: where buffers are looked for; NULL: nowhere. */
static toile_result open_file(gltf_file *f, span all, const char *name, const char *path) {
    toile_result result = open_bytes(f, all, name);
    if (result == TOILE_OK) {
        result = load_buffers(f, path);
    }
    if (result == TOILE_OK) {
        set_budget(f, all.size);
    }
    return result;
}

static toile_result finish(gltf_file *f, toile_result result, gltf_file **out) {
    if (result != TOILE_OK) {
        gltf_file_close(f);
        return result;
    }
    *out = f;
    return TOILE_OK;
}

toile_result gltf_file_open(const char *path, gltf_file **out) {
    gltf_file *f = memory_alloc(1, sizeof *f, "a glTF file");
    if (!f) {
        return TOILE_ERROR_MEMORY;
    }
    size_t size;
    toile_result result = file_read(path, GLTF_FILE_LIMIT, &f->bytes, &size);
    if (result == TOILE_OK) {
        result = open_file(f, (span){f->bytes, size}, path, path);
    }
    if (!f->chunk) { /* the document has a copy of the text */
        free(f->bytes);
        f->bytes = NULL;
    }
    return finish(f, result, out);
}

toile_result gltf_file_parse(const uint8_t *bytes, size_t size, const char *name, gltf_file **out) {
    gltf_file *f = memory_alloc(1, sizeof *f, "a glTF file");
    if (!f) {
        return TOILE_ERROR_MEMORY;
    }
    return finish(f, open_file(f, (span){bytes, size}, name, NULL), out);
}

void gltf_file_close(gltf_file *f) {
    if (!f) {
        return;
    }
    for (size_t i = 0; f->buffers && i < f->buffer_count; i++) {
        free(f->buffers[i].owned);
    }
    free(f->buffers);
    document_close(f->document);
    free(f->bytes);
    free(f);
}

/* ---- names of files -----------------------------------------------------------------------------
 */

static toile_result visit_buffer(const node *at, const char *folder, gltf_buffer_visitor *visit,
                                 void *context) {
    node at_uri = node_member(at, "uri");
    const char *uri;
    char *name, *path;
    toile_result result = gltf_get_string_if(&at_uri, &uri);
    if (result != TOILE_OK || !uri || gltf_uri_is_data(uri)) {
        return result;
    }
    result = gltf_uri_get_name(&at_uri, uri, &name);
    if (result != TOILE_OK) {
        return result;
    }
    result = gltf_uri_find_file(&at_uri, folder, name, &path);
    if (result == TOILE_OK) {
        result = visit(context, name, path);
        free(path);
    }
    free(name);
    return result;
}

static toile_result visit_buffers(const gltf_file *f, const char *folder,
                                  gltf_buffer_visitor *visit, void *context) {
    node list = node_member(&f->root, "buffers");
    size_t count;
    toile_result result = gltf_get_length(&list, &count);
    for (size_t i = 0; i < count && result == TOILE_OK; i++) {
        node at = node_element(&list, i);
        result = visit_buffer(&at, folder, visit, context);
    }
    return result;
}

toile_result gltf_visit_buffer_files(const char *path, gltf_buffer_visitor *visit, void *context) {
    gltf_file f = {0};
    size_t size;
    toile_result result = file_read(path, GLTF_FILE_LIMIT, &f.bytes, &size);
    if (result != TOILE_OK) {
        return result;
    }
    char *folder = folder_of(path);
    result = folder ? open_bytes(&f, (span){f.bytes, size}, path) : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        result = visit_buffers(&f, folder, visit, context);
    }
    free(folder);
    document_close(f.document);
    free(f.bytes);
    return result;
}
