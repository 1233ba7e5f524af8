#include "io/cutter.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/isometry.h"

/* What is taken apart at most: garments have some hundred thousand triangles. */
#define TRIANGLE_LIMIT ((size_t)1 << 22)
enum { ISLAND_LIMIT = 10000 };

/* A triangle that is flatter than this share of its longest edge has no side that could be told. */
static const double FLATTEST = 1e-6;

/* ---- vertices -----------------------------------------------------------------------------------
 */

typedef struct place {
    float values[5]; /* x, y, z, u, v */
    uint32_t vertex;
} place;

static int compare_places(const void *left, const void *right) {
    const place *a = left, *b = right;
    for (int k = 0; k < 5; k++) {
        if (a->values[k] != b->values[k]) {
            return a->values[k] < b->values[k] ? -1 : 1;
        }
    }
    return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

static bool same_place(const place *a, const place *b) {
    bool same = true;
    for (int k = 0; k < 5; k++) {
        same &= a->values[k] == b->values[k];
    }
    return same;
}

/* Of equal vertices, the first stands for all. */
static toile_result join_vertices(cutter *c) {
    const mesh_data *m = c->mesh;
    place *places = memory_alloc(m->vertices, sizeof *places, "vertices");
    uint32_t *first = memory_alloc(m->vertices, sizeof *first, "vertices");
    toile_result result = places && first ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t i = 0; i < m->vertices && result == TOILE_OK; i++) {
        memcpy(places[i].values, cutter_space(c, (uint32_t)i), 3 * sizeof(float));
        memcpy(places[i].values + 3, cutter_flat(c, (uint32_t)i), 2 * sizeof(float));
        places[i].vertex = (uint32_t)i;
        for (int k = 0; k < 5; k++) {
            if (!isfinite(places[i].values[k])) {
                result =
                    error_set(TOILE_ERROR_FORMAT, "'%s': vertex %zu is not finite", c->name, i + 1);
            }
        }
    }
    if (result == TOILE_OK) {
        qsort(places, m->vertices, sizeof *places, compare_places);
        for (size_t i = 0; i < m->vertices; i++) {
            bool same = i > 0 && same_place(&places[i - 1], &places[i]);
            first[places[i].vertex] = same ? first[places[i - 1].vertex] : places[i].vertex;
        }
        for (size_t i = 0; i < 3 * c->triangles; i++) {
            c->vertices[i] = first[m->indices[i]];
        }
    }
    free(places);
    free(first);
    return result;
}

/* ---- triangles ----------------------------------------------------------------------------------
 */

static toile_result measure_triangle(cutter *c, size_t triangle) {
    const uint32_t *v = c->vertices + 3 * triangle;
    double e[3][2], longest2 = 0.0;
    for (int k = 0; k < 3; k++) {
        const float *from = cutter_flat(c, v[k]), *to = cutter_flat(c, v[(k + 1) % 3]);
        e[k][0] = (double)to[0] - (double)from[0];
        e[k][1] = (double)to[1] - (double)from[1];
        longest2 = fmax(longest2, e[k][0] * e[k][0] + e[k][1] * e[k][1]);
    }
    c->area2[triangle] = e[0][0] * e[1][1] - e[0][1] * e[1][0];
    if (fabs(c->area2[triangle]) > FLATTEST * longest2) {
        return TOILE_OK;
    }
    return error_set(TOILE_ERROR_FORMAT,
                     "'%s': triangle %zu, at (%g, %g) of the flat pattern, has no area there",
                     c->name, triangle + 1, (double)cutter_flat(c, v[0])[0],
                     (double)cutter_flat(c, v[0])[1]);
}

toile_result cutter_fit_scale(const cutter *c, double *scale) {
    double flat = 0.0, space = 0.0;
    for (size_t t = 0; t < c->triangles; t++) {
        const uint32_t *v = c->vertices + 3 * t;
        flat += fabs(c->area2[t]);
        space += isometry_area2((const float *const[]){cutter_space(c, v[0]), cutter_space(c, v[1]),
                                                       cutter_space(c, v[2])});
    }
    *scale = sqrt(space / flat);
    if (!(*scale > 0.0) || !isfinite(*scale)) {
        return error_set(TOILE_ERROR_FORMAT, "'%s': its triangles have no area in space", c->name);
    }
    return TOILE_OK;
}

/* ---- edges --------------------------------------------------------------------------------------
 */

static int compare_edges(const void *left, const void *right) {
    const cut_edge *a = left, *b = right;
    if (a->low != b->low) {
        return a->low < b->low ? -1 : 1;
    }
    if (a->high != b->high) {
        return a->high < b->high ? -1 : 1;
    }
    return (a->corner > b->corner) - (a->corner < b->corner);
}

static bool same_edge(const cut_edge *a, const cut_edge *b) {
    return a->low == b->low && a->high == b->high;
}

static bool runs_upwards(const cutter *c, const cut_edge *e) {
    return c->vertices[e->corner] == e->low;
}

static toile_result bad_edge(const cutter *c, const cut_edge *e, const char *what) {
    const float *a = cutter_flat(c, e->low), *b = cutter_flat(c, e->high);
    return error_set(TOILE_ERROR_FORMAT,
                     "'%s': the edge from (%g, %g) to (%g, %g) of the flat pattern, of triangles "
                     "%u and %u, %s",
                     c->name, (double)a[0], (double)a[1], (double)b[0], (double)b[1],
                     e[0].corner / 3 + 1, e[1].corner / 3 + 1, what);
}

static uint32_t find_part(uint32_t *parts, uint32_t triangle) {
    while (parts[triangle] != triangle) {
        parts[triangle] = parts[parts[triangle]];
        triangle = parts[triangle];
    }
    return triangle;
}

/* The lower number stands for both, so that islands are numbered by their first triangles. */
static void join_parts(uint32_t *parts, uint32_t a, uint32_t b) {
    a = find_part(parts, a);
    b = find_part(parts, b);
    if (a < b) {
        parts[b] = a;
    } else {
        parts[a] = b;
    }
}

/* e is the first of count edges that are the same. */
static toile_result join_over_edge(cutter *c, const cut_edge *e, size_t count) {
    if (count == 1) {
        c->border[e->corner] = 1;
        return TOILE_OK;
    }
    if (count > 2) {
        return bad_edge(c, e, "has more than two triangles: expected a surface without fins");
    }
    uint32_t a = e[0].corner / 3, b = e[1].corner / 3;
    bool same_sign = (c->area2[a] > 0.0) == (c->area2[b] > 0.0);
    if (same_sign && runs_upwards(c, &e[0]) == runs_upwards(c, &e[1])) {
        return bad_edge(c, e, "has both on the same side: expected none on top of another");
    }
    join_parts(c->parts, a, b);
    return TOILE_OK;
}

static toile_result join_triangles(cutter *c) {
    size_t count = 3 * c->triangles;
    for (size_t i = 0; i < count; i++) {
        uint32_t a = c->vertices[i], b = c->vertices[i % 3 == 2 ? i - 2 : i + 1];
        c->edges[i] = (cut_edge){a < b ? a : b, a < b ? b : a, (uint32_t)i};
    }
    qsort(c->edges, count, sizeof *c->edges, compare_edges);
    for (size_t t = 0; t < c->triangles; t++) {
        c->parts[t] = (uint32_t)t;
    }
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && same_edge(&c->edges[i], &c->edges[next]);) {
            next++;
        }
        toile_result result = join_over_edge(c, &c->edges[i], next - i);
        if (result != TOILE_OK) {
            return result;
        }
    }
    return TOILE_OK;
}

/* ---- islands ------------------------------------------------------------------------------------
 */

/* From parts that name a triangle to numbers of islands. A triangle's own comes before all that are
 * named after it, and has its number by then. */
static toile_result number_islands(cutter *c) {
    for (size_t t = 0; t < c->triangles; t++) {
        uint32_t part = find_part(c->parts, (uint32_t)t);
        c->locals[t] = part == t ? (uint32_t)c->count++ : c->locals[part];
    }
    if (c->count > ISLAND_LIMIT) {
        return error_set(TOILE_ERROR_FORMAT,
                         "'%s': its pattern has %zu islands: expected at most %d", c->name,
                         c->count, ISLAND_LIMIT);
    }
    memcpy(c->parts, c->locals, c->triangles * sizeof *c->parts);
    for (size_t t = 0; t < c->triangles; t++) {
        c->starts[c->parts[t] + 1]++;
    }
    for (size_t i = 0; i < c->count; i++) {
        c->starts[i + 1] += c->starts[i];
        c->locals[i] = c->starts[i];
    }
    for (size_t t = 0; t < c->triangles; t++) {
        c->order[c->locals[c->parts[t]]++] = (uint32_t)t;
    }
    return TOILE_OK;
}

/* ---- the whole ----------------------------------------------------------------------------------
 */

static toile_result check_mesh(const cutter *c) {
    if (!c->mesh->coordinates) {
        return error_set(TOILE_ERROR_FORMAT,
                         "'%s' has no texture coordinates, or not in all of its meshes: expected "
                         "its flat pattern there",
                         c->name);
    }
    if (c->triangles == 0 || c->triangles > TRIANGLE_LIMIT ||
        c->mesh->vertices > 3 * TRIANGLE_LIMIT) {
        return error_set(TOILE_ERROR_FORMAT, "'%s' has %zu triangles: expected 1 to %zu", c->name,
                         c->triangles, TRIANGLE_LIMIT);
    }
    return TOILE_OK;
}

static toile_result cutter_allocate(cutter *c) {
    size_t n = c->triangles, most = n > c->mesh->vertices ? n : c->mesh->vertices;
    c->vertices = memory_alloc(3 * n, sizeof *c->vertices, "vertices");
    c->area2 = memory_alloc(n, sizeof *c->area2, "areas");
    c->edges = memory_alloc(3 * n, sizeof *c->edges, "edges");
    c->parts = memory_alloc(n, sizeof *c->parts, "islands");
    c->order = memory_alloc(n, sizeof *c->order, "islands");
    c->starts = memory_alloc(n + 1, sizeof *c->starts, "islands");
    c->locals = memory_alloc(most, sizeof *c->locals, "vertices");
    c->border = memory_alloc(3 * n, sizeof *c->border, "a border");
    bool all = c->vertices && c->area2 && c->edges && c->parts && c->order && c->starts &&
               c->locals && c->border;
    return all ? TOILE_OK : TOILE_ERROR_MEMORY;
}

toile_result cutter_create(cutter *c, const mesh_data *mesh, const char *name) {
    *c = (cutter){.name = name, .mesh = mesh, .triangles = mesh->triangles};
    toile_result result = check_mesh(c);
    if (result == TOILE_OK) {
        result = cutter_allocate(c);
    }
    if (result == TOILE_OK) {
        result = join_vertices(c);
    }
    for (size_t t = 0; t < c->triangles && result == TOILE_OK; t++) {
        result = measure_triangle(c, t);
    }
    if (result == TOILE_OK) {
        result = join_triangles(c);
    }
    if (result == TOILE_OK) {
        result = number_islands(c);
    }
    if (result != TOILE_OK) {
        cutter_free(c);
    }
    return result;
}

void cutter_free(cutter *c) {
    free(c->vertices);
    free(c->area2);
    free(c->edges);
    free(c->parts);
    free(c->order);
    free(c->starts);
    free(c->locals);
    free(c->border);
    *c = (cutter){0};
}
