/* What a drape is judged by. Measured in double from read-back positions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "step/world.h"

/* Depth at which a point counts as inside: rounding of positions some metres from the origin stays
 * below it. */
static const double DEPTH_TOLERANCE = 1e-5;

typedef struct measuring {
    toile_metrics *out;
    float *strains; /* of all edges */
    size_t strain_count;
    float *vertices; /* 3 a vertex, of all meshes */
    size_t vertex_count;
    uint32_t *indices; /* 3 a triangle, of all meshes */
    size_t triangle_count;
} measuring;

static double distance3(const float *a, const float *b) {
    double x = (double)b[0] - (double)a[0], y = (double)b[1] - (double)a[1],
           z = (double)b[2] - (double)a[2];
    return sqrt(x * x + y * y + z * z);
}

static size_t edge_count(const grid *g) {
    return (size_t)(g->columns - 1) * (size_t)g->rows + (size_t)g->columns * (size_t)(g->rows - 1);
}

/* Of the threads that there are. */
static void measure_strain(measuring *m, const cloth *c, const float *x) {
    const grid *g = &c->grid;
    size_t row = 3 * (size_t)g->columns;
    for (int j = 0; j < g->rows; j++) {
        for (int i = 0; i < g->columns; i++, x += 3) {
            if (panel_thread_right(c->panel, i, j) > 0.0f) {
                m->strains[m->strain_count++] =
                    (float)fabs(distance3(x, x + 3) / (double)g->spacing - 1.0);
            }
            if (panel_thread_up(c->panel, i, j) > 0.0f) {
                m->strains[m->strain_count++] =
                    (float)fabs(distance3(x, x + row) / (double)g->spacing - 1.0);
            }
        }
    }
}

/* The value that a share of all values, which are not negative, does not exceed. Such floats have
 * the order of their bits, which are found from the highest down by counting: linear in time for
 * any input, and several times faster than sorting. */
static double by_rank(const float *values, size_t count, double share) {
    enum { DIGIT = 11, BINS = 1 << DIGIT };
    size_t rank = (size_t)ceil(share * (double)count);
    rank = rank > 0 ? rank - 1 : 0;
    uint32_t found = 0, known = 0;
    for (int shift = 2 * DIGIT; shift >= 0; shift -= DIGIT) {
        size_t bins[BINS] = {0};
        for (size_t i = 0; i < count; i++) {
            uint32_t bits;
            memcpy(&bits, &values[i], sizeof bits);
            bins[(bits >> shift) % BINS] += (bits & known) == found;
        }
        uint32_t digit = 0;
        for (; rank >= bins[digit]; digit++) {
            rank -= bins[digit];
        }
        found |= digit << shift;
        known |= (uint32_t)(BINS - 1) << shift;
    }
    float value;
    memcpy(&value, &found, sizeof value);
    return (double)value;
}

static toile_strain summarize_strain(const float *strains, size_t count) {
    if (count == 0) {
        return (toile_strain){0};
    }
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += (double)strains[i];
    }
    return (toile_strain){.mean = sum / (double)count,
                          .p99 = by_rank(strains, count, 0.99),
                          .p999 = by_rank(strains, count, 0.999),
                          .max = by_rank(strains, count, 1.0)};
}

/* Pinned texels move by somebody else's energy. */
static void measure_motion(toile_metrics *out, const toile_world *w, const cloth *c, const float *x,
                           const float *v, const bool *pinned) {
    for (size_t t = 0, n = grid_texels(&c->grid); t < n; t++, x += 3, v += 3) {
        if (!c->panel->mask[t]) {
            continue;
        }
        double mass = (double)c->mass[t], moving = pinned[t] ? 0.0 : mass;
        for (int k = 0; k < 3; k++) {
            out->kinetic_energy += 0.5 * moving * (double)v[k] * (double)v[k];
            out->potential_energy -= mass * (double)w->def.gravity[k] * (double)x[k];
            out->momentum[k] += moving * (double)v[k];
        }
        out->lowest = fmin(out->lowest, (double)x[1]);
        out->highest = fmax(out->highest, (double)x[1]);
    }
}

/* Marks the texels that pins hold. */
static void mark_pinned(const toile_world *w, const cloth *c, bool *pinned) {
    for (size_t i = 0; i < w->pins.count; i++) {
        const pin *p = world_pin(w, i);
        for (uint32_t t = 0; p && world_cloth(w, p->cloth) == c && t < p->count; t++) {
            pinned[p->texels[t]] = true;
        }
    }
}

/* A vertex with at least this share of a pinned texel is pinned as well. */
static const float PINNED_SHARE = 0.1f;

static bool is_vertex_pinned(const panel *p, size_t vertex, const bool *pinned) {
    const projection *from = &p->render_projection;
    size_t texel = from->texels[vertex], columns = (size_t)p->grid.columns;
    float u = from->fractions[2 * vertex], v = from->fractions[2 * vertex + 1];
    return (pinned[texel] && (1.0f - u) * (1.0f - v) > PINNED_SHARE) ||
           (pinned[texel + 1] && u * (1.0f - v) > PINNED_SHARE) ||
           (pinned[texel + columns] && (1.0f - u) * v > PINNED_SHARE) ||
           (pinned[texel + columns + 1] && u * v > PINNED_SHARE);
}

/* Weights of springs and second differences, from the coverage of cells: as kernel/spring.h and
 * bend.h have it. */
static double weight_u(const grid *g, const float *coverage, int i, int j) {
    size_t k = grid_index(g, i, j);
    return 0.5 * ((double)coverage[k] + (double)coverage[k - (size_t)g->stride]);
}

static double weight_v(const grid *g, const float *coverage, int i, int j) {
    size_t k = grid_index(g, i, j);
    return 0.5 * ((double)coverage[k] + (double)coverage[k - 1]);
}

static double spring_energy_between(const float *a, const float *b, double rest, double stiffness) {
    double stretch = distance3(a, b) - rest;
    return 0.5 * stiffness * stretch * stretch;
}

static double second_difference(const float *a, const float *b, const float *c,
                                const double rest[3]) {
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        double d = (double)a[k] - 2.0 * (double)b[k] + (double)c[k] - rest[k];
        sum += d * d;
    }
    return sum;
}

static double mixed_difference(const float *a, const float *b, const float *c, const float *d) {
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        double m = ((double)a[k] + (double)d[k]) - ((double)b[k] + (double)c[k]);
        sum += m * m;
    }
    return sum;
}

/* The unit normal at a texel, as kernel/bend.h has it, times a rest curvature and the squared
 * spacing: what a second difference is at rest. */
static void rest_difference(const cloth *c, const float *x, int i, int j, double curvature,
                            double out[3]) {
    const grid *g = &c->grid;
    const float *coverage = c->panel->coverage;
    const ptrdiff_t row = 3 * (ptrdiff_t)g->columns;
    const float *right = weight_u(g, coverage, i, j) > 0.0 ? x + 3 : x;
    const float *left = weight_u(g, coverage, i - 1, j) > 0.0 ? x - 3 : x;
    const float *above = weight_v(g, coverage, i, j) > 0.0 ? x + row : x;
    const float *below = weight_v(g, coverage, i, j - 1) > 0.0 ? x - row : x;
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = (double)right[k] - (double)left[k];
        v[k] = (double)above[k] - (double)below[k];
    }
    double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    double times = curvature * (double)g->spacing * (double)g->spacing;
    for (int k = 0; k < 3; k++) {
        out[k] = length > 0.0 ? times * n[k] / length : 0.0;
    }
}

/* Energy of the springs and second differences that have texel (i, j) as their first or middle one.
 */
static double texel_energy(const cloth *c, const float *x, int i, int j) {
    const grid *g = &c->grid;
    const float *coverage = c->panel->coverage;
    const springs *s = &c->springs;
    ptrdiff_t row = 3 * (ptrdiff_t)g->columns;
    double h = (double)g->spacing, diagonal = h * sqrt(2.0);
    double u = weight_u(g, coverage, i, j), v = weight_v(g, coverage, i, j);
    double cell = (double)coverage[grid_index(g, i, j)], energy = 0.0;
    if (u > 0.0) {
        energy += spring_energy_between(x, x + 3, h, s->stretch[0] * u);
    }
    if (v > 0.0) {
        energy += spring_energy_between(x, x + row, h, s->stretch[1] * v);
    }
    if (cell > 0.0) {
        energy += spring_energy_between(x, x + row + 3, diagonal, s->shear * cell);
        energy += spring_energy_between(x + 3, x + row, diagonal, s->shear * cell);
        energy += s->bend * cell * mixed_difference(x, x + 3, x + row, x + row + 3);
    }
    double bend_u = i > 0 ? fmin(weight_u(g, coverage, i - 1, j), u) : 0.0;
    double bend_v = j > 0 ? fmin(weight_v(g, coverage, i, j - 1), v) : 0.0;
    const float *curvature = c->def.fabric.curvature;
    double rest[3];
    if (bend_u > 0.0) {
        rest_difference(c, x, i, j, (double)curvature[0], rest);
        energy += 0.5 * s->bend * bend_u * second_difference(x - 3, x, x + 3, rest);
    }
    if (bend_v > 0.0) {
        rest_difference(c, x, i, j, (double)curvature[1], rest);
        energy += 0.5 * s->bend * bend_v * second_difference(x - row, x, x + row, rest);
    }
    return energy;
}

static void measure_elastic(toile_metrics *out, const cloth *c, const float *x) {
    for (int j = 0; j < c->grid.rows; j++) {
        for (int i = 0; i < c->grid.columns; i++, x += 3) {
            out->elastic_energy += texel_energy(c, x, i, j);
        }
    }
}

static void measure_point(toile_metrics *out, const body *b, const pose *shape,
                          const double point[3]) {
    double local[3];
    pose_apply_inverse(shape, point, local);
    v3 p = v3_make((float)local[0], (float)local[1], (float)local[2]);
    double depth = (double)body_depth(b, p);
    if (depth > DEPTH_TOLERANCE) {
        out->penetration.count++;
        out->penetration.max_depth_m = fmax(out->penetration.max_depth_m, depth);
    }
}

/* Of vertices and middles of triangles, but for what is pinned: somebody wants that where it is. */
static void measure_penetration(toile_metrics *out, const toile_world *w, const float *vertices,
                                size_t vertex_count, const uint32_t *indices, size_t triangles,
                                const bool *pinned) {
    for (size_t i = 0; i < w->bodies.count; i++) {
        const world_body *b = world_body_at(w, i);
        if (!b) {
            continue;
        }
        pose shape = body_shape_pose(&b->body, &b->body.now);
        for (size_t v = 0; v < vertex_count; v++) {
            double point[3];
            for (size_t k = 0; k < 3; k++) {
                point[k] = (double)vertices[3 * v + k];
            }
            if (!pinned[v]) {
                measure_point(out, &b->body, &shape, point);
            }
        }
        for (size_t t = 0; t < triangles; t++) {
            const uint32_t *v = indices + 3 * t;
            double point[3] = {0.0, 0.0, 0.0};
            for (size_t k = 0; k < 9; k++) {
                point[k % 3] += (double)vertices[3 * (size_t)v[k / 3] + k % 3] / 3.0;
            }
            if (!pinned[v[0]] && !pinned[v[1]] && !pinned[v[2]]) {
                measure_point(out, &b->body, &shape, point);
            }
        }
    }
}

static double triangle_area(const float *a, const float *b, const float *c) {
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = (double)b[k] - (double)a[k];
        v[k] = (double)c[k] - (double)a[k];
    }
    double x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2],
           z = u[0] * v[1] - u[1] * v[0];
    return 0.5 * sqrt(x * x + y * y + z * z);
}

/* Area and penetration: what the mesh shows. It goes behind those of other cloths. */
static void measure_mesh(measuring *m, const toile_world *w, const cloth *c, const float *texels,
                         const bool *pinned) {
    const flat_mesh *mesh = &c->panel->render;
    size_t triangles = mesh->triangle_count, count = mesh->vertex_count;
    float *vertices = m->vertices + 3 * m->vertex_count;
    uint32_t *indices = m->indices + 3 * m->triangle_count;
    memcpy(indices, mesh->indices, 3 * triangles * sizeof *indices);
    surface_positions(c->panel, texels, vertices);
    for (size_t t = 0; t < triangles; t++) {
        const uint32_t *v = indices + 3 * t;
        m->out->area += triangle_area(vertices + 3 * (size_t)v[0], vertices + 3 * (size_t)v[1],
                                      vertices + 3 * (size_t)v[2]);
    }
    measure_penetration(m->out, w, vertices, count, indices, triangles, pinned);
    for (size_t i = 0; i < 3 * triangles; i++) {
        indices[i] += (uint32_t)m->vertex_count;
    }
    m->vertex_count += count;
    m->triangle_count += triangles;
}

static toile_result measure_cloth(measuring *m, const toile_world *w, const cloth *c) {
    size_t texels = grid_texels(&c->grid), vertices = c->panel->render.vertex_count;
    float *x = memory_alloc(6 * texels, sizeof *x, "measuring"), *v = x + 3 * texels;
    bool *pinned = memory_alloc(texels + vertices, sizeof *pinned, "measuring");
    toile_result result = x && pinned ? TOILE_OK : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        w->device->read(c->memory, FIELD_POSITION, x);
        w->device->read(c->memory, FIELD_VELOCITY, v);
        mark_pinned(w, c, pinned);
        bool *pinned_vertices = pinned + texels;
        for (size_t k = 0; k < vertices; k++) {
            pinned_vertices[k] = is_vertex_pinned(c->panel, k, pinned);
        }
        measure_strain(m, c, x);
        measure_motion(m->out, w, c, x, v, pinned);
        measure_mesh(m, w, c, x, pinned_vertices);
        measure_elastic(m->out, c, x);
    }
    free(x);
    free(pinned);
    return result;
}

static toile_result measuring_create(measuring *m, const toile_world *w, const cloth *only) {
    size_t edges = 0, vertices = 0, triangles = 0;
    for (size_t i = 0; i < w->cloths.count; i++) {
        const cloth *c = world_cloth(w, i);
        if (c && (!only || c == only)) {
            edges += edge_count(&c->grid);
            vertices += c->panel->render.vertex_count;
            triangles += c->panel->render.triangle_count;
        }
    }
    m->strains = memory_alloc(edges, sizeof(float), "measuring");
    m->vertices = memory_alloc(vertices, 3 * sizeof(float), "measuring");
    m->indices = memory_alloc(triangles, 3 * sizeof(uint32_t), "measuring");
    return m->strains && m->vertices && m->indices ? TOILE_OK : TOILE_ERROR_MEMORY;
}

toile_result toile_world_measure(const toile_world *world, toile_cloth_id id, toile_metrics *out) {
    TOILE_ASSERT(world && out);
    *out = (toile_metrics){.lowest = INFINITY, .highest = -INFINITY};
    const cloth *only = id.slot ? slots_get(&world->cloths, id.slot, id.generation) : NULL;
    measuring m = {.out = out};
    toile_result result = measuring_create(&m, world, only);
    for (size_t i = 0; i < world->cloths.count && result == TOILE_OK; i++) {
        const cloth *c = world_cloth(world, i);
        if (c && (!only || c == only)) {
            result = measure_cloth(&m, world, c);
        }
    }
    if (result == TOILE_OK) {
        out->strain = summarize_strain(m.strains, m.strain_count);
        result =
            count_intersections(m.vertices, m.indices, m.triangle_count, &out->self_intersections);
    }
    if (m.vertex_count == 0) {
        out->lowest = out->highest = 0.0;
    }
    free(m.strains);
    free(m.vertices);
    free(m.indices);
    return result;
}

toile_result toile_cloth_get_strain(const toile_world *world, toile_cloth_id id,
                                    toile_strain *out) {
    TOILE_ASSERT(world && out);
    const cloth *c = slots_get(&world->cloths, id.slot, id.generation);
    measuring m = {.strains = memory_alloc(edge_count(&c->grid), sizeof(float), "measuring")};
    float *x = memory_alloc(3 * grid_texels(&c->grid), sizeof *x, "measuring");
    toile_result result = m.strains && x ? TOILE_OK : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        world->device->read(c->memory, FIELD_POSITION, x);
        measure_strain(&m, c, x);
        *out = summarize_strain(m.strains, m.strain_count);
    }
    free(m.strains);
    free(x);
    return result;
}
