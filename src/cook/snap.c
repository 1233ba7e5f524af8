/* Snapping, the option of Schmitt 2013 section 4.3 (S5): a vertex on a texel is sampled and
 * projected without error. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cook/mapping.h"

/* A triangle keeps this share of its area at least: in order and not much flatter. */
static const double LEAST_AREA = 0.25;

/* The triangles of each vertex. */
typedef struct fans {
    size_t *ends;
    uint32_t *triangles;
} fans;

static bool make_fans(fans *f, const flat_mesh *mesh) {
    size_t count = 3 * (size_t)mesh->triangle_count;
    f->ends = memory_alloc((size_t)mesh->vertex_count + 1, sizeof *f->ends, "fans of a mesh");
    f->triangles = memory_alloc(count, sizeof *f->triangles, "fans of a mesh");
    if (!f->ends || !f->triangles) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        f->ends[mesh->indices[i] + 1]++;
    }
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        f->ends[i + 1] += f->ends[i];
    }
    for (size_t i = 0; i < count; i++) { /* each end starts as its fan's begin */
        f->triangles[f->ends[mesh->indices[i]]++] = (uint32_t)(i / 3);
    }
    return true;
}

static double area(const flat_mesh *mesh, uint32_t triangle) {
    const uint32_t *t = mesh->indices + 3 * (size_t)triangle;
    const float *a = mesh->uv + 2 * (size_t)t[0], *b = mesh->uv + 2 * (size_t)t[1],
                *c = mesh->uv + 2 * (size_t)t[2];
    double bu = (double)b[0] - (double)a[0], bv = (double)b[1] - (double)a[1];
    double cu = (double)c[0] - (double)a[0], cv = (double)c[1] - (double)a[1];
    return 0.5 * (bu * cv - bv * cu);
}

/* Marks the ends of outer edges. */
static uint8_t *find_border(const flat_mesh *mesh) {
    uint8_t *outer = flat_mesh_outer_edges(mesh);
    uint8_t *border = memory_alloc(mesh->vertex_count, 1, "border of a mesh");
    for (size_t i = 0; outer && border && i < 3 * (size_t)mesh->triangle_count; i++) {
        if (outer[i / 3] >> i % 3 & 1) {
            border[mesh->indices[i]] = 1;
            border[mesh->indices[i % 3 == 2 ? i - 2 : i + 1]] = 1;
        }
    }
    if (!outer) {
        free(border);
        border = NULL;
    }
    free(outer);
    return border;
}

/* Puts a vertex on the nearest texel, if all its triangles keep their least area. */
static void snap(flat_mesh *mesh, const grid *g, const fans *f, const double *least,
                 uint32_t vertex) {
    float *uv = mesh->uv + 2 * (size_t)vertex, old[2] = {uv[0], uv[1]};
    for (int k = 0; k < 2; k++) {
        uv[k] = (float)(round((double)uv[k] / (double)g->spacing) * (double)g->spacing);
    }
    for (size_t i = vertex > 0 ? f->ends[vertex - 1] : 0; i < f->ends[vertex]; i++) {
        if (!(area(mesh, f->triangles[i]) >= least[f->triangles[i]])) {
            memcpy(uv, old, sizeof old);
            return;
        }
    }
}

void snap_inner_vertices(flat_mesh *mesh, const grid *g) {
    fans f = {0};
    double *least = memory_alloc(mesh->triangle_count, sizeof *least, "areas of a mesh");
    uint8_t *border = find_border(mesh);
    if (make_fans(&f, mesh) && least && border) {
        for (uint32_t i = 0; i < mesh->triangle_count; i++) {
            least[i] = LEAST_AREA * area(mesh, i);
        }
        for (uint32_t i = 0; i < mesh->vertex_count; i++) {
            if (!border[i]) {
                snap(mesh, g, &f, least, i);
            }
        }
    }
    free(f.ends);
    free(f.triangles);
    free(least);
    free(border);
}
