/* Energies, momentum and extents. In double, from read-back positions. */
#include <math.h>

#include "step/gauge.h"
#include "step/world.h"

static double distance3(const float *a, const float *b) {
    double x = (double)b[0] - (double)a[0], y = (double)b[1] - (double)a[1],
           z = (double)b[2] - (double)a[2];
    return sqrt(x * x + y * y + z * z);
}

/* Pinned texels move by somebody else's energy. */
static void measure_motion(toile_metrics *out, const toile_world *w, const cloth *c,
                           const float *v) {
    const float *x = c->gauge.texels;
    const bool *pinned = c->gauge.pinned;
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

static void measure_elastic(toile_metrics *out, const cloth *c) {
    const float *x = c->gauge.texels;
    for (int j = 0; j < c->grid.rows; j++) {
        for (int i = 0; i < c->grid.columns; i++, x += 3) {
            out->elastic_energy += texel_energy(c, x, i, j);
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

static void measure_area(toile_metrics *out, const cloth *c) {
    const flat_mesh *mesh = &c->panel->render;
    const float *vertices = c->gauge.vertices;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->indices + 3 * t;
        out->area += triangle_area(vertices + 3 * (size_t)v[0], vertices + 3 * (size_t)v[1],
                                   vertices + 3 * (size_t)v[2]);
    }
}

void measure_energy(toile_metrics *out, const toile_world *w, const cloth *c) {
    toile_metrics m = {.lowest = INFINITY, .highest = -INFINITY};
    measure_motion(&m, w, c, cloth_read(w, c, FIELD_VELOCITY));
    measure_elastic(&m, c);
    measure_area(&m, c);
    *out = m;
}
