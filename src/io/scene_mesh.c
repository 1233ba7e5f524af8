#include "io/scene_mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/mesh_read.h"
#include "io/obj.h"
#include "io/weld.h"

/* Of all bodies of a scene together. */
static const size_t TRIANGLE_LIMIT = 4194304;

/* "FOLDER/NAME", for a folder of any length. */
static char *join_path(const char *folder, size_t length, const char *name) {
    size_t size = length + strlen(name) + 2;
    char *path = memory_alloc(size, 1, "the name of a file");
    if (path) {
        snprintf(path, size, "%.*s%s%s", (int)length, folder, length ? "/" : "", name);
    }
    return path;
}

/* How much of a path is its folder: 0 when that is the working folder. */
static size_t folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + (slash == path) : 0;
}

static bool is_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static char *kept_path(const char *folder, size_t length, const char *body) {
    char name[128];
    snprintf(name, sizeof name, "scene.bodies/%s.obj", body);
    return join_path(folder, length, name);
}

static char *find_file(const scene_body *b, const char *scene_path) {
    size_t length = folder_length(scene_path);
    char *kept = kept_path(scene_path, length, b->def.name);
    if (!kept || is_file(kept)) {
        return kept;
    }
    free(kept);
    return b->mesh_file[0] == '/' ? memory_string(b->mesh_file)
                                  : join_path(scene_path, length, b->mesh_file);
}

/* Waiting for what a pipe or a terminal has to say is no way to read a stranger's scene. */
static toile_result read_mesh(const node *at, const char *path, mesh_data *mesh) {
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
        return node_error(at, "'%s' is no plain file", make_printable(path).text);
    }
    toile_result result = mesh_read(path, mesh);
    if (result == TOILE_OK) {
        result = mesh_weld(mesh);
        if (result != TOILE_OK) {
            mesh_free(mesh);
        }
    }
    if (result != TOILE_OK) {
        node_error_prefix(at);
    }
    return result;
}

/* Into memory that lives as long as the scene. */
static toile_result keep_mesh(const node *at, scene_body *b, const mesh_data *mesh) {
    document *d = at->document;
    float *positions = document_alloc(d, 3 * mesh->vertices, sizeof *positions);
    float *scaled = document_alloc(d, 3 * mesh->vertices, sizeof *scaled);
    uint32_t *triangles = document_alloc(d, 3 * mesh->triangles, sizeof *triangles);
    if (!positions || !scaled || !triangles) {
        return TOILE_ERROR_MEMORY;
    }
    memcpy(positions, mesh->positions, 3 * mesh->vertices * sizeof *positions);
    memcpy(triangles, mesh->indices, 3 * mesh->triangles * sizeof *triangles);
    for (size_t i = 0; i < 3 * mesh->vertices; i++) {
        scaled[i] = positions[i] * b->mesh_scale;
    }
    b->mesh_positions = positions;
    b->def.mesh = (toile_mesh_def){scaled, mesh->vertices, triangles, mesh->triangles};
    return TOILE_OK;
}

static toile_result load_mesh(const node *at, scene_body *b, size_t *total) {
    char *path = find_file(b, at->document->name);
    if (!path) {
        return TOILE_ERROR_MEMORY;
    }
    mesh_data mesh = {0};
    toile_result result = read_mesh(at, path, &mesh);
    free(path);
    if (result != TOILE_OK) {
        return result;
    }
    *total += mesh.triangles;
    if (*total > TRIANGLE_LIMIT) {
        result = node_error(at, "expected at most %zu triangles in the meshes of all bodies",
                            TRIANGLE_LIMIT);
    } else {
        result = keep_mesh(at, b, &mesh);
    }
    mesh_free(&mesh);
    return result;
}

toile_result scene_meshes_load(const node *bodies, scene *s) {
    size_t total = 0;
    toile_result result = TOILE_OK;
    for (int i = 0; i < s->body_count && result == TOILE_OK; i++) {
        if (s->bodies[i].def.shape == TOILE_SHAPE_MESH) {
            node body = node_element(bodies, (size_t)i), mesh = node_member(&body, "mesh"),
                 at = node_member(&mesh, "file");
            result = load_mesh(&at, &s->bodies[i], &total);
        }
    }
    return result;
}

static toile_result save_mesh(const scene_body *b, const char *folder) {
    char *path = kept_path(folder, strlen(folder), b->def.name);
    if (!path) {
        return TOILE_ERROR_MEMORY;
    }
    path[folder_length(path)] = '\0';
    toile_result result = file_make_folder(path);
    path[strlen(path)] = '/';
    if (result == TOILE_OK) {
        mesh_view view = {.name = b->def.name,
                          .vertices = b->def.mesh.vertices,
                          .triangles = b->def.mesh.triangle_count,
                          .positions = b->mesh_positions,
                          .indices = b->def.mesh.triangles};
        result = obj_write(path, &view);
    }
    free(path);
    return result;
}

toile_result scene_meshes_save(const scene *s, const char *folder) {
    toile_result result = TOILE_OK;
    for (int i = 0; i < s->body_count && result == TOILE_OK; i++) {
        if (s->bodies[i].def.shape == TOILE_SHAPE_MESH) {
            result = save_mesh(&s->bodies[i], folder);
        }
    }
    return result;
}
