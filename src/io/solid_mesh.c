#include "io/solid_mesh.h"

#include <string.h>

#include "io/json.h"
#include "io/mesh_read.h"
#include "io/weld.h"

static toile_result read_mesh(const node *at, const char *path, mesh_data *mesh) {
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
    uint32_t *triangles = document_alloc(d, 3 * mesh->triangles, sizeof *triangles);
    if (!positions || !triangles) {
        return TOILE_ERROR_MEMORY;
    }
    memcpy(triangles, mesh->indices, 3 * mesh->triangles * sizeof *triangles);
    for (size_t i = 0; i < 3 * mesh->vertices; i++) {
        positions[i] = mesh->positions[i] * b->mesh_scale;
    }
    b->def.mesh = (toile_mesh_def){positions, mesh->vertices, triangles, mesh->triangles};
    return TOILE_OK;
}

static toile_result load_mesh(const node *at, scene_body *b, size_t *total) {
    mesh_data mesh = {0};
    toile_result result = read_mesh(at, b->mesh_file.path, &mesh);
    if (result != TOILE_OK) {
        return result;
    }
    *total += mesh.triangles;
    if (*total > SOLID_TRIANGLE_LIMIT) {
        result = node_error(at, "expected at most %zu triangles in the meshes of all bodies",
                            SOLID_TRIANGLE_LIMIT);
    } else {
        result = keep_mesh(at, b, &mesh);
    }
    mesh_free(&mesh);
    return result;
}

toile_result solid_meshes_load(scene *s) {
    node root = node_root(s->source), bodies = node_member(&root, "bodies");
    size_t total = 0;
    toile_result result = TOILE_OK;
    for (int i = 0; i < s->body_count && result == TOILE_OK; i++) {
        if (s->bodies[i].def.shape == TOILE_SHAPE_MESH) {
            node body = node_element(&bodies, (size_t)i), mesh = node_member(&body, "mesh"),
                 at = node_member(&mesh, "file");
            result = load_mesh(&at, &s->bodies[i], &total);
        }
    }
    return result;
}
