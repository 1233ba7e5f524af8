#include "cook/multigrid.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The coarsest grid is solved exactly, by a matrix of this size squared. A dense one, for a product
 * with 100 x 100 numbers takes less time than the levels that it saves, and the core library
 * depends on nothing. */
static const size_t FEW_TEXELS = 100;

/* How many times stiffer threads are beyond their limit, less 1. More holds the limit better and
 * makes the solver take longer to find out. */
static const float BOUND = 30.0f;

/* m and texels, around pinned ones: there their load has spread over enough threads. */
static const float BOUND_REACH = 0.025f;
enum { BOUND_TEXELS = 2, BOUND_MOST = 16 };

/* The same around a single one. Its load spreads over a number of threads that grows with distance,
 * most of it along the two that it hangs by, and so does how stiff they need to be: from so many
 * texels on it is one over the distance, up to where it is 1. */
static const float POINT_BOUND = 60.0f;
enum { POINT_TEXELS = 2 };

static void halve(const grid *finer, grid *out) {
    grid_set_texels(out, finer->columns / 2 + 1, finer->rows / 2 + 1);
}

static toile_result level_create(matrix_level *l, size_t *bytes) {
    size_t size = l->grid.size;
    float *planes = memory_alloc(MATRIX_PLANES * size, sizeof(float), "the matrix of a cloth");
    if (!planes) {
        return TOILE_ERROR_MEMORY;
    }
    *bytes += MATRIX_PLANES * size * sizeof(float);
    for (int p = 0; p < MATRIX_PLANES; p++) {
        l->plane[p] = planes + (size_t)p * size;
    }
    return TOILE_OK;
}

toile_result multigrid_create(multigrid *m, const grid *finest) {
    *m = (multigrid){0};
    grid g = *finest;
    for (bool smaller = true; smaller && m->count < MULTIGRID_LEVELS;) {
        matrix_level *l = &m->levels[m->count];
        l->grid = g;
        if (level_create(l, &m->bytes) != TOILE_OK) {
            multigrid_free(m);
            return TOILE_ERROR_MEMORY;
        }
        m->count++;
        grid next = {0};
        halve(&g, &next);
        smaller = grid_texels(&g) > FEW_TEXELS && grid_texels(&next) < grid_texels(&g);
        g = next;
    }
    size_t rows = (size_t)finest->rows;
    m->bound = memory_alloc(finest->size, sizeof *m->bound, "the matrix of a cloth");
    m->inertia = memory_alloc(finest->size, sizeof *m->inertia, "the matrix of a cloth");
    m->row_bound = memory_alloc(rows, sizeof *m->row_bound, "the matrix of a cloth");
    m->bytes += 2 * finest->size * sizeof *m->bound + rows * sizeof *m->row_bound;
    const grid *last = &m->levels[m->count - 1].grid;
    size_t n = grid_texels(last), square = n * n;
    m->unknowns = (int)n;
    m->exact = memory_alloc(square, sizeof *m->exact, "the coarsest matrix of a cloth");
    m->scratch = memory_alloc(square + n, sizeof *m->scratch, "the coarsest matrix of a cloth");
    m->bytes += square * sizeof *m->exact + (square + n) * sizeof *m->scratch;
    if (!m->exact || !m->scratch || !m->bound || !m->inertia || !m->row_bound) {
        multigrid_free(m);
        return TOILE_ERROR_MEMORY;
    }
    return TOILE_OK;
}

void multigrid_free(multigrid *m) {
    for (int k = 0; k < m->count; k++) {
        free(m->levels[k].plane[0]);
    }
    free(m->bound);
    free(m->inertia);
    free(m->row_bound);
    free(m->exact);
    free(m->scratch);
    *m = (multigrid){0};
}

/* ---- the finest level ---------------------------------------------------------------------------
 */

static bool is_pinned(const multigrid_base *base, size_t texel) {
    return base->mass[texel] > 0.0f && !(base->inverse_mass[texel] > 0.0f);
}

/* Is no texel around it pinned? */
static bool is_point(const grid *g, const multigrid_base *base, int column, int row) {
    int pinned = 0;
    for (int j = row > 0 ? row - 1 : 0; j <= row + 1 && j < g->rows; j++) {
        for (int i = column > 0 ? column - 1 : 0; i <= column + 1 && i < g->columns; i++) {
            pinned += is_pinned(base, (size_t)j * (size_t)g->columns + (size_t)i);
        }
    }
    return pinned == 1;
}

/* It falls off by the same factor from texel to texel, or around a point by the same factor over
 * the same multiple of the distance: where stiffness jumps, coarse grids do not see the edge, and a
 * cycle leaves half of a force instead of a fifth (test_cycle). */
static float bound_at(bool point, int away, int reach) {
    if (point) {
        return away > POINT_TEXELS ? POINT_BOUND * (float)POINT_TEXELS / (float)away : POINT_BOUND;
    }
    return powf(1.0f + BOUND, 1.0f - (float)away / (float)(reach + 1)) - 1.0f;
}

static void bind_around(multigrid *m, const multigrid_base *base, int column, int row) {
    const grid *g = &m->levels[0].grid;
    const bool point = is_point(g, base, column, row);
    int reach = (int)fminf(ceilf(BOUND_REACH / base->spacing) + BOUND_TEXELS, BOUND_MOST);
    reach = point ? (int)POINT_BOUND * POINT_TEXELS : reach;
    for (int j = row - reach; j <= row + reach; j++) {
        for (int i = column - reach; i <= column + reach; i++) {
            if (i >= 0 && j >= 0 && i < g->columns && j < g->rows) {
                int away = abs(i - column) > abs(j - row) ? abs(i - column) : abs(j - row);
                float *bound = &m->bound[grid_index(g, i, j)];
                *bound = fmaxf(*bound, bound_at(point, away, reach));
                m->row_bound[j] = 1;
            }
        }
    }
}

/* Is it pinned, and a free one beside it? */
static bool is_anchor(const grid *g, const multigrid_base *base, int i, int j) {
    const float *inverse_mass = base->inverse_mass;
    size_t t = (size_t)j * (size_t)g->columns + (size_t)i, up = (size_t)g->columns;
    bool beside = (i > 0 && inverse_mass[t - 1] > 0.0f) ||
                  (i < g->columns - 1 && inverse_mass[t + 1] > 0.0f) ||
                  (j > 0 && inverse_mass[t - up] > 0.0f) ||
                  (j < g->rows - 1 && inverse_mass[t + up] > 0.0f);
    return beside && is_pinned(base, t);
}

static void fill_bound(multigrid *m, const multigrid_base *base) {
    const grid *g = &m->levels[0].grid;
    memset(m->bound, 0, g->size * sizeof *m->bound);
    memset(m->row_bound, 0, (size_t)g->rows * sizeof *m->row_bound);
    for (int j = 0; j < g->rows; j++) {
        for (int i = 0; i < g->columns; i++) {
            if (base->bounded) {
                m->bound[grid_index(g, i, j)] = BOUND;
                m->row_bound[j] = 1;
            } else if (is_anchor(g, base, i, j)) {
                bind_around(m, base, i, j);
            }
        }
    }
}

/* An edge between the texels at two places, with the plane and place that its coupling is kept at.
 * Held texels do not move, so that what ties a free one to them is ground. */
static void add_edge(matrix_level *l, const float *inverse_mass, const int ends[2][2],
                     matrix_plane kind, size_t at, float stiffness) {
    if (!(stiffness > 0.0f)) {
        return; /* nor is there a texel on both ends then */
    }
    bool free[2];
    size_t k[2];
    for (int i = 0; i < 2; i++) {
        free[i] = inverse_mass[ends[i][1] * l->grid.columns + ends[i][0]] > 0.0f;
        k[i] = grid_index(&l->grid, ends[i][0], ends[i][1]);
    }
    if (free[0] && free[1]) {
        l->plane[kind][at] = stiffness;
    } else if (free[0] || free[1]) {
        l->plane[MATRIX_GROUND][k[free[0] ? 0 : 1]] += stiffness;
    }
}

static void fill_finest(multigrid *m, const multigrid_base *base) {
    matrix_level *l = &m->levels[0];
    const float *bound = m->bound;
    const float *c = base->coverage, *w = base->inverse_mass;
    const size_t up = (size_t)l->grid.stride;
    const float bend = 8.0f * base->bend, rate = 1.0f / (base->substep * base->substep);
    for (int j = 0; j < l->grid.rows; j++) {
        for (int i = 0; i < l->grid.columns; i++) {
            size_t k = grid_index(&l->grid, i, j);
            float own = w[j * l->grid.columns + i];
            m->inertia[k] = own > 0.0f ? rate / own : 0.0f;
            l->plane[MATRIX_GROUND][k] += m->inertia[k];
            float ku = base->stretch_u * (1.0f + fminf(bound[k], bound[k + 1])) + bend;
            float kv = base->stretch_v * (1.0f + fminf(bound[k], bound[k + up])) + bend;
            add_edge(l, w, (const int[2][2]){{i, j}, {i + 1, j}}, MATRIX_EAST, k,
                     0.5f * ku * (c[k] + c[k - up]));
            add_edge(l, w, (const int[2][2]){{i, j}, {i, j + 1}}, MATRIX_NORTH, k,
                     0.5f * kv * (c[k] + c[k - 1]));
            add_edge(l, w, (const int[2][2]){{i, j}, {i + 1, j + 1}}, MATRIX_RISING, k,
                     base->shear * c[k]);
            add_edge(l, w, (const int[2][2]){{i + 1, j}, {i, j + 1}}, MATRIX_FALLING, k,
                     base->shear * c[k]);
        }
    }
}

/* ---- coarse levels ------------------------------------------------------------------------------
 */

/* Adds c (w0 x0 + w1 x1 + w2 x2 + w3 x3)^2 over the corners of a cell: left to right, then up. */
static void add_square(matrix_level *l, size_t cell, const float w[4], float c) {
    const size_t up = (size_t)l->grid.stride;
    const size_t corner[4] = {cell, cell + 1, cell + up, cell + up + 1};
    const float sum = (w[0] + w[1]) + (w[2] + w[3]);
    for (int a = 0; a < 4; a++) {
        l->plane[MATRIX_GROUND][corner[a]] += c * w[a] * sum;
    }
    l->plane[MATRIX_EAST][cell] -= c * w[0] * w[1];
    l->plane[MATRIX_EAST][cell + up] -= c * w[2] * w[3];
    l->plane[MATRIX_NORTH][cell] -= c * w[0] * w[2];
    l->plane[MATRIX_NORTH][cell + 1] -= c * w[1] * w[3];
    l->plane[MATRIX_RISING][cell] -= c * w[0] * w[3];
    l->plane[MATRIX_FALLING][cell] -= c * w[1] * w[2];
}

/* Adds `scale` times the weights by which a texel of the finer level hangs on the corners of the
 * coarse cell (column, row), in which it lies. */
static void add_weights(int texel_column, int texel_row, int column, int row, float scale,
                        float w[4]) {
    float u = 0.5f * (float)(texel_column - 2 * column);
    float v = 0.5f * (float)(texel_row - 2 * row);
    w[0] += scale * (1.0f - u) * (1.0f - v);
    w[1] += scale * u * (1.0f - v);
    w[2] += scale * (1.0f - u) * v;
    w[3] += scale * u * v;
}

/* The part of the finer level's matrix that an edge or, where both ends are the same, a texel's
 * ground makes up. Both ends lie in the coarse cell of the one to the lower left. */
static void coarsen(matrix_level *coarse, int column, int row, const int end[2][2], float value) {
    float w[4] = {0.0f};
    bool ground = end[0][0] == end[1][0] && end[0][1] == end[1][1];
    add_weights(end[0][0], end[0][1], column, row, 1.0f, w);
    if (!ground) {
        add_weights(end[1][0], end[1][1], column, row, -1.0f, w);
    }
    add_square(coarse, grid_index(&coarse->grid, column, row), w, value);
}

static void fill_coarse(matrix_level *coarse, const matrix_level *finer) {
    static const struct {
        matrix_plane kind;
        int from[2], to[2]; /* columns and rows from where it is kept */
    } parts[] = {{MATRIX_GROUND, {0, 0}, {0, 0}},
                 {MATRIX_EAST, {0, 0}, {1, 0}},
                 {MATRIX_NORTH, {0, 0}, {0, 1}},
                 {MATRIX_RISING, {0, 0}, {1, 1}},
                 {MATRIX_FALLING, {1, 0}, {0, 1}}};
    for (int row = 0; row < finer->grid.rows; row++) {
        for (int column = 0; column < finer->grid.columns; column++) {
            size_t k = grid_index(&finer->grid, column, row);
            for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
                float value = finer->plane[parts[p].kind][k];
                if (value != 0.0f) {
                    const int end[2][2] = {{column + parts[p].from[0], row + parts[p].from[1]},
                                           {column + parts[p].to[0], row + parts[p].to[1]}};
                    coarsen(coarse, column / 2, row / 2, end, value);
                }
            }
        }
    }
}

/* ---- diagonals and the coarsest level -----------------------------------------------------------
 */

/* In double, for a float would lose the mass of a small cloth beside its stiffness. */
static double diagonal(const matrix_level *l, size_t k) {
    const size_t up = (size_t)l->grid.stride;
    const float *e = l->plane[MATRIX_EAST], *n = l->plane[MATRIX_NORTH],
                *r = l->plane[MATRIX_RISING], *f = l->plane[MATRIX_FALLING];
    double sides = ((double)e[k - 1] + (double)e[k]) + ((double)n[k - up] + (double)n[k]);
    double rising = (double)r[k - up - 1] + (double)r[k];
    double falling = (double)f[k - 1] + (double)f[k - up];
    return (double)l->plane[MATRIX_GROUND][k] + (sides + (rising + falling));
}

static void fill_inverse(matrix_level *l) {
    for (int row = 0; row < l->grid.rows; row++) {
        for (int column = 0; column < l->grid.columns; column++) {
            size_t k = grid_index(&l->grid, column, row);
            double d = diagonal(l, k);
            l->plane[MATRIX_INVERSE][k] = d > 0.0 ? (float)(1.0 / d) : 0.0f;
        }
    }
}

static void put_coupling(double *a, size_t n, size_t i, size_t j, float coupling) {
    if (coupling != 0.0f) {
        a[i * n + j] = a[j * n + i] = -(double)coupling;
    }
}

static void fill_dense(const matrix_level *l, double *a, size_t n) {
    const size_t columns = (size_t)l->grid.columns;
    memset(a, 0, n * n * sizeof *a);
    for (int row = 0; row < l->grid.rows; row++) {
        for (int column = 0; column < l->grid.columns; column++) {
            size_t k = grid_index(&l->grid, column, row);
            size_t i = (size_t)row * columns + (size_t)column;
            double d = diagonal(l, k);
            a[i * n + i] = d > 0.0 ? d : 1.0;
            put_coupling(a, n, i, i + 1, l->plane[MATRIX_EAST][k]);
            put_coupling(a, n, i, i + columns, l->plane[MATRIX_NORTH][k]);
            put_coupling(a, n, i, i + columns + 1, l->plane[MATRIX_RISING][k]);
            put_coupling(a, n, i + 1, i + columns, l->plane[MATRIX_FALLING][k]);
        }
    }
}

/* a = L L', in the lower half. Where fewer texels are free than coarse ones follow them, as in the
 * tip of a panel or beside pins, the matrix is singular but for the rounding of its floats, which
 * may leave less than nothing: such a pivot is taken for what rounding is. */
static void factor(double *a, size_t n) {
    for (size_t j = 0; j < n; j++) {
        const double least = FLT_EPSILON * a[j * n + j];
        for (size_t k = 0; k < j; k++) {
            for (size_t i = j; i < n; i++) {
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
            }
        }
        double root = sqrt(fmax(a[j * n + j], least));
        a[j * n + j] = root;
        for (size_t i = j + 1; i < n; i++) {
            a[i * n + j] /= root;
        }
    }
}

/* Column by column of the unit matrix. */
static void invert(const double *factored, size_t n, double *column, float *out) {
    for (size_t c = 0; c < n; c++) {
        for (size_t i = 0; i < n; i++) {
            double sum = i == c ? 1.0 : 0.0;
            for (size_t k = 0; k < i; k++) {
                sum -= factored[i * n + k] * column[k];
            }
            column[i] = sum / factored[i * n + i];
        }
        for (size_t i = n; i-- > 0;) {
            double sum = column[i];
            for (size_t k = i + 1; k < n; k++) {
                sum -= factored[k * n + i] * column[k];
            }
            column[i] = sum / factored[i * n + i];
            out[c * n + i] = (float)column[i];
        }
    }
}

void multigrid_fill(multigrid *m, const multigrid_base *base) {
    m->fills++;
    fill_bound(m, base);
    for (int k = 0; k < m->count; k++) {
        matrix_level *l = &m->levels[k];
        memset(l->plane[0], 0, MATRIX_PLANES * l->grid.size * sizeof(float));
        if (k == 0) {
            fill_finest(m, base);
        } else {
            fill_coarse(l, &m->levels[k - 1]);
        }
        fill_inverse(l);
    }
    size_t n = (size_t)m->unknowns;
    fill_dense(&m->levels[m->count - 1], m->scratch, n);
    factor(m->scratch, n);
    invert(m->scratch, n, m->scratch + n * n, m->exact);
}
