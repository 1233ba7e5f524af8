#include "app/meshes.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

static toile_result create_mesh(mesh_data *mesh, const toile_world *world, toile_cloth_id id) {
    toile_cloth_info info = toile_cloth_get_info(world, id);
    if (!mesh_allocate(mesh, info.vertices, info.triangles, true, true)) {
        return error_set(TOILE_ERROR_MEMORY, "not enough memory for the mesh of cloth '%s'",
                         info.name);
    }
    toile_result result =
        toile_cloth_get_mesh_coordinates(world, id, mesh->coordinates, info.vertices);
    if (result == TOILE_OK) {
        result = toile_cloth_get_mesh_triangles(world, id, mesh->indices, info.triangles);
    }
    return result;
}

toile_result meshes_create(meshes *m, const scene *s, const toile_world *world,
                           const scene_ids *ids) {
    *m = (meshes){.count = s->cloth_count};
    m->items = memory_alloc((size_t)m->count, sizeof *m->items, "meshes");
    toile_result result = m->items ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (int c = 0; c < m->count && result == TOILE_OK; c++) {
        result = create_mesh(&m->items[c], world, ids->cloths[c]);
    }
    if (result != TOILE_OK) {
        meshes_free(m);
    }
    return result;
}

void meshes_free(meshes *m) {
    for (int c = 0; m->items && c < m->count; c++) {
        mesh_free(&m->items[c]);
    }
    free(m->items);
    *m = (meshes){0};
}

void meshes_compute_normals(mesh_data *mesh) {
    mesh_view view = mesh_get_view(mesh, NULL);
    mesh_normals(&view, mesh->positions, mesh->normals);
}

toile_result meshes_read(meshes *m, const toile_world *world, const scene_ids *ids) {
    toile_result result = TOILE_OK;
    for (int c = 0; c < m->count && result == TOILE_OK; c++) {
        mesh_data *mesh = &m->items[c];
        result =
            toile_cloth_get_mesh_positions(world, ids->cloths[c], mesh->positions, mesh->vertices);
        if (result == TOILE_OK) {
            meshes_compute_normals(mesh);
        }
    }
    return result;
}
