/* What a mesh must be to have an inside. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/solid_build.h"

/* Heights of triangles, as a share of their longest edge, and edges in metres, below which there is
 * no telling where a triangle faces. */
static const double THINNEST = 1e-6;
static const double SHORTEST = 1e-8;

/* ---- triangles by themselves --------------------------------------------------------------------
 */

static toile_result check_positions(const toile_mesh_def *def) {
    for (size_t v = 0; v < def->vertices; v++) {
        const float *p = def->positions + 3 * v;
        if (!(fabsf(p[0]) <= SOLID_REACH && fabsf(p[1]) <= SOLID_REACH &&
              fabsf(p[2]) <= SOLID_REACH)) {
            return error_set(TOILE_ERROR_INVALID,
                             "mesh: vertex %zu is at (%g, %g, %g): expected numbers from -%g to %g",
                             v, (double)p[0], (double)p[1], (double)p[2], (double)SOLID_REACH,
                             (double)SOLID_REACH);
        }
    }
    return TOILE_OK;
}

/* Longest and shortest edge, and the height over the longest. */
typedef struct proportions {
    double longest, shortest, height;
} proportions;

static proportions measure_triangle(const float *positions, const uint32_t corners[3]) {
    double edges[3][3], squared[3], cross = 0.0;
    for (int k = 0; k < 3; k++) {
        const float *from = positions + 3 * (size_t)corners[k];
        const float *to = positions + 3 * (size_t)corners[(k + 1) % 3];
        squared[k] = 0.0;
        for (int i = 0; i < 3; i++) {
            edges[k][i] = (double)to[i] - (double)from[i];
            squared[k] += edges[k][i] * edges[k][i];
        }
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double c = edges[0][j] * edges[1][k] - edges[0][k] * edges[1][j];
        cross += c * c;
    }
    double longest = sqrt(fmax(squared[0], fmax(squared[1], squared[2])));
    return (proportions){.longest = longest,
                         .shortest = sqrt(fmin(squared[0], fmin(squared[1], squared[2]))),
                         .height = longest > 0.0 ? sqrt(cross) / longest : 0.0};
}

toile_result solid_check_triangles(const toile_mesh_def *def) {
    /* Nodes of the tree halve what they have. */
    if (!def->positions || !def->triangles || def->vertices == 0 || def->triangle_count < 2) {
        return error_set(TOILE_ERROR_INVALID,
                         "mesh: it has %zu vertices and %zu triangles: expected a surface of two "
                         "triangles or more",
                         def->vertices, def->triangle_count);
    }
    if (def->triangle_count > SOLID_TRIANGLES || def->vertices > 3 * (size_t)SOLID_TRIANGLES) {
        return error_set(TOILE_ERROR_INVALID,
                         "mesh: it has %zu vertices and %zu triangles: expected at most %d "
                         "triangles",
                         def->vertices, def->triangle_count, SOLID_TRIANGLES);
    }
    toile_result result = check_positions(def);
    for (size_t t = 0; t < def->triangle_count && result == TOILE_OK; t++) {
        const uint32_t *v = def->triangles + 3 * t;
        for (int k = 0; k < 3; k++) {
            if (v[k] >= def->vertices) {
                return error_set(TOILE_ERROR_INVALID,
                                 "mesh: triangle %zu has vertex %u: expected one below %zu", t,
                                 (unsigned)v[k], def->vertices);
            }
        }
        proportions size = measure_triangle(def->positions, v);
        if (!(size.shortest >= SHORTEST && size.height >= THINNEST * size.longest)) {
            const float *p = def->positions + 3 * (size_t)v[0];
            result = error_set(TOILE_ERROR_INVALID,
                               "mesh: triangle %zu (vertices %u, %u, %u) at (%g, %g, %g) is "
                               "degenerate: its longest edge is %g m, its height over it %g m",
                               t, (unsigned)v[0], (unsigned)v[1], (unsigned)v[2], (double)p[0],
                               (double)p[1], (double)p[2], size.longest, size.height);
        }
    }
    return result;
}

/* ---- edges --------------------------------------------------------------------------------------
 */

/* A half edge under the name of its edge. */
typedef struct named_edge {
    uint32_t low, high; /* vertices */
    uint32_t half_edge;
} named_edge;

static int compare_edges(const void *left, const void *right) {
    const named_edge *a = left, *b = right;
    if (a->low != b->low) {
        return a->low < b->low ? -1 : 1;
    }
    if (a->high != b->high) {
        return a->high < b->high ? -1 : 1;
    }
    return (a->half_edge > b->half_edge) - (a->half_edge < b->half_edge);
}

static bool same_edge(const named_edge *a, const named_edge *b) {
    return a->low == b->low && a->high == b->high;
}

/* "the edge between vertices 3 and 5, from (0, 0, 1) to (0, 1, 1)" */
typedef struct edge_words {
    char text[200];
} edge_words;

static edge_words describe_edge(const solid *s, const named_edge *e) {
    const float *a = s->positions + 3 * (size_t)e->low, *b = s->positions + 3 * (size_t)e->high;
    edge_words words;
    snprintf(words.text, sizeof words.text,
             "the edge between vertices %u and %u, from (%g, %g, %g) to (%g, %g, %g)",
             (unsigned)e->low, (unsigned)e->high, (double)a[0], (double)a[1], (double)a[2],
             (double)b[0], (double)b[1], (double)b[2]);
    return words;
}

static size_t count_open(const solid *s, const named_edge *edges) {
    const named_edge *end = edges + 3 * s->triangle_count;
    size_t count = 0;
    for (const named_edge *e = edges; e < end; e++) {
        count += !(e > edges && same_edge(e - 1, e)) && !(e + 1 < end && same_edge(e, e + 1));
    }
    return count;
}

static toile_result match_edge(const solid *s, const named_edge *edges, const named_edge *e,
                               size_t count, bool open, uint32_t *twins) {
    unsigned first = e[0].half_edge / 3;
    if (count == 1 && open) {
        twins[e[0].half_edge] = SOLID_NONE;
        return TOILE_OK;
    }
    if (count == 1) {
        return error_set(TOILE_ERROR_INVALID,
                         "mesh: it is open: %s, belongs to triangle %u only (one of %zu such "
                         "edges): expected a closed surface",
                         describe_edge(s, e).text, first, count_open(s, edges));
    }
    unsigned second = e[1].half_edge / 3;
    if (count > 2) {
        return error_set(TOILE_ERROR_INVALID,
                         "mesh: %s, belongs to %zu triangles, among them %u, %u and %u: expected "
                         "two",
                         describe_edge(s, e).text, count, first, second,
                         (unsigned)(e[2].half_edge / 3));
    }
    if (s->triangles[e[0].half_edge] == s->triangles[e[1].half_edge]) {
        return error_set(TOILE_ERROR_INVALID,
                         "mesh: triangles %u and %u run along %s, in the same direction: one of "
                         "them is turned over",
                         first, second, describe_edge(s, e).text);
    }
    twins[e[0].half_edge] = e[1].half_edge;
    twins[e[1].half_edge] = e[0].half_edge;
    return TOILE_OK;
}

toile_result solid_check_edges(const solid *s, bool open, uint32_t *twins) {
    size_t count = 3 * s->triangle_count;
    named_edge *edges = memory_alloc(count, sizeof *edges, "the edges of a mesh");
    if (!edges) {
        return TOILE_ERROR_MEMORY;
    }
    for (uint32_t h = 0; h < count; h++) {
        uint32_t from = s->triangles[h], to = s->triangles[half_edge_next(h)];
        edges[h] = (named_edge){from < to ? from : to, from < to ? to : from, h};
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    toile_result result = TOILE_OK;
    for (size_t i = 0; i < count && result == TOILE_OK;) {
        size_t end = i + 1;
        while (end < count && same_edge(&edges[i], &edges[end])) {
            end++;
        }
        result = match_edge(s, edges, &edges[i], end - i, open, twins);
        i = end;
    }
    free(edges);
    return result;
}

/* ---- parts --------------------------------------------------------------------------------------
 */

/* Six times the volume between a triangle and a point, which is anywhere, but the same for all. */
static double volume_below(const solid *s, uint32_t triangle, const float origin[3]) {
    double p[3][3];
    for (int k = 0; k < 3; k++) {
        const float *v = s->positions + 3 * (size_t)s->triangles[3 * (size_t)triangle + (size_t)k];
        for (int i = 0; i < 3; i++) {
            p[k][i] = (double)v[i] - (double)origin[i];
        }
    }
    return p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
           p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
           p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
}

/* The volume of the part that hangs together with a triangle; marks its triangles. */
static double measure_part(const solid *s, const uint32_t *twins, uint32_t first, bool *seen,
                           uint32_t *stack) {
    const float *origin = s->positions + 3 * (size_t)s->triangles[3 * (size_t)first];
    size_t waiting = 0;
    double volume = 0.0;
    seen[first] = true;
    stack[waiting++] = first;
    while (waiting > 0) {
        uint32_t t = stack[--waiting];
        volume += volume_below(s, t, origin) / 6.0;
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t neighbour = twins[3 * t + k] / 3;
            if (!seen[neighbour]) {
                seen[neighbour] = true;
                stack[waiting++] = neighbour;
            }
        }
    }
    return volume;
}

static toile_result part_error(const solid *s, uint32_t triangle, int parts, double volume) {
    const float *p = s->positions + 3 * (size_t)s->triangles[3 * (size_t)triangle];
    return error_set(TOILE_ERROR_INVALID,
                     "mesh: %s %u at (%g, %g, %g) is inside out or flat, its volume is %g m^3: "
                     "expected triangles that run counter-clockwise seen from outside, and no "
                     "cavities",
                     parts == 0 ? "the part with triangle" : "a further part, with triangle",
                     (unsigned)triangle, (double)p[0], (double)p[1], (double)p[2], volume);
}

/* Each part must have its outside outside. A cavity would be a part that has not, and cloth cannot
 * get there. */
toile_result solid_check_parts(solid *s, const uint32_t *twins) {
    bool *seen = memory_alloc(s->triangle_count, sizeof *seen, "the parts of a mesh");
    uint32_t *stack = memory_alloc(s->triangle_count, sizeof *stack, "the parts of a mesh");
    toile_result result = seen && stack ? TOILE_OK : TOILE_ERROR_MEMORY;
    int parts = 0;
    s->volume = 0.0;
    for (uint32_t t = 0; t < s->triangle_count && result == TOILE_OK; t++) {
        if (!seen[t]) {
            double volume = measure_part(s, twins, t, seen, stack);
            result = volume > 0.0 ? TOILE_OK : part_error(s, t, parts, volume);
            s->volume += volume;
            parts++;
        }
    }
    free(seen);
    free(stack);
    return result;
}
