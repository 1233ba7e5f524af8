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

typedef struct mesh_edge {
    uint32_t low, high; /* vertices */
    uint32_t corner;    /* 3 * triangle + which corner it begins at */
} mesh_edge;

static int by_vertices(const void *a, const void *b) {
    const mesh_edge *x = a, *y = b;
    if (x->low != y->low) {
        return x->low < y->low ? -1 : 1;
    }
    return (x->high > y->high) - (x->high < y->high);
}

uint8_t *flat_mesh_outer_edges(const flat_mesh *mesh) {
    size_t count = 3 * (size_t)mesh->triangle_count;
    uint8_t *outer = memory_alloc(mesh->triangle_count, 1, "border of a mesh");
    mesh_edge *edges = memory_alloc(count, sizeof *edges, "edges of a mesh");
    for (size_t i = 0; edges && i < count; i++) {
        uint32_t a = mesh->indices[i], b = mesh->indices[i % 3 == 2 ? i - 2 : i + 1];
        edges[i] = (mesh_edge){a < b ? a : b, a < b ? b : a, (uint32_t)i};
    }
    if (!outer || !edges) {
        free(outer);
        free(edges);
        return NULL;
    }
    qsort(edges, count, sizeof *edges, by_vertices);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && by_vertices(&edges[i], &edges[end]) == 0; end++) {
        }
        if (end == i + 1) {
            outer[edges[i].corner / 3] |= (uint8_t)(1 << edges[i].corner % 3);
        }
    }
    free(edges);
    return outer;
}
