#include "cook/flat_mesh.h"

#include <stdlib.h>

#include "base/memory.h"

toile_result flat_mesh_allocate(flat_mesh *m, uint32_t vertices, uint32_t triangles) {
    *m = (flat_mesh){.vertex_count = vertices, .triangle_count = triangles};
    m->uv = memory_alloc(vertices, 2 * sizeof *m->uv, "vertices of a flat mesh");
    m->indices = memory_alloc(triangles, 3 * sizeof *m->indices, "triangles of a flat mesh");
    if (!m->uv || !m->indices) {
        flat_mesh_free(m);
        return TOILE_ERROR_MEMORY;
    }
    return TOILE_OK;
}

void flat_mesh_free(flat_mesh *m) {
    free(m->uv);
    free(m->indices);
    *m = (flat_mesh){0};
}
