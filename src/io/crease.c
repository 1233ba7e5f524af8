#include "io/crease.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const double CREASE = 0.766; /* cosine of 40 degrees */

/* Where all normals are within 20 degrees of their mean, no two of them make a crease. */
static const double SMOOTH = 0.94;

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

static bool is_smooth(const corners *c, size_t begin, size_t end) {
    double sum[3] = {0.0, 0.0, 0.0};
    for (size_t i = begin; i < end; i++) {
        for (int k = 0; k < 3; k++) {
            sum[k] += c->normals[3 * (size_t)(c->list[i] / 3) + (size_t)k];
        }
    }
    const double squared = dot(sum, sum);
    bool smooth = squared > 0.0;
    for (size_t i = begin; i < end && smooth; i++) {
        const double *one = c->normals + 3 * (size_t)(c->list[i] / 3);
        smooth = dot(one, sum) >= SMOOTH * sqrt(dot(one, one) * squared);
    }
    return smooth;
}

/* The tip of a fan has one normal, and so has a vertex without creases: it is worked out once. */
static void fill_normals(const toile_mesh_def *def, const corners *c, float *normals) {
    for (size_t v = 0; v < def->vertices; v++) {
        const size_t begin = c->first[v], end = c->first[v + 1];
        bool tip = end - begin > MOST_COMPARED || is_smooth(c, begin, end);
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

static void free_corners(corners *c) {
    free(c->first);
    free(c->list);
    free(c->normals);
}

/* Normals of all corners; room for as many vertices. */
static toile_result begin_mesh(const toile_mesh_def *def, corners *c, mesh_data *out) {
    size_t count = 3 * def->triangle_count;
    *c = (corners){memory_alloc(def->vertices + 2, sizeof *c->first, "the normals of a mesh"),
                   memory_alloc(count, sizeof *c->list, "the normals of a mesh"),
                   memory_alloc(count, sizeof *c->normals, "the normals of a mesh")};
    if (!c->first || !c->list || !c->normals ||
        !mesh_allocate(out, count, def->triangle_count, true, false)) {
        free_corners(c);
        return TOILE_ERROR_MEMORY;
    }
    collect(def, c);
    return TOILE_OK;
}

toile_result mesh_make_creased(const toile_mesh_def *def, mesh_data *out) {
    corners c;
    toile_result result = begin_mesh(def, &c, out);
    if (result != TOILE_OK) {
        return result;
    }
    fill_normals(def, &c, out->normals);
    for (size_t i = 0; i < 3 * def->triangle_count; i++) {
        out->indices[i] = (uint32_t)i;
        memcpy(out->positions + 3 * i, def->positions + 3 * (size_t)def->triangles[i],
               3 * sizeof *out->positions);
    }
    free_corners(&c);
    return TOILE_OK;
}

/* The vertex from `first` on that has a normal: one that is there, or a new one. */
static size_t share_vertex(mesh_data *out, size_t first, const float *place, const float *normal) {
    for (size_t i = first; i < out->vertices; i++) {
        if (memcmp(out->normals + 3 * i, normal, 3 * sizeof *normal) == 0) {
            return i;
        }
    }
    memcpy(out->positions + 3 * out->vertices, place, 3 * sizeof *place);
    memcpy(out->normals + 3 * out->vertices, normal, 3 * sizeof *normal);
    return out->vertices++;
}

toile_result mesh_make_shared(const toile_mesh_def *def, mesh_data *out) {
    corners c;
    toile_result result = begin_mesh(def, &c, out);
    if (result != TOILE_OK) {
        return result;
    }
    float *normals = memory_alloc(3 * def->triangle_count, 3 * sizeof *normals, "normals");
    if (normals) {
        fill_normals(def, &c, normals);
        out->vertices = 0;
        for (size_t v = 0; v < def->vertices; v++) {
            const size_t first = out->vertices;
            for (size_t i = c.first[v]; i < c.first[v + 1]; i++) {
                const uint32_t corner = c.list[i];
                out->indices[corner] = (uint32_t)share_vertex(out, first, def->positions + 3 * v,
                                                              normals + 3 * (size_t)corner);
            }
        }
    } else {
        result = TOILE_ERROR_MEMORY;
        mesh_free(out);
    }
    free(normals);
    free_corners(&c);
    return result;
}
