#include "render/coarse.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Cells lie around the points of a grid that reaches exactly from side to side, so that the outline
 * keeps its place. */
typedef struct cells {
    float low[2];
    float width[2]; /* m */
    size_t count[2];
} cells;

typedef struct winner {
    float distance;  /* squared, from the middle of the cell, in cells */
    uint32_t vertex; /* of the mesh */
    uint32_t place;  /* in the coarse mesh */
} winner;

static cells cover(const mesh_view *mesh, float cell) {
    float low[2] = {FLT_MAX, FLT_MAX}, high[2] = {-FLT_MAX, -FLT_MAX};
    for (size_t i = 0; i < 2 * mesh->vertices; i++) {
        low[i % 2] = fminf(low[i % 2], mesh->coordinates[i]);
        high[i % 2] = fmaxf(high[i % 2], mesh->coordinates[i]);
    }
    cells c = {{low[0], low[1]}, {1.0f, 1.0f}, {1, 1}};
    /* More cells than vertices along one side are no use. */
    float most = (float)mesh->vertices;
    for (int i = 0; i < 2; i++) {
        float size = high[i] - low[i];
        if (size > 0.0f) {
            float steps = fminf(ceilf(size / cell), most);
            c.width[i] = size / steps;
            c.count[i] = (size_t)steps + 1;
        }
    }
    return c;
}

static size_t cell_of(const cells *c, const float at[2], float *distance) {
    size_t index[2];
    *distance = 0.0f;
    for (int i = 0; i < 2; i++) {
        float place = (at[i] - c->low[i]) / c->width[i];
        float middle = fminf(floorf(place + 0.5f), (float)(c->count[i] - 1));
        index[i] = (size_t)middle;
        *distance += (place - middle) * (place - middle);
    }
    return index[1] * c->count[0] + index[0];
}

/* Who stays in each cell; returns how many cells have anyone. */
static size_t elect(const mesh_view *mesh, const cells *c, winner *winners) {
    size_t filled = 0;
    for (size_t i = 0; i < c->count[0] * c->count[1]; i++) {
        winners[i].distance = INFINITY;
    }
    for (size_t i = 0; i < mesh->vertices; i++) {
        float distance;
        winner *w = &winners[cell_of(c, mesh->coordinates + 2 * i, &distance)];
        if (w->distance == INFINITY) {
            w->place = (uint32_t)filled++;
        }
        if (distance < w->distance) {
            w->distance = distance;
            w->vertex = (uint32_t)i;
        }
    }
    return filled;
}

/* ---- plans --------------------------------------------------------------------------------------
 */

static void plan_free(coarse_plan *p) {
    free(p->vertices);
    free(p->indices);
    *p = (coarse_plan){0};
}

static bool plan_allocate(coarse_plan *p, size_t vertices, size_t triangles) {
    p->vertices = memory_alloc(vertices, sizeof *p->vertices, "the shadow of a cloth");
    p->indices = memory_alloc(triangles, 3 * sizeof *p->indices, "the shadow of a cloth");
    p->vertex_count = vertices;
    return p->vertices && p->indices;
}

static void merge(const mesh_view *mesh, const cells *c, const winner *winners, coarse_plan *p) {
    for (size_t i = 0; i < c->count[0] * c->count[1]; i++) {
        if (winners[i].distance < INFINITY) {
            p->vertices[winners[i].place] = winners[i].vertex;
        }
    }
    for (size_t i = 0; i < mesh->triangles; i++) {
        uint32_t corners[3];
        for (int k = 0; k < 3; k++) {
            float unused;
            size_t vertex = mesh->indices[3 * i + (size_t)k];
            corners[k] = winners[cell_of(c, mesh->coordinates + 2 * vertex, &unused)].place;
        }
        if (corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0]) {
            memcpy(p->indices + 3 * p->triangles++, corners, sizeof corners);
        }
    }
}

static toile_result keep_all(const mesh_view *mesh, coarse_plan *p) {
    if (!plan_allocate(p, mesh->vertices, mesh->triangles)) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t i = 0; i < mesh->vertices; i++) {
        p->vertices[i] = (uint32_t)i;
    }
    memcpy(p->indices, mesh->indices, 3 * mesh->triangles * sizeof *p->indices);
    p->triangles = mesh->triangles;
    return TOILE_OK;
}

/* On error there is nothing to free. */
static toile_result plan_make(const mesh_view *mesh, float cell, coarse_plan *p) {
    *p = (coarse_plan){.cell = cell};
    cells c = cover(mesh, cell);
    toile_result result = TOILE_OK;
    if (c.count[0] > mesh->vertices / c.count[1]) {
        result = keep_all(mesh, p); /* about as fine as it is */
    } else {
        winner *winners =
            memory_alloc(c.count[0] * c.count[1], sizeof *winners, "the shadow of a cloth");
        bool made = winners && plan_allocate(p, elect(mesh, &c, winners), mesh->triangles);
        if (made) {
            merge(mesh, &c, winners, p);
        }
        free(winners);
        result = made ? TOILE_OK : TOILE_ERROR_MEMORY;
    }
    if (result != TOILE_OK) {
        plan_free(p);
    }
    return result;
}

static toile_result plan_follow(const coarse_plan *p, const mesh_view *mesh, mesh_data *out) {
    if (!mesh_allocate(out, p->vertex_count, p->triangles, false, false)) {
        return error_set(TOILE_ERROR_MEMORY, "not enough memory for the shadow of %zu vertices",
                         p->vertex_count);
    }
    for (size_t i = 0; i < p->vertex_count; i++) {
        memcpy(out->positions + 3 * i, mesh->positions + 3 * (size_t)p->vertices[i],
               3 * sizeof(float));
    }
    memcpy(out->indices, p->indices, 3 * p->triangles * sizeof *p->indices);
    return TOILE_OK;
}

toile_result coarse_mesh_make(const mesh_view *mesh, float cell, mesh_data *out) {
    *out = (mesh_data){0};
    if (mesh->vertices == 0) {
        return TOILE_OK;
    }
    coarse_plan p;
    toile_result result = plan_make(mesh, cell, &p);
    if (result == TOILE_OK) {
        result = plan_follow(&p, mesh, out);
        plan_free(&p);
    }
    return result;
}

/* ---- the store ----------------------------------------------------------------------------------
 */

/* A plan serves as long as its cells are not much smaller than asked for: what is shown may grow
 * with each frame, and the cells with it. */
static const float SMALLEST = 0.7f;

/* The one with the largest cells that will do. */
static coarse_plan *find_plan(coarse_store *s, uint64_t pattern, float cell) {
    coarse_plan *best = NULL;
    for (size_t i = 0; i < s->count; i++) {
        coarse_plan *p = &s->plans[i];
        if (p->pattern == pattern && p->cell <= cell && p->cell >= SMALLEST * cell &&
            (!best || p->cell > best->cell)) {
            best = p;
        }
    }
    return best;
}

static toile_result add_plan(coarse_store *s, const mesh_view *mesh, uint64_t pattern, float cell,
                             coarse_plan **out) {
    coarse_plan *plans = memory_grow(s->plans, s->count, &s->capacity, sizeof *plans, "shadows");
    if (!plans) {
        return TOILE_ERROR_MEMORY;
    }
    s->plans = plans;
    toile_result result = plan_make(mesh, cell, &plans[s->count]);
    if (result == TOILE_OK) {
        *out = &plans[s->count++];
        (*out)->pattern = pattern;
    }
    return result;
}

toile_result coarse_store_plan(coarse_store *s, const mesh_view *mesh, uint64_t pattern, float cell,
                               const coarse_plan **out) {
    coarse_plan *p = find_plan(s, pattern, cell);
    toile_result result = p ? TOILE_OK : add_plan(s, mesh, pattern, cell, &p);
    if (result == TOILE_OK) {
        p->used = true;
        *out = p;
    }
    return result;
}

toile_result coarse_store_make(coarse_store *s, const mesh_view *mesh, uint64_t pattern, float cell,
                               mesh_data *out) {
    if (pattern == 0 || mesh->vertices == 0) {
        return coarse_mesh_make(mesh, cell, out);
    }
    *out = (mesh_data){0};
    const coarse_plan *p;
    toile_result result = coarse_store_plan(s, mesh, pattern, cell, &p);
    return result == TOILE_OK ? plan_follow(p, mesh, out) : result;
}

void coarse_store_sweep(coarse_store *s) {
    size_t left = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->plans[i].used) {
            s->plans[i].used = false;
            s->plans[left++] = s->plans[i];
        } else {
            plan_free(&s->plans[i]);
        }
    }
    s->count = left;
}

void coarse_store_free(coarse_store *s) {
    for (size_t i = 0; i < s->count; i++) {
        plan_free(&s->plans[i]);
    }
    free(s->plans);
    *s = (coarse_store){0};
}
