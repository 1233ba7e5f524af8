#include "io/islands.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/border.h"

/* What is taken apart at most: garments have some hundred thousand triangles. */
#define TRIANGLE_LIMIT ((size_t)1 << 22)
enum { ISLAND_LIMIT = 10000 };

/* A triangle that is flatter than this share of its longest edge has no side that could be told. */
static const double FLATTEST = 1e-6;

static const double WIDEST = 1e4;         /* m, of a piece of cloth */
static const double LIMIT_OF_WORST = 5.0; /* times the limit of the mean */

typedef struct edge {
    uint32_t low, high; /* vertices */
    uint32_t corner;    /* 3 * triangle + place of its first vertex */
} edge;

typedef struct cutter {
    const char *name;
    const mesh_data *mesh;
    const islands_def *def;
    size_t triangles;
    double scale;
    uint32_t *vertices; /* a corner: the vertex, equal ones joined */
    double *area2;      /* a triangle: twice its area in the pattern, units^2, signed */
    edge *edges;        /* 3 a triangle, sorted */
    uint32_t *parts;    /* a triangle: another of its island, or itself; later its island */
    uint32_t *order;    /* triangles, island by island */
    uint32_t *starts;   /* an island: first of order; one more at the end */
    uint32_t *locals;   /* a vertex: its number in the island that is being built */
    uint8_t *border;    /* a corner: its edge has no triangle on the other side */
    size_t count;       /* islands */
} cutter;

static const float *flat_of(const cutter *c, uint32_t vertex) {
    return c->mesh->coordinates + 2 * (size_t)vertex;
}

static const float *space_of(const cutter *c, uint32_t vertex) {
    return c->mesh->positions + 3 * (size_t)vertex;
}

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
        memcpy(places[i].values, space_of(c, (uint32_t)i), 3 * sizeof(float));
        memcpy(places[i].values + 3, flat_of(c, (uint32_t)i), 2 * sizeof(float));
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
        const float *from = flat_of(c, v[k]), *to = flat_of(c, v[(k + 1) % 3]);
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
                     c->name, triangle + 1, (double)flat_of(c, v[0])[0],
                     (double)flat_of(c, v[0])[1]);
}

/* The scale that makes the areas of pattern and surface the same. */
static toile_result fit_scale(const cutter *c, double *scale) {
    double flat = 0.0, space = 0.0;
    for (size_t t = 0; t < c->triangles; t++) {
        const uint32_t *v = c->vertices + 3 * t;
        flat += fabs(c->area2[t]);
        space += isometry_area2(
            (const float *const[]){space_of(c, v[0]), space_of(c, v[1]), space_of(c, v[2])});
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
    const edge *a = left, *b = right;
    if (a->low != b->low) {
        return a->low < b->low ? -1 : 1;
    }
    if (a->high != b->high) {
        return a->high < b->high ? -1 : 1;
    }
    return (a->corner > b->corner) - (a->corner < b->corner);
}

static bool same_edge(const edge *a, const edge *b) {
    return a->low == b->low && a->high == b->high;
}

static bool runs_upwards(const cutter *c, const edge *e) {
    return c->vertices[e->corner] == e->low;
}

static toile_result bad_edge(const cutter *c, const edge *e, const char *what) {
    const float *a = flat_of(c, e->low), *b = flat_of(c, e->high);
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
static toile_result join_over_edge(cutter *c, const edge *e, size_t count) {
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
        c->edges[i] = (edge){a < b ? a : b, a < b ? b : a, (uint32_t)i};
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

/* An island is mirrored as a whole or not at all. */
static toile_result check_sides(const cutter *c, size_t number, bool *mirrored) {
    const uint32_t *first = c->order + c->starts[number], *end = c->order + c->starts[number + 1];
    size_t negative = 0, count = (size_t)(end - first);
    for (const uint32_t *t = first; t < end; t++) {
        negative += c->area2[*t] < 0.0;
    }
    *mirrored = negative == count;
    if (negative == 0 || negative == count) {
        return TOILE_OK;
    }
    bool wrong_is_negative = negative <= count - negative;
    for (const uint32_t *t = first; t < end; t++) {
        if ((c->area2[*t] < 0.0) == wrong_is_negative) {
            const float *at = flat_of(c, c->vertices[3 * (size_t)*t]);
            return error_set(
                TOILE_ERROR_FORMAT,
                "'%s': triangle %u, at (%g, %g) of the flat pattern, is flipped: it is "
                "turned over against most of its island, as are %zu of %zu",
                c->name, *t + 1, (double)at[0], (double)at[1],
                wrong_is_negative ? negative : count - negative, count);
        }
    }
    return TOILE_OK;
}

/* ---- building one -------------------------------------------------------------------------------
 */

typedef struct frame {
    double low[2]; /* of the box, units, u turned round where it is mirrored */
    double high[2];
    double sign; /* of u */
} frame;

static frame find_frame(const cutter *c, const uint32_t *triangles, size_t count, bool mirrored) {
    frame f = {{DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX}, mirrored ? -1.0 : 1.0};
    for (size_t i = 0; i < 3 * count; i++) {
        const float *at = flat_of(c, c->vertices[3 * (size_t)triangles[i / 3] + i % 3]);
        double uv[2] = {f.sign * (double)at[0], (double)at[1]};
        for (int k = 0; k < 2; k++) {
            f.low[k] = fmin(f.low[k], uv[k]);
            f.high[k] = fmax(f.high[k], uv[k]);
        }
    }
    return f;
}

/* Numbers the vertices of an island in the order they are met. */
static uint32_t number_vertices(cutter *c, const uint32_t *triangles, size_t count) {
    for (size_t i = 0; i < 3 * count; i++) {
        c->locals[c->vertices[3 * (size_t)triangles[i / 3] + i % 3]] = BORDER_NONE;
    }
    uint32_t vertices = 0;
    for (size_t i = 0; i < 3 * count; i++) {
        uint32_t *local = &c->locals[c->vertices[3 * (size_t)triangles[i / 3] + i % 3]];
        *local = *local == BORDER_NONE ? vertices++ : *local;
    }
    return vertices;
}

static void place_vertex(const cutter *c, const frame *f, uint32_t vertex, island *out) {
    size_t local = c->locals[vertex];
    const float *at = flat_of(c, vertex);
    out->flat.uv[2 * local] = (float)((f->sign * (double)at[0] - f->low[0]) * c->scale);
    out->flat.uv[2 * local + 1] = (float)(((double)at[1] - f->low[1]) * c->scale);
    memcpy(out->positions + 3 * local, space_of(c, vertex), 3 * sizeof(float));
}

/* Triangles as they are in single precision. */
static toile_result measure_island(const cutter *c, const uint32_t *triangles, island *out) {
    for (size_t i = 0; i < out->flat.triangle_count; i++) {
        const uint32_t *v = out->flat.indices + 3 * i;
        double flat[3][2];
        const float *space[3];
        for (int k = 0; k < 3; k++) {
            flat[k][0] = (double)out->flat.uv[2 * (size_t)v[k]];
            flat[k][1] = (double)out->flat.uv[2 * (size_t)v[k] + 1];
            space[k] = out->positions + 3 * (size_t)v[k];
        }
        double area2 = (flat[1][0] - flat[0][0]) * (flat[2][1] - flat[0][1]) -
                       (flat[1][1] - flat[0][1]) * (flat[2][0] - flat[0][0]);
        if (!(area2 > 0.0)) {
            return error_set(TOILE_ERROR_FORMAT,
                             "'%s': triangle %u is too small for the size of its island", c->name,
                             triangles[i] + 1);
        }
        isometry_add(&out->isometry, triangles[i], (const double(*)[2])flat, space);
    }
    return TOILE_OK;
}

static toile_result find_outline(const cutter *c, const uint32_t *triangles, island *out) {
    uint32_t *next = memory_alloc(out->flat.vertex_count, sizeof *next, "a border");
    if (!next) {
        return TOILE_ERROR_MEMORY;
    }
    memset(next, 0xff, out->flat.vertex_count * sizeof *next); /* BORDER_NONE */
    toile_result result = TOILE_OK;
    for (size_t i = 0; i < 3 * (size_t)out->flat.triangle_count && result == TOILE_OK; i++) {
        size_t corner = 3 * (size_t)triangles[i / 3] + i % 3;
        uint32_t from = out->flat.indices[i];
        if (c->border[corner] && next[from] != BORDER_NONE) {
            const float *at = flat_of(c, c->vertices[corner]);
            result = error_set(TOILE_ERROR_FORMAT,
                               "'%s': the border of the flat pattern touches itself at (%g, %g), "
                               "where only a corner holds triangle %u",
                               c->name, (double)at[0], (double)at[1], triangles[i / 3] + 1);
        } else if (c->border[corner]) {
            next[from] = out->flat.indices[i % 3 == 2 ? i - 2 : i + 1];
        }
    }
    if (result == TOILE_OK) {
        result = border_outline(&out->flat, next, c->def->tolerance, &out->outline, &out->loops,
                                &out->curves);
        if (result != TOILE_OK) {
            error_prefix("'%s': ", c->name);
        }
    }
    free(next);
    return result;
}

static toile_result check_size(const cutter *c, size_t number, const frame *f, island *out) {
    for (int k = 0; k < 2; k++) {
        double size = (f->high[k] - f->low[k]) * c->scale;
        out->size[k] = (float)size;
        if (!(size <= WIDEST)) {
            return error_set(TOILE_ERROR_INVALID,
                             "'%s': island %zu of %zu is %.3g m wide at a scale of %g: expected at "
                             "most %g m",
                             c->name, number + 1, c->count, size, c->scale, WIDEST);
        }
    }
    return TOILE_OK;
}

static toile_result build_island(cutter *c, size_t number, island *out) {
    const uint32_t *triangles = c->order + c->starts[number];
    size_t count = c->starts[number + 1] - c->starts[number];
    toile_result result = check_sides(c, number, &out->mirrored);
    frame f = find_frame(c, triangles, count, out->mirrored);
    if (result == TOILE_OK) {
        result = check_size(c, number, &f, out);
    }
    if (result != TOILE_OK) {
        return result;
    }
    uint32_t vertices = number_vertices(c, triangles, count);
    result = flat_mesh_allocate(&out->flat, vertices, (uint32_t)count);
    out->positions = memory_alloc(vertices, 3 * sizeof *out->positions, "positions");
    if (result != TOILE_OK || !out->positions) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 3 * count; i++) {
        uint32_t vertex = c->vertices[3 * (size_t)triangles[i / 3] + i % 3];
        out->flat.indices[i] = c->locals[vertex];
        place_vertex(c, &f, vertex, out);
    }
    result = measure_island(c, triangles, out);
    return result == TOILE_OK ? find_outline(c, triangles, out) : result;
}

static toile_result check_isometry(const cutter *c, size_t number, const isometry *i) {
    double limit = c->def->limit;
    if (i->mean <= limit && i->max <= LIMIT_OF_WORST * limit) {
        return TOILE_OK;
    }
    double fitting;
    toile_result result = fit_scale(c, &fitting);
    if (result != TOILE_OK) {
        return result;
    }
    return error_set(
        TOILE_ERROR_INVALID,
        "'%s': island %zu of %zu is no flat pattern of its surface at a scale of %g: "
        "%s (triangle %zu); expected at most %g %% and %g %%. The scale of equal areas "
        "is %g",
        c->name, number + 1, c->count, c->scale, isometry_describe(i).text, i->worst + 1,
        100.0 * limit, 100.0 * LIMIT_OF_WORST * limit, fitting);
}

/* ---- the whole ----------------------------------------------------------------------------------
 */

static toile_result check_mesh(const cutter *c) {
    if (!c->mesh->coordinates) {
        return error_set(TOILE_ERROR_FORMAT,
                         "'%s' has no texture coordinates: expected its flat pattern there",
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

static void cutter_free(cutter *c) {
    free(c->vertices);
    free(c->area2);
    free(c->edges);
    free(c->parts);
    free(c->order);
    free(c->starts);
    free(c->locals);
    free(c->border);
}

static toile_result take_apart(cutter *c) {
    toile_result result = join_vertices(c);
    for (size_t t = 0; t < c->triangles && result == TOILE_OK; t++) {
        result = measure_triangle(c, t);
    }
    if (result == TOILE_OK) {
        result = join_triangles(c);
    }
    if (result == TOILE_OK) {
        result = number_islands(c);
    }
    c->scale = c->def->scale;
    if (result == TOILE_OK && c->scale == 0.0) {
        result = fit_scale(c, &c->scale);
    }
    return result;
}

static toile_result build_islands(cutter *c, islands *out) {
    out->scale = c->scale;
    out->items = memory_alloc(c->count, sizeof *out->items, "islands");
    if (!out->items) {
        return TOILE_ERROR_MEMORY;
    }
    for (out->count = 0; out->count < c->count;) {
        island *one = &out->items[out->count++];
        toile_result result = build_island(c, out->count - 1, one);
        if (result == TOILE_OK) {
            result = check_isometry(c, out->count - 1, &one->isometry);
        }
        if (result != TOILE_OK) {
            return result;
        }
        isometry_join(&out->isometry, &one->isometry);
    }
    return TOILE_OK;
}

toile_result islands_create(islands *out, const mesh_data *mesh, const islands_def *def,
                            const char *name) {
    *out = (islands){0};
    cutter c = {.name = name, .mesh = mesh, .def = def, .triangles = mesh->triangles};
    toile_result result = check_mesh(&c);
    if (result == TOILE_OK) {
        result = cutter_allocate(&c);
    }
    if (result == TOILE_OK) {
        result = take_apart(&c);
    }
    if (result == TOILE_OK) {
        result = build_islands(&c, out);
    }
    cutter_free(&c);
    if (result != TOILE_OK) {
        islands_free(out);
    }
    return result;
}

void islands_free(islands *all) {
    for (size_t i = 0; i < all->count; i++) {
        flat_mesh_free(&all->items[i].flat);
        free(all->items[i].positions);
        free(all->items[i].loops);
        free(all->items[i].curves);
    }
    free(all->items);
    *all = (islands){0};
}
