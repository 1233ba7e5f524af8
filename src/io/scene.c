#include "io/scene.h"

#include <stdlib.h>

#include "base/error.h"
#include "io/actor.h"
#include "io/cloth_mesh.h"
#include "io/file.h"
#include "io/scene_files.h"
#include "io/scene_parse.h"
#include "io/solid_mesh.h"

/* Scenes are written by people and small programs; what is larger is not one. */
enum { LARGEST_SCENE = 64 << 20 };

toile_result scene_load(const char *path, scene **out) {
    uint8_t *bytes;
    size_t size;
    toile_result result = file_read(path, LARGEST_SCENE, &bytes, &size);
    if (result != TOILE_OK) {
        return result;
    }
    scene *s = NULL;
    result = scene_parse((const char *)bytes, size, path, &s);
    free(bytes);
    if (result == TOILE_OK) {
        result = scene_files_find(s);
    }
    if (result == TOILE_OK) {
        result = solid_meshes_load(s);
    }
    if (result == TOILE_OK) {
        result = actors_load(s);
    }
    if (result == TOILE_OK) {
        result = cloth_meshes_load(s);
    }
    if (result != TOILE_OK) {
        scene_free(s);
        return result;
    }
    *out = s;
    return TOILE_OK;
}

toile_result scene_parse(const char *text, size_t length, const char *name, scene **out) {
    if (length > LARGEST_SCENE) {
        return error_set(TOILE_ERROR_INVALID, "%s: expected at most %d bytes, found %zu", name,
                         LARGEST_SCENE, length);
    }
    document *source;
    toile_result result = document_open(text, length, name, &source);
    if (result != TOILE_OK) {
        return result;
    }
    scene *s = document_alloc(source, 1, sizeof *s);
    result = s ? scene_read(source, s) : TOILE_ERROR_MEMORY;
    if (result != TOILE_OK) {
        document_close(source);
        return result;
    }
    document_drop_values(source);
    s->source = source;
    s->path = source->name;
    *out = s;
    return TOILE_OK;
}

void scene_free(scene *s) {
    if (s) {
        actors_free(s);
        document_close(s->source);
    }
}
