#include "io/crease.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const double CREASE = 0.766; /* cosine of 40 degrees */

/* A vertex with more triangles is the tip of a fan: its normal is that of all of them. What is
 * compared with what would grow with the square of their number. */
enum { MOST_COMPARED = 64 };

typedef struct corners {
    size_t *first;   /* a vertex, and one more: where its corners begin in the list */
    uint32_t *list;  /* of corners, by vertex */
    double *normals; /* 3 a triangle: as long as twice its area */
} corners;

static void find_area_normal(const toile_mesh_def *def, size_t triangle, double out[3]) {
    const float *p[3];
    for (size_t k = 0; k < 3; k++) {
        p[k] = def->positions + 3 * (size_t)def->triangles[3 * triangle + k];
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = ((double)p[1][i] - (double)p[0][i]) * ((double)p[2][j] - (double)p[0][j]) -
                 ((double)p[1][j] - (double)p[0][j]) * ((double)p[2][i] - (double)p[0][i]);
    }
}

static void collect(const toile_mesh_def *def, corners *c) {
    size_t count = 3 * def->triangle_count;
    for (size_t i = 0; i < count; i++) {
        c->first[def->triangles[i] + 1]++;
    }
    for (size_t v = 0; v < def->vertices; v++) {
        c->first[v + 1] += c->first[v];
    }
    /* Filled from their ends, so that each first is where its corners begin afterwards. */
    for (size_t i = count; i-- > 0;) {
        c->list[--c->first[def->triangles[i] + 1]] = (uint32_t)i;
    }
    memmove(c->first, c->first + 1, def->vertices * sizeof *c->first);
    c->first[def->vertices] = count;
    for (size_t t = 0; t < def->triangle_count; t++) {
        find_area_normal(def, t, c->normals + 3 * t);
    }
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void corner_normal(const toile_mesh_def *def, const corners *c, size_t corner,
                          float out[3]) {
    const double *own = c->normals + 3 * (corner / 3);
    size_t begin = c->first[def->triangles[corner]], end = c->first[def->triangles[corner] + 1];
    double sum[3] = {0.0, 0.0, 0.0};
    for (size_t i = begin; i < end; i++) {
        const double *other = c->normals + 3 * (size_t)(c->list[i] / 3);
        double least = CREASE * sqrt(dot(own, own) * dot(other, other));
        if (end - begin > MOST_COMPARED || dot(own, other) >= least) {
            for (int k = 0; k < 3; k++) {
                sum[k] += other[k];
            }
        }
    }
    double length = sqrt(dot(sum, sum));
    for (int k = 0; k < 3; k++) {
        out[k] = length > 0.0 ? (float)(sum[k] / length) : (float)(k == 1);
    }
}

/* The tip of a fan has one normal, which is worked out once. */
static void fill_normals(const toile_mesh_def *def, const corners *c, float *normals) {
    for (size_t v = 0; v < def->vertices; v++) {
        bool tip = c->first[v + 1] - c->first[v] > MOST_COMPARED;
        for (size_t i = c->first[v]; i < c->first[v + 1]; i++) {
            float *normal = normals + 3 * (size_t)c->list[i];
            if (tip && i > c->first[v]) {
                memcpy(normal, normals + 3 * (size_t)c->list[i - 1], 3 * sizeof *normal);
            } else {
                corner_normal(def, c, c->list[i], normal);
            }
        }
    }
}

toile_result mesh_make_creased(const toile_mesh_def *def, mesh_data *out) {
    size_t count = 3 * def->triangle_count;
    corners c = {memory_alloc(def->vertices + 2, sizeof *c.first, "the normals of a mesh"),
                 memory_alloc(count, sizeof *c.list, "the normals of a mesh"),
                 memory_alloc(count, sizeof *c.normals, "the normals of a mesh")};
    toile_result result = c.first && c.list && c.normals &&
                                  mesh_allocate(out, count, def->triangle_count, true, false)
                              ? TOILE_OK
                              : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        collect(def, &c);
        fill_normals(def, &c, out->normals);
        for (size_t i = 0; i < count; i++) {
            out->indices[i] = (uint32_t)i;
            memcpy(out->positions + 3 * i, def->positions + 3 * (size_t)def->triangles[i],
                   3 * sizeof *out->positions);
        }
    }
    free(c.first);
    free(c.list);
    free(c.normals);
    return result;
}
