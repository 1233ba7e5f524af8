/* The render mesh of an outline is a linear function of its texels, P x. With about as many
 * vertices as texels it nearly tells where they are: x is what the vertices, sampled, say, and a
 * correction d that minimises |P (x + d) - vertices|^2, by conjugate gradients on its normal
 * equations. Those change nothing that the vertices do not see, such as texels that no vertex takes
 * its place from.
 */
#include "app/recover.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* As many as it takes for strains of crumpled cloth to be known to a thousandth. */
enum { ITERATIONS = 400 };

typedef struct solving {
    const panel *panel;
    size_t size;           /* 3 a texel */
    double *d, *r, *p, *q; /* correction, residual, direction, the matrix times it */
    double *projected;     /* 3 a vertex */
} solving;

static void square_weights(const projection *from, size_t vertex, double weights[4]) {
    double u = (double)from->fractions[2 * vertex], v = (double)from->fractions[2 * vertex + 1];
    weights[0] = (1.0 - u) * (1.0 - v);
    weights[1] = u * (1.0 - v);
    weights[2] = (1.0 - u) * v;
    weights[3] = u * v;
}

static size_t square_corner(const panel *p, size_t vertex, int corner) {
    size_t columns = (size_t)p->grid.columns;
    return p->render_projection.texels[vertex] + (size_t)(corner & 1) + (corner >> 1 ? columns : 0);
}

/* out = P x */
static void project(const panel *p, const double *x, double *out) {
    for (size_t v = 0; v < p->render.vertex_count; v++, out += 3) {
        double weights[4];
        square_weights(&p->render_projection, v, weights);
        out[0] = out[1] = out[2] = 0.0;
        for (int k = 0; k < 4; k++) {
            const double *texel = x + 3 * square_corner(p, v, k);
            for (int axis = 0; axis < 3; axis++) {
                out[axis] += weights[k] * texel[axis];
            }
        }
    }
}

/* out = P^T y */
static void gather(const panel *p, const double *y, double *out, size_t size) {
    memset(out, 0, size * sizeof *out);
    for (size_t v = 0; v < p->render.vertex_count; v++, y += 3) {
        double weights[4];
        square_weights(&p->render_projection, v, weights);
        for (int k = 0; k < 4; k++) {
            double *texel = out + 3 * square_corner(p, v, k);
            for (int axis = 0; axis < 3; axis++) {
                texel[axis] += weights[k] * y[axis];
            }
        }
    }
}

static double dot(const double *a, const double *b, size_t size) {
    double sum = 0.0;
    for (size_t i = 0; i < size; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void iterate(solving *s) {
    double rho = dot(s->r, s->r, s->size), enough = 1e-20 * rho;
    memcpy(s->p, s->r, s->size * sizeof *s->p);
    for (int i = 0; i < ITERATIONS && rho > enough; i++) {
        project(s->panel, s->p, s->projected);
        gather(s->panel, s->projected, s->q, s->size);
        double alpha = rho / dot(s->p, s->q, s->size), before = rho;
        for (size_t k = 0; k < s->size; k++) {
            s->d[k] += alpha * s->p[k];
            s->r[k] -= alpha * s->q[k];
        }
        rho = dot(s->r, s->r, s->size);
        for (size_t k = 0; k < s->size; k++) {
            s->p[k] = s->r[k] + rho / before * s->p[k];
        }
    }
}

static void solve(solving *s, const float *vertices, float *texels) {
    for (size_t k = 0; k < s->size; k++) {
        s->p[k] = (double)texels[k];
    }
    project(s->panel, s->p, s->projected);
    for (size_t k = 0; k < 3 * (size_t)s->panel->render.vertex_count; k++) {
        s->projected[k] = (double)vertices[k] - s->projected[k];
    }
    gather(s->panel, s->projected, s->r, s->size);
    iterate(s);
    for (size_t k = 0; k < s->size; k++) {
        texels[k] += (float)s->d[k];
    }
}

toile_result recover_texels(const panel *p, const float *vertices, float *texels) {
    sampling from = {0};
    toile_result result = sampling_create(&from, &p->render, &p->grid, p->mask);
    if (result != TOILE_OK) {
        return result;
    }
    sample_vectors(&from, &p->grid, vertices, texels);
    sampling_free(&from);
    size_t size = 3 * grid_texels(&p->grid), most = 3 * (size_t)p->render.vertex_count;
    double *memory = memory_alloc(4 * size + most, sizeof *memory, "recovering texels");
    if (!memory) {
        return TOILE_ERROR_MEMORY;
    }
    solving s = {
        p, size, memory, memory + size, memory + 2 * size, memory + 3 * size, memory + 4 * size};
    solve(&s, vertices, texels);
    free(memory);
    return TOILE_OK;
}
