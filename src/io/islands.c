#include "io/islands.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/border.h"
#include "io/cutter.h"

static const double WIDEST = 1e4;         /* m, of a piece of cloth */
static const double LIMIT_OF_WORST = 5.0; /* times the limit of the mean */

/* ---- one island ---------------------------------------------------------------------------------
 */

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
            const float *at = cutter_flat(c, c->vertices[3 * (size_t)*t]);
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

typedef struct frame {
    double low[2]; /* of the box, units, u turned round where it is mirrored */
    double high[2];
    double sign;  /* of u */
    double scale; /* m a unit */
} frame;

static frame find_frame(const cutter *c, const uint32_t *triangles, size_t count, bool mirrored,
                        double scale) {
    frame f = {{DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX}, mirrored ? -1.0 : 1.0, scale};
    for (size_t i = 0; i < 3 * count; i++) {
        const float *at = cutter_flat(c, c->vertices[3 * (size_t)triangles[i / 3] + i % 3]);
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
    const float *at = cutter_flat(c, vertex);
    out->flat.uv[2 * local] = (float)((f->sign * (double)at[0] - f->low[0]) * f->scale);
    out->flat.uv[2 * local + 1] = (float)(((double)at[1] - f->low[1]) * f->scale);
    memcpy(out->positions + 3 * local, cutter_space(c, vertex), 3 * sizeof(float));
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

static toile_result find_outline(const cutter *c, const uint32_t *triangles, double tolerance,
                                 island *out) {
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
            const float *at = cutter_flat(c, c->vertices[corner]);
            result = error_set(TOILE_ERROR_FORMAT,
                               "'%s': the border of the flat pattern touches itself at (%g, %g), "
                               "where only a corner holds triangle %u",
                               c->name, (double)at[0], (double)at[1], triangles[i / 3] + 1);
        } else if (c->border[corner]) {
            next[from] = out->flat.indices[i % 3 == 2 ? i - 2 : i + 1];
        }
    }
    if (result == TOILE_OK) {
        result =
            border_outline(&out->flat, next, tolerance, &out->outline, &out->loops, &out->curves);
        if (result != TOILE_OK) {
            error_prefix("'%s': ", c->name);
        }
    }
    free(next);
    return result;
}

static toile_result check_size(const cutter *c, size_t number, const frame *f, island *out) {
    for (int k = 0; k < 2; k++) {
        double size = (f->high[k] - f->low[k]) * f->scale;
        out->size[k] = (float)size;
        if (!(size <= WIDEST)) {
            return error_set(TOILE_ERROR_INVALID,
                             "'%s': island %zu of %zu is %.3g m wide at a scale of %g: expected at "
                             "most %g m",
                             c->name, number + 1, c->count, size, f->scale, WIDEST);
        }
    }
    return TOILE_OK;
}

static toile_result build_island(cutter *c, size_t number, const islands_def *def, island *out) {
    const uint32_t *triangles = c->order + c->starts[number];
    size_t count = c->starts[number + 1] - c->starts[number];
    toile_result result = check_sides(c, number, &out->mirrored);
    frame f = find_frame(c, triangles, count, out->mirrored, def->scale);
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
    return result == TOILE_OK ? find_outline(c, triangles, def->tolerance, out) : result;
}

static toile_result check_isometry(const cutter *c, size_t number, const islands_def *def,
                                   const isometry *i) {
    double limit = def->limit;
    if (i->mean <= limit && i->max <= LIMIT_OF_WORST * limit) {
        return TOILE_OK;
    }
    double fitting;
    toile_result result = cutter_fit_scale(c, &fitting);
    if (result != TOILE_OK) {
        return result;
    }
    return error_set(
        TOILE_ERROR_INVALID,
        "'%s': island %zu of %zu is no flat pattern of its surface at a scale of %g: "
        "%s (triangle %zu); expected at most %g %% and %g %%. The scale of equal areas "
        "is %g",
        c->name, number + 1, c->count, def->scale, isometry_describe(i).text, i->worst + 1,
        100.0 * limit, 100.0 * LIMIT_OF_WORST * limit, fitting);
}

/* ---- the whole ----------------------------------------------------------------------------------
 */

static toile_result build_islands(cutter *c, const islands_def *def, islands *out) {
    out->scale = def->scale;
    out->items = memory_alloc(c->count, sizeof *out->items, "islands");
    if (!out->items) {
        return TOILE_ERROR_MEMORY;
    }
    for (out->count = 0; out->count < c->count;) {
        island *one = &out->items[out->count++];
        toile_result result = build_island(c, out->count - 1, def, one);
        if (result == TOILE_OK) {
            result = check_isometry(c, out->count - 1, def, &one->isometry);
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
    cutter c;
    toile_result result = cutter_create(&c, mesh, name);
    if (result != TOILE_OK) {
        return result;
    }
    islands_def scaled = *def;
    if (scaled.scale == 0.0) {
        result = cutter_fit_scale(&c, &scaled.scale);
    }
    if (result == TOILE_OK) {
        result = build_islands(&c, &scaled, out);
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
