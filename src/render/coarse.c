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

static void merge(const mesh_view *mesh, const cells *c, const winner *winners, mesh_data *out) {
    for (size_t i = 0; i < c->count[0] * c->count[1]; i++) {
        if (winners[i].distance < INFINITY) {
            memcpy(out->positions + 3 * winners[i].place,
                   mesh->positions + 3 * (size_t)winners[i].vertex, 3 * sizeof(float));
        }
    }
    out->triangles = 0;
    for (size_t i = 0; i < mesh->triangles; i++) {
        uint32_t corners[3];
        for (int k = 0; k < 3; k++) {
            float unused;
            size_t vertex = mesh->indices[3 * i + (size_t)k];
            corners[k] = winners[cell_of(c, mesh->coordinates + 2 * vertex, &unused)].place;
        }
        if (corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0]) {
            memcpy(out->indices + 3 * out->triangles++, corners, sizeof corners);
        }
    }
}

static toile_result copy(const mesh_view *mesh, mesh_data *out) {
    if (!mesh_allocate(out, mesh->vertices, mesh->triangles, false, false)) {
        return error_set(TOILE_ERROR_MEMORY, "not enough memory for the shadow of %zu vertices",
                         mesh->vertices);
    }
    memcpy(out->positions, mesh->positions, 3 * mesh->vertices * sizeof(float));
    memcpy(out->indices, mesh->indices, 3 * mesh->triangles * sizeof(uint32_t));
    return TOILE_OK;
}

toile_result coarse_mesh_make(const mesh_view *mesh, float cell, mesh_data *out) {
    *out = (mesh_data){0};
    if (mesh->vertices == 0) {
        return TOILE_OK;
    }
    cells c = cover(mesh, cell);
    if (c.count[0] > mesh->vertices / c.count[1]) {
        return copy(mesh, out); /* about as fine as it is */
    }
    winner *winners =
        memory_alloc(c.count[0] * c.count[1], sizeof *winners, "the shadow of a cloth");
    if (!winners) {
        return TOILE_ERROR_MEMORY;
    }
    size_t filled = elect(mesh, &c, winners);
    bool made = mesh_allocate(out, filled, mesh->triangles, false, false);
    if (made) {
        merge(mesh, &c, winners, out);
    }
    free(winners);
    return made ? TOILE_OK
                : error_set(TOILE_ERROR_MEMORY, "not enough memory for the shadow of %zu vertices",
                            mesh->vertices);
}
