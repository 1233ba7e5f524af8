#include "cook/mapping.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "kernel/mapping.h"

enum { NONE = UINT32_MAX };

/* How many texels off its own square a vertex may look for one that exists. */
enum { SEARCH_REACH = 32 };

/* ---- sampling ----------------------------------------------------------------------------------
 */

/* A triangle and the corners it has. */
typedef struct drawn {
    uint32_t index;
    uint32_t vertices[3];
    double u[3], v[3]; /* m */
    int outer;         /* bits */
} drawn;

/* Which triangle each texel gets. */
typedef struct owners {
    const flat_mesh *mesh;
    const grid *g;
    const uint8_t *mask;
    uint32_t *triangle; /* NONE so far, or of an absent texel */
    float *distance;    /* m^2, of a texel outside to its triangle; -1 when it is settled */
} owners;

static drawn get_triangle(const flat_mesh *mesh, uint32_t index, const uint8_t *outer) {
    drawn t = {.index = index, .outer = outer[index]};
    for (int k = 0; k < 3; k++) {
        t.vertices[k] = mesh->indices[3 * (size_t)index + (size_t)k];
        t.u[k] = (double)mesh->uv[2 * (size_t)t.vertices[k]];
        t.v[k] = (double)mesh->uv[2 * (size_t)t.vertices[k] + 1];
    }
    return t;
}

static double orientation(double a_u, double a_v, double b_u, double b_v, double u, double v) {
    return (b_u - a_u) * (v - a_v) - (b_v - a_v) * (u - a_u);
}

/* The side of the edge from corner k a place is on, positive inside. The two triangles of an edge
 * compute it from the same end, so that they agree to the bit. */
static double edge_side(const drawn *t, int k, double u, double v) {
    int next = (k + 1) % 3;
    bool turned = t->vertices[k] > t->vertices[next];
    int a = turned ? next : k, b = turned ? k : next;
    double side = orientation(t->u[a], t->v[a], t->u[b], t->v[b], u, v);
    return turned ? -side : side;
}

/* Inside, where a place on an edge belongs to the triangle that has it as a left or top edge. */
static bool holds(const drawn *t, double u, double v) {
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        double side = edge_side(t, k, u, v);
        bool left = t->v[next] < t->v[k];
        bool top = t->v[next] == t->v[k] && t->u[next] < t->u[k];
        if (side < 0.0 || (side == 0.0 && !left && !top)) {
            return false;
        }
    }
    return true;
}

static double squared_distance(const drawn *t, double u, double v) {
    double least = INFINITY;
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        inside = inside && edge_side(t, k, u, v) >= 0.0;
        double du = t->u[next] - t->u[k], dv = t->v[next] - t->v[k];
        double along = ((u - t->u[k]) * du + (v - t->v[k]) * dv) / (du * du + dv * dv);
        along = fmin(fmax(along, 0.0), 1.0);
        double off_u = u - t->u[k] - along * du, off_v = v - t->v[k] - along * dv;
        least = fmin(least, off_u * off_u + off_v * off_v);
    }
    return inside ? 0.0 : least;
}

typedef struct box {
    int low[2], high[2]; /* columns and rows, both ends in it; empty when high < low */
} box;

/* Texels around a triangle, up to `margin` metres off. */
static box box_around(const drawn *t, const grid *g, double margin) {
    double spacing = (double)g->spacing;
    double low_u = fmin(t->u[0], fmin(t->u[1], t->u[2])) - margin;
    double low_v = fmin(t->v[0], fmin(t->v[1], t->v[2])) - margin;
    double high_u = fmax(t->u[0], fmax(t->u[1], t->u[2])) + margin;
    double high_v = fmax(t->v[0], fmax(t->v[1], t->v[2])) + margin;
    return (box){{(int)fmax(ceil(low_u / spacing), 0.0), (int)fmax(ceil(low_v / spacing), 0.0)},
                 {(int)fmin(floor(high_u / spacing), (double)g->columns - 1.0),
                  (int)fmin(floor(high_v / spacing), (double)g->rows - 1.0)}};
}

/* The edges as lines that are seen from corner 0, the outer ones shifted by the border. */
static void get_lines(const drawn *t, float spacing, v3 lines[3]) {
    float u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = (float)(t->u[k] - t->u[0]);
        v[k] = (float)(t->v[k] - t->v[0]);
    }
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        lines[k] = line_through(u[k], v[k], u[next], v[next]);
        if (t->outer >> k & 1) {
            lines[k] = line_shift_by_cell(lines[k], spacing);
        }
    }
}

/* The part of a row on the inner side of all three lines, in metres from corner 0. */
static void cut_row(const v3 lines[3], float v, double *low, double *high) {
    for (int k = 0; k < 3; k++) {
        float rest = lines[k].y * v + lines[k].z;
        if (lines[k].x > 0.0f) {
            *high = fmin(*high, -(double)rest / (double)lines[k].x);
        } else if (lines[k].x < 0.0f) {
            *low = fmax(*low, -(double)rest / (double)lines[k].x);
        } else if (rest > 0.0f) {
            *high = -INFINITY;
        }
    }
}

/* Gives the triangle those texels that it holds and, with `border`, of the others those that its
 * border covers and that it is nearest to so far.
 *
 * At sharp corners shifted edges meet far outside. As in the second algorithm of Hasselgren 2005, a
 * border ends where the box around the triangle, grown by half a cell, does: beyond it no cell can
 * touch the triangle. */
static void draw(owners *o, const drawn *t, bool border) {
    const grid *g = o->g;
    double spacing = (double)g->spacing;
    v3 lines[3];
    get_lines(t, g->spacing, lines);
    box b = box_around(t, g, border ? 0.5 * spacing : 0.0);
    for (int row = b.low[1]; row <= b.high[1]; row++) {
        double v = row * spacing;
        double low = b.low[0] * spacing - t->u[0], high = b.high[0] * spacing - t->u[0];
        cut_row(lines, (float)(v - t->v[0]), &low, &high);
        /* a texel more on both sides: rounding decides nothing inside, and little outside */
        double first = fmax(floor((low + t->u[0]) / spacing), (double)b.low[0]);
        double last = fmin(ceil((high + t->u[0]) / spacing), (double)b.high[0]);
        for (int column = (int)first; last >= first && column <= (int)last; column++) {
            size_t at = (size_t)row * (size_t)g->columns + (size_t)column;
            double u = column * spacing;
            if (!o->mask[at] || o->distance[at] < 0.0f) {
                continue;
            }
            if (!border) {
                if (holds(t, u, v)) {
                    o->triangle[at] = t->index;
                    o->distance[at] = -1.0f;
                }
            } else if (u - t->u[0] >= low && u - t->u[0] <= high) {
                float distance = (float)squared_distance(t, u, v);
                if (distance < o->distance[at]) {
                    o->triangle[at] = t->index;
                    o->distance[at] = distance;
                }
            }
        }
    }
}

/* Gives the triangle the texels without one that are within `reach` metres and nearest to it. */
static void attract(owners *o, const drawn *t, double reach) {
    double spacing = (double)o->g->spacing;
    box b = box_around(t, o->g, reach);
    for (int row = b.low[1]; row <= b.high[1]; row++) {
        for (int column = b.low[0]; column <= b.high[0]; column++) {
            size_t at = (size_t)row * (size_t)o->g->columns + (size_t)column;
            if (!o->mask[at] || o->distance[at] < 0.0f) {
                continue;
            }
            float distance = (float)squared_distance(t, column * spacing, row * spacing);
            if (distance < o->distance[at] && (double)distance <= reach * reach) {
                o->triangle[at] = t->index;
                o->distance[at] = distance;
            }
        }
    }
}

/* Settles the texels that have a triangle, and returns how many have none. */
static size_t settle(owners *o) {
    size_t missing = 0;
    for (size_t i = 0; i < grid_texels(o->g); i++) {
        if (o->triangle[i] != NONE) {
            o->distance[i] = -1.0f;
        } else if (o->mask[i]) {
            missing++;
        }
    }
    return missing;
}

static toile_result find_owners(owners *o, const uint8_t *outer) {
    for (uint32_t i = 0; i < o->mesh->triangle_count; i++) {
        drawn t = get_triangle(o->mesh, i, outer);
        if (!(orientation(t.u[0], t.v[0], t.u[1], t.v[1], t.u[2], t.v[2]) > 0.0)) {
            return error_set(TOILE_ERROR_INVALID,
                             "triangle %" PRIu32 " of a panel's mesh has no area or runs clockwise",
                             i);
        }
        draw(o, &t, false);
    }
    for (uint32_t i = 0; i < o->mesh->triangle_count; i++) {
        if (outer[i]) {
            drawn t = get_triangle(o->mesh, i, outer);
            draw(o, &t, true);
        }
    }
    /* Texels that exist only to make squares whole: the nearest triangle, which has an outer edge
     * or at least an end of one. */
    double widest = (double)o->g->spacing * hypot(o->g->columns, o->g->rows);
    double reach = (double)o->g->spacing;
    for (size_t missing = settle(o); missing > 0; missing = settle(o)) {
        if (reach > 4.0 * widest || o->mesh->triangle_count == 0) {
            return error_set(TOILE_ERROR_INVALID, "%zu texels are too far from their panel's mesh",
                             missing);
        }
        reach *= 2.0;
        for (uint32_t i = 0; i < o->mesh->triangle_count; i++) {
            if (outer[i]) {
                drawn t = get_triangle(o->mesh, i, outer);
                attract(o, &t, reach);
            }
        }
    }
    return TOILE_OK;
}

static void set_weights(sampling *s, const owners *o) {
    double spacing = (double)o->g->spacing;
    size_t columns = (size_t)o->g->columns;
    for (size_t i = 0; i < grid_texels(o->g); i++) {
        if (o->triangle[i] == NONE) {
            continue;
        }
        const uint32_t *corners = o->mesh->indices + 3 * (size_t)o->triangle[i];
        const float *a = o->mesh->uv + 2 * (size_t)corners[0];
        const float *b = o->mesh->uv + 2 * (size_t)corners[1];
        const float *c = o->mesh->uv + 2 * (size_t)corners[2];
        size_t column = i % columns, row = i / columns;
        float u = (float)((double)column * spacing - (double)a[0]);
        float v = (float)((double)row * spacing - (double)a[1]);
        v3 w = triangle_weights(b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1], u, v);
        memcpy(s->vertices + 3 * i, corners, 3 * sizeof *corners);
        s->weights[3 * i] = w.z;
        s->weights[3 * i + 1] = w.x;
        s->weights[3 * i + 2] = w.y;
    }
}

toile_result sampling_create(sampling *s, const flat_mesh *mesh, const grid *g,
                             const uint8_t *mask) {
    size_t texels = grid_texels(g);
    *s = (sampling){memory_alloc(3 * texels, sizeof *s->vertices, "samples of a panel"),
                    memory_alloc(3 * texels, sizeof *s->weights, "samples of a panel")};
    owners o = {.mesh = mesh,
                .g = g,
                .mask = mask,
                .triangle = memory_alloc(texels, sizeof *o.triangle, "samples of a panel"),
                .distance = memory_alloc(texels, sizeof *o.distance, "samples of a panel")};
    uint8_t *outer = flat_mesh_outer_edges(mesh);
    toile_result result = TOILE_ERROR_MEMORY;
    if (s->vertices && s->weights && o.triangle && o.distance && outer) {
        for (size_t i = 0; i < texels; i++) {
            o.triangle[i] = NONE;
            o.distance[i] = INFINITY;
        }
        result = find_owners(&o, outer);
    }
    if (result == TOILE_OK) {
        set_weights(s, &o);
    } else {
        sampling_free(s);
    }
    free(o.triangle);
    free(o.distance);
    free(outer);
    return result;
}

void sampling_free(sampling *s) {
    free(s->vertices);
    free(s->weights);
    *s = (sampling){0};
}

static v3 load(const float *values, size_t at) {
    return v3_make(values[3 * at], values[3 * at + 1], values[3 * at + 2]);
}

static void store(float *values, size_t at, v3 value) {
    values[3 * at] = value.x;
    values[3 * at + 1] = value.y;
    values[3 * at + 2] = value.z;
}

void sample_vectors(const sampling *s, const grid *g, const float *vertices, float *texels) {
    for (size_t i = 0; i < grid_texels(g); i++) {
        const uint32_t *corners = s->vertices + 3 * i;
        const float *weights = s->weights + 3 * i;
        bool exists = weights[0] != 0.0f || weights[1] != 0.0f || weights[2] != 0.0f;
        v3 value = triangle_value(load(vertices, corners[0]), load(vertices, corners[1]),
                                  load(vertices, corners[2]), weights[1], weights[2]);
        store(texels, i, v3_select(exists, value, v3_make(0.0f, 0.0f, 0.0f)));
    }
}

/* ---- projection --------------------------------------------------------------------------------
 */

static bool is_whole(const grid *g, const uint8_t *mask, int column, int row) {
    if (column < 0 || row < 0 || column >= g->columns - 1 || row >= g->rows - 1) {
        return false;
    }
    const uint8_t *m = mask + (size_t)row * (size_t)g->columns + (size_t)column;
    return m[0] && m[1] && m[g->columns] && m[g->columns + 1];
}

/* Schmitt goes through higher and higher offsets from the square a vertex lies in and takes the
 * first whole one. Here the order is that of the distance of the squares' middles from the vertex,
 * and from below and the left among equals: the first is the vertex's own square, and of those
 * beside it the one that is extrapolated from least comes first. */
static bool find_square(const grid *g, const uint8_t *mask, double u, double v, int square[2]) {
    int column = (int)floor(u), row = (int)floor(v);
    double best = INFINITY;
    for (int ring = 0; ring <= SEARCH_REACH && (ring - 0.5) * (ring - 0.5) <= best; ring++) {
        for (int j = row - ring; j <= row + ring; j++) {
            bool whole_row = j == row - ring || j == row + ring;
            for (int i = column - ring; i <= column + ring;
                 i += whole_row || ring == 0 ? 1 : 2 * ring) {
                double off_u = u - i - 0.5, off_v = v - j - 0.5;
                double distance = off_u * off_u + off_v * off_v;
                bool before =
                    distance < best ||
                    (distance == best && (j < square[1] || (j == square[1] && i < square[0])));
                if (before && is_whole(g, mask, i, j)) {
                    best = distance;
                    square[0] = i;
                    square[1] = j;
                }
            }
        }
    }
    return best < INFINITY;
}

toile_result projection_create(projection *p, const flat_mesh *mesh, const grid *g,
                               const uint8_t *mask) {
    *p = (projection){
        memory_alloc(mesh->vertex_count, sizeof *p->texels, "projection of a panel"),
        memory_alloc(mesh->vertex_count, 2 * sizeof *p->fractions, "projection of a panel")};
    if (!p->texels || !p->fractions) {
        projection_free(p);
        return TOILE_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        double u = (double)mesh->uv[2 * (size_t)i] / (double)g->spacing;
        double v = (double)mesh->uv[2 * (size_t)i + 1] / (double)g->spacing;
        int square[2] = {0, 0};
        if (!find_square(g, mask, u, v, square)) {
            projection_free(p);
            return error_set(TOILE_ERROR_INVALID,
                             "vertex %" PRIu32 " of a panel's mesh, at (%g, %g) m, has no four "
                             "texels in a square within %d texels",
                             i, (double)mesh->uv[2 * (size_t)i],
                             (double)mesh->uv[2 * (size_t)i + 1], (int)SEARCH_REACH);
        }
        p->texels[i] = (uint32_t)square[1] * (uint32_t)g->columns + (uint32_t)square[0];
        p->fractions[2 * (size_t)i] = (float)(u - square[0]);
        p->fractions[2 * (size_t)i + 1] = (float)(v - square[1]);
    }
    return TOILE_OK;
}

void projection_free(projection *p) {
    free(p->texels);
    free(p->fractions);
    *p = (projection){0};
}

void project_vectors(const projection *p, uint32_t vertex_count, const grid *g, const float *texels,
                     float *vertices) {
    size_t above = (size_t)g->columns;
    for (size_t i = 0; i < vertex_count; i++) {
        size_t at = p->texels[i];
        v3 value = square_value(load(texels, at), load(texels, at + 1), load(texels, at + above),
                                load(texels, at + above + 1), p->fractions[2 * i],
                                p->fractions[2 * i + 1]);
        store(vertices, i, value);
    }
}
