#include "figure/survey.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "figure/vec.h"
#include "step/intersect.h"

static vec vertex_at(const float *positions, uint32_t index) {
    const float *p = positions + 3 * (size_t)index;
    return vec_make((double)p[0], (double)p[1], (double)p[2]);
}

static void measure_size(const float *positions, size_t vertices, const uint32_t *indices,
                         size_t triangles, survey *out) {
    memcpy(out->low, positions, sizeof out->low);
    memcpy(out->high, positions, sizeof out->high);
    for (size_t i = 0; i < 3 * vertices; i++) {
        float *low = &out->low[i % 3], *high = &out->high[i % 3];
        *low = positions[i] < *low ? positions[i] : *low;
        *high = positions[i] > *high ? positions[i] : *high;
    }
    vec origin = vertex_at(positions, 0); /* keeps rounding small when the mesh is far away */
    for (size_t t = 0; t < triangles; t++) {
        const uint32_t *v = indices + 3 * t;
        vec a = vec_sub(vertex_at(positions, v[0]), origin),
            b = vec_sub(vertex_at(positions, v[1]), origin),
            c = vec_sub(vertex_at(positions, v[2]), origin);
        vec normal = vec_cross(vec_sub(b, a), vec_sub(c, a));
        double area = 0.5 * vec_length(normal);
        out->area += area;
        out->flat_triangles += area > 0.0 ? 0 : 1;
        out->volume += vec_dot(a, vec_cross(b, c)) / 6.0;
    }
}

typedef struct edge {
    uint32_t low, high;
    bool forwards; /* from low to high */
} edge;

static int compare_edges(const void *a, const void *b) {
    const edge *x = a, *y = b;
    if (x->low != y->low) {
        return x->low < y->low ? -1 : 1;
    }
    return (x->high > y->high) - (x->high < y->high);
}

static void count_edges(const edge *edges, size_t count, survey *out) {
    for (size_t begin = 0, end; begin < count; begin = end) {
        size_t forwards = 0;
        for (end = begin; end < count && compare_edges(&edges[begin], &edges[end]) == 0; end++) {
            forwards += edges[end].forwards;
        }
        out->edges++;
        out->boundary_edges += end - begin == 1;
        out->manifold_breaks += end - begin > 2 || (end - begin == 2 && forwards != 1);
    }
}

static toile_result survey_edges(const uint32_t *indices, size_t triangles, survey *out) {
    edge *edges = memory_alloc(3 * triangles, sizeof *edges, "edges of a mesh");
    if (!edges) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 3 * triangles; i++) {
        uint32_t a = indices[i], b = indices[i % 3 == 2 ? i - 2 : i + 1];
        edges[i] = (edge){a < b ? a : b, a < b ? b : a, a < b};
    }
    qsort(edges, 3 * triangles, sizeof *edges, compare_edges);
    count_edges(edges, 3 * triangles, out);
    free(edges);
    return TOILE_OK;
}

static uint32_t find_root(uint32_t *parents, uint32_t v) {
    while (parents[v] != v) {
        parents[v] = parents[parents[v]];
        v = parents[v];
    }
    return v;
}

/* Union and find over the corners of triangles; vertices without one do not count. */
static toile_result survey_components(size_t vertices, const uint32_t *indices, size_t triangles,
                                      survey *out) {
    uint32_t *parents = memory_alloc(vertices, sizeof *parents, "pieces of a mesh");
    bool *used = memory_alloc(vertices, sizeof *used, "pieces of a mesh");
    if (!parents || !used) {
        free(parents);
        free(used);
        return TOILE_ERROR_MEMORY;
    }
    for (uint32_t v = 0; v < vertices; v++) {
        parents[v] = v;
    }
    for (size_t t = 0; t < triangles; t++) {
        uint32_t first = find_root(parents, indices[3 * t]);
        for (size_t k = 0; k < 3; k++) {
            used[indices[3 * t + k]] = true;
            parents[find_root(parents, indices[3 * t + k])] = first;
        }
    }
    for (uint32_t v = 0; v < vertices; v++) {
        out->components += used[v] && parents[v] == v;
    }
    free(parents);
    free(used);
    return TOILE_OK;
}

/* Pairs of boxes and triangles, per triangle. Surfaces were seen to have 2 to 8; a file that shows
 * one mesh 5000 times in one place was not done after a minute. */
static const uint64_t MOST_WORK = 300;

toile_result survey_mesh(const float *positions, size_t vertices, const uint32_t *indices,
                         size_t triangles, survey *out) {
    *out = (survey){0};
    measure_size(positions, vertices, indices, triangles, out);
    toile_result result = survey_edges(indices, triangles, out);
    if (result == TOILE_OK) {
        result = survey_components(vertices, indices, triangles, out);
    }
    if (result == TOILE_OK) {
        result = count_intersections(positions, vertices, indices, triangles, MOST_WORK * triangles,
                                     &out->overlaps, &out->all_overlaps);
    }
    return result;
}
