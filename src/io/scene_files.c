#include "io/scene_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/gltf_file.h"

enum { LONGEST_PATH = 1024 };

/* folder/below/name; an absolute name stays as it is. NULL with the error set on failure. */
static char *join_path(const char *folder, const char *below, const char *name) {
    if (*name == '/') {
        return memory_string(name);
    }
    size_t length = strlen(folder), size = length + strlen(below) + strlen(name) + 3;
    const char *slash = length > 0 && folder[length - 1] != '/' ? "/" : "";
    char *path = memory_alloc(size, 1, "the name of a file");
    if (path) {
        snprintf(path, size, "%s%s%s%s%s", folder, slash, below, *below ? "/" : "", name);
    }
    return path;
}

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), wanted = strlen(ending);
    return length > wanted && strcasecmp(path + length - wanted, ending) == 0;
}

static bool is_gltf(const char *path) {
    return ends_with(path, ".gltf") || ends_with(path, ".glb");
}

/* ---- names --------------------------------------------------------------------------------------
 */

/* A run copies files along, so a stranger's scene must not choose any folder with their names. */
static toile_result check_name(const node *at, const char *path, const char *ending) {
    if (!*path || strlen(path) > LONGEST_PATH || has_control_characters(path) ||
        (*path != '/' && file_climbs(path)) || (*ending && !ends_with(path, ending))) {
        return node_error(at,
                          "expected an absolute path or one within the scene's folder, of at most "
                          "%d bytes%s%s, found %s",
                          LONGEST_PATH, *ending ? ", that ends in " : "", ending,
                          describe_value(at->value).text);
    }
    return TOILE_OK;
}

toile_result check_file_name(const node *at, const char *path) {
    return check_name(at, path, "");
}

static toile_result read_name_of(const node *at, const char *ending, void *out) {
    const char *path;
    toile_result result = check_string(at, "the name of a file", &path);
    if (result == TOILE_OK) {
        result = check_name(at, path, ending);
    }
    if (result != TOILE_OK) {
        return result;
    }
    char *copy = document_copy_string(at->document, path);
    *(const char **)out = copy;
    return copy ? TOILE_OK : TOILE_ERROR_MEMORY;
}

toile_result read_file_name(const node *at, const field *f, void *out) {
    (void)f;
    return read_name_of(at, "", out);
}

toile_result read_panel_name(const node *at, const field *f, void *out) {
    (void)f;
    return read_name_of(at, ".panel", out);
}

/* ---- finding ------------------------------------------------------------------------------------
 */

/* folder: of the scene. */
static toile_result find_file(const node *at, const char *folder, scene_file *file) {
    if (!file->name) {
        return TOILE_OK;
    }
    struct stat status;
    char *path = join_path(folder, SCENE_FILES, file->name);
    if (path && (stat(path, &status) != 0 || !S_ISREG(status.st_mode))) {
        free(path);
        path = join_path(folder, "", file->name);
    }
    toile_result result = path ? TOILE_OK : TOILE_ERROR_MEMORY;
    /* Waiting for what a pipe or a terminal has to say is no way to read a stranger's scene. */
    if (path && stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        result = node_error(at, "'%s' is no plain file", make_printable(path).text);
    } else if (path) {
        file->path = document_copy_string(at->document, path);
        result = file->path ? TOILE_OK : TOILE_ERROR_MEMORY;
    }
    free(path);
    return result;
}

static toile_result find_in(const node *list, int index, const char *folder, scene_file *mesh,
                            scene_file *panel) {
    node at = node_element(list, (size_t)index), at_panel = node_member(&at, "panel");
    node at_mesh = node_member(&at, "mesh"), at_file = node_member(&at_mesh, "file");
    toile_result result = find_file(&at_file, folder, mesh);
    return result == TOILE_OK && panel ? find_file(&at_panel, folder, panel) : result;
}

static toile_result find_of_actor(const node *at, const char *folder, scene_actor *a) {
    scene_file *const single[] = {&a->file, &a->base, &a->cache};
    toile_result result = TOILE_OK;
    for (int i = 0; i < 3 && result == TOILE_OK; i++) {
        result = find_file(at, folder, single[i]);
    }
    for (int i = 0; i < a->file_count && result == TOILE_OK; i++) {
        result = find_file(at, folder, &a->files[i]);
    }
    return result;
}

toile_result scene_files_find(scene *s) {
    node root = node_root(s->source), cloths = node_member(&root, "cloths"),
         bodies = node_member(&root, "bodies");
    char *folder = memory_string(s->path);
    if (!folder) {
        return TOILE_ERROR_MEMORY;
    }
    char *slash = strrchr(folder, '/');
    *(slash ? slash + 1 : folder) = '\0';
    toile_result result = TOILE_OK;
    for (int i = 0; i < s->cloth_count && result == TOILE_OK; i++) {
        scene_cloth *c = &s->cloths[i];
        result = find_in(&cloths, i, folder, &c->mesh.file, &c->panel);
    }
    for (int i = 0; i < s->body_count && result == TOILE_OK; i++) {
        node at = node_element(&bodies, (size_t)i);
        result = find_in(&bodies, i, folder, &s->bodies[i].mesh_file, NULL);
        if (s->bodies[i].actor && result == TOILE_OK) {
            result = find_of_actor(&at, folder, s->bodies[i].actor);
        }
    }
    free(folder);
    return result;
}

/* ---- for a run ----------------------------------------------------------------------------------
 */

static int compare_names(const void *a, const void *b) {
    const scene_file *x = *(const scene_file *const *)a, *y = *(const scene_file *const *)b;
    return strcmp(x->name, y->name);
}

static size_t list_files(const scene *s, const scene_file **out) {
    size_t count = 0;
    for (int i = 0; i < s->cloth_count; i++) {
        out[count++] = &s->cloths[i].mesh.file;
        out[count++] = &s->cloths[i].panel;
    }
    for (int i = 0; i < s->body_count; i++) {
        out[count++] = &s->bodies[i].mesh_file;
        const scene_actor *a = s->bodies[i].actor;
        if (a) {
            out[count++] = &a->file;
            out[count++] = &a->base;
            out[count++] = &a->cache;
        }
        for (int k = 0; a && k < a->file_count; k++) {
            out[count++] = &a->files[k];
        }
    }
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (out[i]->path) {
            out[used++] = out[i];
        }
    }
    return used;
}

typedef toile_result file_treatment(const scene_file *f, const void *context);

/* Does that once to every file: many cloths and bodies may have the same. */
static toile_result treat_files(const scene *s, file_treatment *treat, const void *context) {
    size_t most = 2 * (size_t)s->cloth_count + (size_t)s->body_count;
    for (int i = 0; i < s->body_count; i++) {
        most += s->bodies[i].actor ? 3 + (size_t)s->bodies[i].actor->file_count : 0;
    }
    const scene_file **files = memory_alloc(most + 1, sizeof(scene_file *), "the files of a scene");
    if (!files) {
        return TOILE_ERROR_MEMORY;
    }
    size_t count = list_files(s, files);
    qsort(files, count, sizeof *files, compare_names);
    toile_result result = TOILE_OK;
    for (size_t i = 0; i < count && result == TOILE_OK; i++) {
        if (i == 0 || compare_names(&files[i - 1], &files[i]) != 0) {
            result = treat(files[i], context);
        }
    }
    free(files);
    return result;
}

/* What the readers of meshes and panels take at most. */
#define MESH_LIMIT ((size_t)1 << 34)

typedef struct visitor {
    scene_file_visitor *visit;
    void *context;
    const char *copy; /* of the glTF file whose buffers are visited; NULL: none */
} visitor;

/* The path of what stands beside a file. */
static char *beside(const char *path, const char *name) {
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    size_t size = strlen(name) + 1;
    char *other = memory_alloc(folder + size, 1, "the name of a file");
    if (other) {
        memcpy(other, path, folder);
        memcpy(other + folder, name, size);
    }
    return other;
}

static toile_result visit_buffer(void *context, const char *name, const char *path) {
    const visitor *v = context;
    char *copy = v->copy ? beside(v->copy, name) : NULL;
    if (v->copy && !copy) {
        return TOILE_ERROR_MEMORY;
    }
    const scene_file_read file = {path, copy, GLTF_FILE_LIMIT};
    toile_result result = v->visit(v->context, &file);
    free(copy);
    return result;
}

static toile_result visit_file(const scene_file *f, const void *context) {
    visitor v = *(const visitor *)context;
    v.copy = *f->name == '/' ? NULL : f->name;
    const scene_file_read file = {f->path, v.copy, MESH_LIMIT};
    toile_result result = v.visit(v.context, &file);
    if (result == TOILE_OK && is_gltf(f->path)) {
        result = gltf_visit_buffer_files(f->path, visit_buffer, &v);
    }
    return result;
}

toile_result scene_files_visit(const scene *s, scene_file_visitor *visit, void *context) {
    return treat_files(s, visit_file, &(visitor){.visit = visit, .context = context});
}

toile_result scene_files_copy(const scene_file_read *file, const char *to) {
    char *folder = memory_string(to);
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
    return result == TOILE_OK ? file_copy(file->path, to, file->limit) : result;
}
