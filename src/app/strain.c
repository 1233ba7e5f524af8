#include "app/strain.h"

#include <math.h>
#include <stdlib.h>

#include "app/rank.h"
#include "base/memory.h"

/* How far an edge may leave the direction of a thread, as a share of its length: rounding of
 * coordinates stays far below, the diagonal of a cell far above. */
static const double ALONG_THREAD = 1e-3;

typedef struct edge {
    uint32_t from, to; /* from < to */
} edge;

static int compare_edges(const void *a, const void *b) {
    const edge *x = a, *y = b;
    int first = (x->from > y->from) - (x->from < y->from);
    return first ? first : (x->to > y->to) - (x->to < y->to);
}

/* Each edge once; *edges has room for 3 a triangle. */
static size_t collect_edges(const mesh_data *mesh, edge *edges) {
    size_t count = 3 * mesh->triangles, unique = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t a = mesh->indices[i], b = mesh->indices[i % 3 == 2 ? i - 2 : i + 1];
        edges[i] = a < b ? (edge){a, b} : (edge){b, a};
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_edges(&edges[i], &edges[i - 1]) != 0) {
            edges[unique++] = edges[i];
        }
    }
    return unique;
}

static double squared_distance(const float *a, const float *b, int width) {
    double sum = 0.0;
    for (int k = 0; k < width; k++) {
        double d = (double)b[k] - (double)a[k];
        sum += d * d;
    }
    return sum;
}

static size_t collect_strains(const mesh_data *mesh, const edge *edges, size_t count,
                              bool threads_only, double *strains) {
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const float *a = mesh->coordinates + 2 * (size_t)edges[i].from,
                    *b = mesh->coordinates + 2 * (size_t)edges[i].to;
        double rest = sqrt(squared_distance(a, b, 2));
        double across = fmin(fabs((double)b[0] - (double)a[0]), fabs((double)b[1] - (double)a[1]));
        if (rest > 0.0 && (!threads_only || across <= ALONG_THREAD * rest)) {
            double length = sqrt(squared_distance(mesh->positions + 3 * (size_t)edges[i].from,
                                                  mesh->positions + 3 * (size_t)edges[i].to, 3));
            strains[used++] = fabs(length / rest - 1.0);
        }
    }
    return used;
}

toile_result strain_measure(const mesh_data *mesh, bool *known, toile_strain *out) {
    edge *edges = memory_alloc(3 * mesh->triangles, sizeof *edges, "the edges of a mesh");
    double *strains = memory_alloc(3 * mesh->triangles, sizeof *strains, "the edges of a mesh");
    toile_result result = edges && strains ? TOILE_OK : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        size_t count = collect_edges(mesh, edges);
        size_t used = collect_strains(mesh, edges, count, true, strains);
        if (used == 0) {
            used = collect_strains(mesh, edges, count, false, strains);
        }
        *out = (toile_strain){0};
        *known = used > 0;
        if (*known) {
            rank_sort(strains, used);
            *out = (toile_strain){.mean = rank_mean(strains, used),
                                  .p99 = rank_get(strains, used, 0.99),
                                  .p999 = rank_get(strains, used, 0.999),
                                  .max = rank_get(strains, used, 1.0)};
        }
    }
    free(edges);
    free(strains);
    return result;
}
