/* The matrices of the implicit solver: each coarse one is the Galerkin product of the finer, the
 * finest is nowhere smaller than the second derivative of the energy, the coarsest is inverted, and
 * a cycle over them converges. */
#include <stdio.h>

#include "outlines.h"
#include "sheets.h"

#include "cook/multigrid.h"
#include "cook/panel.h"
#include "cook/springs.h"
#include "cpu/passes.h"
#include "kernel/implicit.h"

/* ---- what matrices are made of ------------------------------------------------------------------
 */

static double *zeros(size_t count) {
    double *memory = calloc(count > 0 ? count : 1, sizeof *memory);
    assert_non_null(memory);
    return memory;
}

static multigrid_base base_of(const sheet *s, float bend, bool bounded) {
    return (multigrid_base){.coverage = s->coverage,
                            .mass = s->mass,
                            .inverse_mass = s->inverse_mass,
                            .spacing = s->grid.spacing,
                            .stretch_u = 1500.0f,
                            .stretch_v = 900.0f,
                            .shear = 70.0f,
                            .bend = bend,
                            .bounded = bounded,
                            .substep = 1.0f / 60.0f};
}

/* Entries of a row: the texel itself, then those around it. */
enum { AROUND = 9 };
static const int steps[AROUND][2] = {{0, 0}, {1, 0},   {-1, 0}, {0, 1}, {0, -1},
                                     {1, 1}, {-1, -1}, {-1, 1}, {1, -1}};

static double entry(const matrix_level *l, int i, int j, int n) {
    const float *const *p = (const float *const *)l->plane;
    size_t k = grid_index(&l->grid, i, j), up = (size_t)l->grid.stride;
    const double couplings[AROUND] = {0.0,
                                      (double)p[MATRIX_EAST][k],
                                      (double)p[MATRIX_EAST][k - 1],
                                      (double)p[MATRIX_NORTH][k],
                                      (double)p[MATRIX_NORTH][k - up],
                                      (double)p[MATRIX_RISING][k],
                                      (double)p[MATRIX_RISING][k - up - 1],
                                      (double)p[MATRIX_FALLING][k - 1],
                                      (double)p[MATRIX_FALLING][k - up]};
    double sum = (double)p[MATRIX_GROUND][k];
    for (int m = 1; m < AROUND; m++) {
        sum += couplings[m];
    }
    return n == 0 ? sum : -couplings[n];
}

/* The whole matrix; what couples with texels that are not on the grid must be 0, for passes read
 * what stands there. */
static double *dense_of(const matrix_level *l) {
    const grid *g = &l->grid;
    size_t n = grid_texels(g);
    double *a = zeros(n * n);
    for (int t = 0; t < (int)n; t++) {
        int i = t % g->columns, j = t / g->columns;
        for (int m = 0; m < AROUND; m++) {
            int to_i = i + steps[m][0], to_j = j + steps[m][1];
            double value = entry(l, i, j, m);
            if (to_i < 0 || to_j < 0 || to_i >= g->columns || to_j >= g->rows) {
                assert_true(value == 0.0);
            } else {
                a[(size_t)t * n + (size_t)(to_i + to_j * g->columns)] = value;
            }
        }
    }
    return a;
}

/* ---- the Galerkin product -----------------------------------------------------------------------
 */

/* Bilinear weights of the coarse texels around a texel; returns how many. */
static int hangs_on(const grid *coarse, int i, int j, int texels[4], double weights[4]) {
    int count = 0;
    for (int n = 0; n < 4; n++) {
        int column = i / 2 + n % 2, row = j / 2 + n / 2;
        double weight = (1.0 - 0.5 * abs(i - 2 * column)) * (1.0 - 0.5 * abs(j - 2 * row));
        if (weight > 0.0) {
            assert_true(column < coarse->columns && row < coarse->rows);
            texels[count] = column + row * coarse->columns;
            weights[count++] = weight;
        }
    }
    return count;
}

/* size: the same of what is added up, without signs. */
static double *galerkin(const matrix_level *finer, const grid *coarse, double *size) {
    const grid *g = &finer->grid;
    size_t n = grid_texels(coarse);
    double *product = zeros(n * n);
    for (int t = 0; t < (int)grid_texels(g); t++) {
        int i = t % g->columns, j = t / g->columns, from[4], to[4];
        double w[4], v[4];
        int count = hangs_on(coarse, i, j, from, w);
        for (int m = 0; m < AROUND; m++) {
            double value = entry(finer, i, j, m);
            if (value == 0.0) {
                continue;
            }
            int others = hangs_on(coarse, i + steps[m][0], j + steps[m][1], to, v);
            for (int a = 0; a < count; a++) {
                for (int b = 0; b < others; b++) {
                    size_t at = (size_t)from[a] * n + (size_t)to[b];
                    product[at] += w[a] * value * v[b];
                    size[at] += w[a] * fabs(value) * v[b];
                }
            }
        }
    }
    return product;
}

/* Each part of an entry is rounded a few times, by half of FLT_EPSILON. */
static const double ROUNDING = 8.0 * 6e-8;

/* A diagonal is the sum of the ground and the couplings of its row, and has the rounding of all. */
static double rounding_of(const double *size, size_t n, size_t i) {
    double sum = size[i];
    for (size_t j = 0; i % (n + 1) == 0 && j < n; j++) {
        sum += size[i / n * n + j];
    }
    return ROUNDING * sum;
}

static void check_galerkin(const multigrid *m, const char *what) {
    for (int k = 1; k < m->count; k++) {
        const grid *g = &m->levels[k].grid;
        size_t n = grid_texels(g);
        double *size = zeros(n * n), *wanted = galerkin(&m->levels[k - 1], g, size);
        double *found = dense_of(&m->levels[k]);
        for (size_t i = 0; i < n * n; i++) {
            if (!(fabs(found[i] - wanted[i]) <= rounding_of(size, n, i))) {
                fail_msg("%s, level %d: entry (%d, %d) is %.9g instead of %.9g", what, k,
                         (int)(i / n), (int)(i % n), found[i], wanted[i]);
            }
        }
        free(size);
        free(wanted);
        free(found);
    }
}

static void check_inverses(const multigrid *m, const char *what) {
    for (int k = 0; k < m->count; k++) {
        const matrix_level *l = &m->levels[k];
        for (int t = 0; t < (int)grid_texels(&l->grid); t++) {
            int i = t % l->grid.columns, j = t / l->grid.columns;
            double d = entry(l, i, j, 0);
            double inverse = (double)l->plane[MATRIX_INVERSE][grid_index(&l->grid, i, j)];
            if (!(d > 0.0 ? fabs(inverse * d - 1.0) < 1e-6 : inverse == 0.0)) {
                fail_msg("%s, level %d, texel (%d, %d): %.9g is not 1 / %.9g", what, k, i, j,
                         inverse, d);
            }
        }
    }
}

/* ---- the coarsest level -------------------------------------------------------------------------
 */

/* The least pivot of Cholesky's factor, as a share of its diagonal: how near to singular a matrix
 * is. */
static double least_pivot(double *a, size_t n) {
    double least = 1.0;
    for (size_t j = 0; j < n; j++) {
        double d = a[j * n + j], pivot = d;
        for (size_t k = 0; k < j; k++) {
            pivot -= a[j * n + k] * a[j * n + k];
        }
        least = d > 0.0 ? fmin(least, pivot / d) : least;
        double root = sqrt(pivot > 0.0 ? pivot : 1.0);
        for (size_t i = j + 1; i < n; i++) {
            for (size_t k = 0; k < j; k++) {
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] /= root;
        }
        a[j * n + j] = root;
    }
    return least;
}

/* A matrix that is singular but for rounding has no inverse to compare with. */
static const double SINGULAR = 1e-5;

/* The product of the matrix with its inverse is 1, but for the rounding of the inverse to floats.
 * Where there is no texel it is cut out of both. */
static void check_exact(const multigrid *m, const char *what) {
    const matrix_level *last = &m->levels[m->count - 1];
    size_t n = grid_texels(&last->grid);
    assert_int_equal(m->unknowns, (int)n);
    for (size_t i = 0; i < n * n; i++) {
        if (!isfinite(m->exact[i])) {
            fail_msg("%s: the inverse of the coarsest matrix is not finite", what);
        }
    }
    double *a = dense_of(last), *factored = dense_of(last);
    bool regular = least_pivot(factored, n) > SINGULAR;
    for (size_t i = 0; regular && i < n * n; i++) {
        size_t row = i / n, column = i % n;
        bool there = a[row * (n + 1)] > 0.0 && a[column * (n + 1)] > 0.0;
        double sum = 0.0, size = 0.0;
        for (size_t k = 0; k < n; k++) {
            double part = a[row * n + k] * (double)m->exact[k * n + column];
            sum += part;
            size += fabs(part);
        }
        if (there && !(fabs(sum - (row == column)) <= 1e-6 * size)) {
            fail_msg("%s: the coarsest matrix times its inverse is %.9g at (%d, %d)", what, sum,
                     (int)row, (int)column);
        }
    }
    free(a);
    free(factored);
}

/* ---- all sheets ---------------------------------------------------------------------------------
 */

static void check_matrices(const sheet *s, const char *what) {
    multigrid m;
    assert_ok(multigrid_create(&m, &s->grid));
    for (int bounded = 0; bounded < 2; bounded++) {
        multigrid_base base = base_of(s, 0.5f, bounded);
        multigrid_fill(&m, &base);
        check_galerkin(&m, what);
        check_inverses(&m, what);
        check_exact(&m, what);
    }
    multigrid_free(&m);
}

static const int SIZES[][2] = {{2, 2},   {3, 2},   {2, 5},  {9, 8},   {10, 10}, {11, 10},
                               {16, 23}, {31, 17}, {2, 40}, {40, 3},  {33, 33}, {34, 20},
                               {21, 40}, {40, 40}, {5, 26}, {39, 38}, {12, 9},  {17, 16}};
enum { SIZE_COUNT = sizeof SIZES / sizeof *SIZES };

static void test_coarse_matrices(void **state) {
    (void)state;
    static const double shares[] = {0.0, 0.02, 0.3};
    seed = 3;
    for (int n = 0; n < SIZE_COUNT * SHAPES * 3; n++) {
        const int *size = SIZES[n % SIZE_COUNT];
        int shape = n / SIZE_COUNT % SHAPES;
        double pins = shares[n / SIZE_COUNT / SHAPES];
        char what[64];
        snprintf(what, sizeof what, "shape %d, %d x %d, %g pinned", shape, size[0], size[1], pins);
        sheet s;
        sheet_create(&s, size[0], size[1], shapes[shape], pins);
        check_matrices(&s, what);
        sheet_free(&s);
    }
}

static void test_all_pinned(void **state) {
    (void)state;
    sheet s;
    sheet_create(&s, 23, 14, in_rectangle, 2.0);
    multigrid m;
    assert_ok(multigrid_create(&m, &s.grid));
    multigrid_base base = base_of(&s, 0.5f, false);
    multigrid_fill(&m, &base);
    for (int k = 0; k < m.count; k++) {
        for (size_t i = 0; i < m.levels[k].grid.size * MATRIX_PLANES; i++) {
            assert_true(m.levels[k].plane[0][i] == 0.0f);
        }
    }
    for (int i = 0; i < m.unknowns * m.unknowns; i++) {
        assert_true(isfinite(m.exact[i]));
    }
    multigrid_free(&m);
    sheet_free(&s);
}

/* Every size ends with few texels. */
static void test_any_size_halves(void **state) {
    (void)state;
    for (int n = 0; n < 60 * 60 + 4; n++) {
        int columns = 2 + n % 60, rows = 2 + n / 60;
        if (n >= 60 * 60) {
            columns = n % 2 ? 2 + n % 3 : 1000;
            rows = n % 2 ? 1000 : 2 + n % 3;
        }
        grid g = {.spacing = 0.01f};
        grid_set_texels(&g, columns, rows);
        multigrid m;
        assert_ok(multigrid_create(&m, &g));
        for (int k = 1; k < m.count; k++) {
            const grid *finer = &m.levels[k - 1].grid, *coarse = &m.levels[k].grid;
            assert_int_equal(coarse->columns, finer->columns / 2 + 1);
            assert_int_equal(coarse->rows, finer->rows / 2 + 1);
        }
        assert_in_range(m.unknowns, 4, 100);
        multigrid_free(&m);
    }
}

/* ---- the finest matrix bounds the energy --------------------------------------------------------
 */

/* A symmetric matrix of three unknowns a texel. */
typedef struct hessian {
    size_t texels, size;
    double *a;
} hessian;

static void add_block(hessian *h, size_t t, size_t u, double block[3][3], double factor) {
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++) {
            h->a[(3 * t + i) * h->size + 3 * u + j] += factor * block[i][j];
        }
    }
}

/* Second derivative of a spring's energy, compressed or not. */
static void add_spring(hessian *h, const double *x, size_t t, size_t u, double rest, double k) {
    double d[3], squared = 0.0, block[3][3];
    for (int i = 0; i < 3; i++) {
        d[i] = x[3 * u + (size_t)i] - x[3 * t + (size_t)i];
        squared += d[i] * d[i];
    }
    double across = k * (1.0 - rest / sqrt(squared));
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            block[i][j] = (i == j ? across : 0.0) + (k - across) * d[i] * d[j] / squared;
        }
    }
    add_block(h, t, t, block, 1.0);
    add_block(h, u, u, block, 1.0);
    add_block(h, t, u, block, -1.0);
    add_block(h, u, t, block, -1.0);
}

/* That of weight / 2 |sum of factors * positions|^2. */
static void add_difference(hessian *h, int count, const size_t *texels, const double *factors,
                           double weight) {
    for (int a = 0; a < count; a++) {
        for (int b = 0; b < count; b++) {
            for (size_t i = 0; i < 3; i++) {
                h->a[(3 * texels[a] + i) * h->size + 3 * texels[b] + i] +=
                    weight * factors[a] * factors[b];
            }
        }
    }
}

static double distance_of(const double *x, size_t t, size_t u) {
    return sqrt((x[3 * t] - x[3 * u]) * (x[3 * t] - x[3 * u]) +
                (x[3 * t + 1] - x[3 * u + 1]) * (x[3 * t + 1] - x[3 * u + 1]) +
                (x[3 * t + 2] - x[3 * u + 2]) * (x[3 * t + 2] - x[3 * u + 2]));
}

/* A thread between two texels, and what binds it to its limit of 3 %. */
static void add_thread(hessian *h, const multigrid *m, const double *x, const size_t ends_[2],
                       const size_t places[2], double k) {
    const double rest = (double)m->levels[0].grid.spacing, longest = 1.03 * rest;
    add_spring(h, x, ends_[0], ends_[1], rest, k);
    if (distance_of(x, ends_[0], ends_[1]) > longest) {
        add_spring(h, x, ends_[0], ends_[1], longest,
                   k * (double)fminf(m->bound[places[0]], m->bound[places[1]]));
    }
}

/* All of it, at positions: springs, bending and inertia. */
static hessian hessian_at(const sheet *s, const multigrid *m, const multigrid_base *base,
                          const double *x) {
    const grid *g = &s->grid;
    const double rate = 1.0 / ((double)base->substep * (double)base->substep);
    const size_t stride = (size_t)g->stride, row_texels = (size_t)g->columns;
    hessian h = {.texels = grid_texels(g), .size = 3 * grid_texels(g)};
    h.a = zeros(h.size * h.size);
    for (int n = 0; n < (int)h.texels; n++) {
        size_t t = (size_t)n, k = grid_index(g, n % g->columns, n / g->columns);
        const float *c = s->coverage + k;
        const double mass = s->inverse_mass[t] > 0.0f ? 1.0 / (double)s->inverse_mass[t] : 0.0;
        add_difference(&h, 1, &t, (const double[]){1.0}, rate * mass);
        for (int axis = 0; axis < 2; axis++) {
            ptrdiff_t next = axis == 0 ? 1 : (ptrdiff_t)stride,
                      side = axis == 0 ? -(ptrdiff_t)stride : -1;
            size_t step = axis == 0 ? 1 : row_texels;
            float after = thread_weight(c[0], c[side]),
                  before = thread_weight(c[-next], c[side - next]);
            double stiffness = (double)(axis == 0 ? base->stretch_u : base->stretch_v);
            if (after > 0.0f) {
                add_thread(&h, m, x, (const size_t[]){t, t + step},
                           (const size_t[]){k, (size_t)((ptrdiff_t)k + next)},
                           stiffness * (double)after);
            }
            if (fminf(before, after) > 0.0f) {
                add_difference(&h, 3, (const size_t[]){t - step, t, t + step},
                               (const double[]){1.0, -2.0, 1.0},
                               (double)(base->bend * fminf(before, after)));
            }
        }
        if (c[0] > 0.0f) {
            const size_t corner[] = {t, t + 1, t + row_texels, t + row_texels + 1};
            double shear = (double)(base->shear * c[0]);
            add_spring(&h, x, corner[0], corner[3], sqrt(2.0) * (double)g->spacing, shear);
            add_spring(&h, x, corner[1], corner[2], sqrt(2.0) * (double)g->spacing, shear);
            add_difference(&h, 4, corner, (const double[]){1.0, -1.0, -1.0, 1.0},
                           2.0 * (double)(base->bend * c[0]));
        }
    }
    return h;
}

/* The matrix less the second derivative, of texels that are free. The others have 1. */
static void subtract_from(hessian *h, const sheet *s, const multigrid *m) {
    double *a = dense_of(&m->levels[0]);
    for (size_t i = 0; i < h->size * h->size; i++) {
        size_t t = i / h->size / 3, u = i % h->size / 3;
        bool same_axis = i / h->size % 3 == i % h->size % 3;
        bool both = s->inverse_mass[t] > 0.0f && s->inverse_mass[u] > 0.0f;
        double bound = same_axis ? a[t * h->texels + u] : 0.0;
        h->a[i] = both ? bound - h->a[i] : (double)(i % (h->size + 1) == 0);
    }
    free(a);
}

/* Is the matrix, with a little more on its diagonal, positive? By Cholesky. */
static bool is_positive(hessian *h, double more) {
    size_t n = h->size;
    double *a = h->a;
    for (size_t j = 0; j < n; j++) {
        double d = a[j * n + j] + more;
        for (size_t k = 0; k < j; k++) {
            d -= a[j * n + k] * a[j * n + k];
        }
        if (!(d > 0.0)) {
            return false;
        }
        a[j * n + j] = sqrt(d);
        for (size_t i = j + 1; i < n; i++) {
            for (size_t k = 0; k < j; k++) {
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] /= a[j * n + j];
        }
    }
    return true;
}

static void check_bound(int size, int shape, double pins, float bend, bool bounded) {
    sheet s;
    sheet_create(&s, size, size + 1, shapes[shape], pins);
    multigrid m;
    assert_ok(multigrid_create(&m, &s.grid));
    multigrid_base base = base_of(&s, bend, bounded);
    multigrid_fill(&m, &base);
    double *x = zeros(3 * grid_texels(&s.grid));
    double crumpled = pow(10.0, -2.0 * random_number()), wide = 0.5 + random_number();
    for (int t = 0; t < (int)grid_texels(&s.grid); t++) {
        for (int k = 0; k < 3; k++) {
            double flat = k == 0 ? t % size : k == 1 ? (double)(t / size) : 0.0;
            x[3 * t + k] =
                (double)s.grid.spacing * (wide * flat + crumpled * (double)random_float());
        }
    }
    hessian h = hessian_at(&s, &m, &base, x);
    subtract_from(&h, &s, &m);
    /* The matrix has floats in it, whose rounding is relative to the largest of them. */
    if (!is_positive(&h, 1e-6 * (double)(base.stretch_u * 40.0f + 64.0f * bend))) {
        fail_msg("size %d, shape %d, %g pinned, bend %g, %s: the matrix is smaller than the "
                 "energy's second derivative",
                 size, shape, pins, (double)bend, bounded ? "bound" : "not bound");
    }
    free(h.a);
    free(x);
    multigrid_free(&m);
    sheet_free(&s);
}

static void test_matrix_is_not_smaller_than_the_energy(void **state) {
    (void)state;
    seed = 4;
    for (int n = 0; n < 10 * SHAPES; n++) {
        for (int kind = 0; kind < 4; kind++) {
            check_bound(2 + n % 6, n % SHAPES, n % 2 ? 0.2 : 0.0, kind % 2 ? 1e4f : 1.0f, kind > 1);
        }
    }
}

/* ---- cycles -------------------------------------------------------------------------------------
 */

/* What cycles run on. */
typedef struct cycled {
    const float *inverse_mass;
    multigrid matrix;
    cycle_state cycle;
} cycled;

static void cycled_create(cycled *s, const grid *g, const multigrid_base *base) {
    *s = (cycled){.inverse_mass = base->inverse_mass};
    assert_ok(multigrid_create(&s->matrix, g));
    multigrid_fill(&s->matrix, base);
    assert_ok(cycle_state_create(&s->cycle, &s->matrix, base->coverage, false));
}

static void cycled_free(cycled *s) {
    cycle_state_free(&s->cycle);
    multigrid_free(&s->matrix);
}

static void run_pass(cycled *s, pass p, int depth) {
    const pass_args args = {.cycle = &s->cycle, .level = depth};
    passes_scalar.row_passes[p](&args, 0, s->matrix.levels[depth].grid.rows);
}

/* From the forces of the finest level to its correction, in the order of step/implicit.c. */
static void run_cycle(cycled *s) {
    const int last = s->matrix.count - 1;
    const matrix_level *l = &s->matrix.levels[0];
    for (int axis = 0; axis < 3; axis++) {
        for (size_t k = 0; k < l->grid.size; k++) {
            s->cycle.levels[0].at.plane[CYCLE_ex + axis][k] =
                CYCLE_FIRST * l->plane[MATRIX_INVERSE][k] *
                s->cycle.levels[0].at.plane[CYCLE_rx + axis][k];
        }
    }
    for (int k = 0; k < last; k++) {
        run_pass(s, PASS_DEFECT, k);
        run_pass(s, PASS_DOWN, k + 1);
    }
    run_pass(s, PASS_EXACT, last);
    for (int k = last - 1; k >= 0; k--) {
        run_pass(s, PASS_UP, k);
        run_pass(s, PASS_SWEEP, k);
        run_pass(s, PASS_SWEEP_BACK, k);
    }
}

/* r = -A x into the planes of the forces; returns its length. */
static double put_forces(cycled *s, const double *x) {
    const grid *g = &s->matrix.levels[0].grid;
    double squared = 0.0;
    for (int t = 0; t < (int)grid_texels(g); t++) {
        int i = t % g->columns, j = t / g->columns;
        double r = 0.0;
        for (int n = 0; n < AROUND; n++) {
            double value = entry(&s->matrix.levels[0], i, j, n);
            r -= value != 0.0 ? value * x[t + steps[n][0] + steps[n][1] * g->columns] : 0.0;
        }
        squared += r * r;
        for (int axis = 0; axis < 3; axis++) {
            s->cycle.levels[0].at.plane[CYCLE_rx + axis][grid_index(g, i, j)] = (float)r;
        }
    }
    return sqrt(squared);
}

/* Forces this much smaller than they were at first are no longer those of floats. */
static const double SMALL = 1e-20;

/* By how much a cycle makes forces smaller: the mean over the last four of twelve, from positions
 * at random. Fewer where nothing is left sooner. */
static double factor_of(cycled *s) {
    enum { CYCLES = 12, LAST = 4 };
    int last = 0;
    const grid *g = &s->matrix.levels[0].grid;
    double *x = zeros(grid_texels(g)), lengths[CYCLES + 1];
    seed = 5;
    for (size_t t = 0; t < grid_texels(g); t++) {
        x[t] = s->inverse_mass[t] > 0.0f ? 2.0 * random_number() - 1.0 : 0.0;
    }
    lengths[0] = put_forces(s, x);
    while (last < CYCLES && lengths[last] > SMALL * lengths[0]) {
        run_cycle(s);
        for (int t = 0; t < (int)grid_texels(g); t++) {
            size_t k = grid_index(g, t % g->columns, t / g->columns);
            x[t] += (double)s->cycle.levels[0].at.ex[k];
        }
        lengths[++last] = put_forces(s, x);
    }
    free(x);
    int first = last > LAST ? last - LAST : 0;
    return last > first ? pow(lengths[last] / lengths[first], 1.0 / (last - first)) : 0.0;
}

/* The texel that is nearest to an upper corner of the grid. */
static int upper_corner(const grid *g, const float *mass, int column) {
    int nearest = -1, distance = 0;
    for (int t = 0; t < (int)grid_texels(g); t++) {
        int i = t % g->columns - column, j = t / g->columns - (g->rows - 1);
        if (mass[t] > 0.0f && (nearest < 0 || i * i + j * j < distance)) {
            nearest = t;
            distance = i * i + j * j;
        }
    }
    return nearest;
}

/* The factor of cotton that hangs by its two upper corners. */
static double factor_of_cotton(const grid *g, const float *coverage, float substep) {
    const toile_fabric cotton = toile_fabric_named("cotton");
    const springs k = springs_create(&cotton, (double)g->spacing, (double)substep, false);
    size_t texels = grid_texels(g);
    float *mass = calloc(texels, sizeof(float)), *inverse_mass = calloc(texels, sizeof(float));
    assert_true(mass && inverse_mass);
    for (int t = 0; t < (int)texels; t++) {
        float share = grid_texel_share(g, coverage, t % g->columns, t / g->columns);
        mass[t] = cotton.density * g->spacing * g->spacing * share;
        inverse_mass[t] = mass[t] > 0.0f ? 1.0f / mass[t] : 0.0f;
    }
    inverse_mass[upper_corner(g, mass, 0)] = 0.0f;
    inverse_mass[upper_corner(g, mass, g->columns - 1)] = 0.0f;
    cycled s;
    cycled_create(&s, g,
                  &(multigrid_base){.coverage = coverage,
                                    .mass = mass,
                                    .inverse_mass = inverse_mass,
                                    .spacing = g->spacing,
                                    .stretch_u = (float)k.stretch[0],
                                    .stretch_v = (float)k.stretch[1],
                                    .shear = (float)k.shear,
                                    .bend = (float)k.bend * (1.0f + cotton.damping / substep),
                                    .substep = substep});
    double factor = factor_of(&s);
    cycled_free(&s);
    free(mass);
    free(inverse_mass);
    return factor;
}

static const float SUBSTEPS[] = {1.0f / 480.0f, 1.0f / 60.0f};

static void check_rectangle(int columns, int rows, float substep) {
    grid g = {0};
    const float spacing = 1.0f / (float)(columns > rows ? columns - 1 : rows - 1);
    const float size[2] = {spacing * (float)(columns - 1), spacing * (float)(rows - 1)};
    assert_ok(grid_create(&g, size, spacing));
    assert_int_equal(g.columns, columns);
    assert_int_equal(g.rows, rows);
    float *coverage = calloc(g.size, sizeof(float));
    assert_non_null(coverage);
    grid_cover(&g, coverage);
    double factor = factor_of_cotton(&g, coverage, substep);
    if (!(factor <= 0.25)) {
        fail_msg("%d x %d, %g s: %.3f a cycle", columns, rows, (double)substep, factor);
    }
    free(coverage);
}

static void test_factor_of_rectangles(void **state) {
    (void)state;
    static const int sides[][2] = {{33, 33},   {65, 65},   {101, 101}, {225, 225}, {481, 481},
                                   {100, 101}, {480, 200}, {2, 1000},  {300, 7}};
    for (size_t n = 0; n < 2 * sizeof sides / sizeof *sides; n++) {
        check_rectangle(sides[n / 2][0], sides[n / 2][1], SUBSTEPS[n % 2]);
    }
}

static void test_factor_of_outlines(void **state) {
    (void)state;
    static const float spacings[] = {0.04f, 0.021f, 0.01f, 0.005f, 0.002f};
    for (int n = 0; n < MAKERS * 5 * 2; n++) {
        test_outline shape;
        makers[n / 10](&shape);
        toile_panel *piece = cook_outline(&shape, spacings[n / 2 % 5], 10.0f);
        double factor = factor_of_cotton(&piece->grid, piece->coverage, SUBSTEPS[n % 2]);
        if (!(factor <= 0.5)) {
            fail_msg("outline %d, %g m, %g s: %.3f a cycle", n / 10, (double)spacings[n / 2 % 5],
                     (double)SUBSTEPS[n % 2], factor);
        }
        toile_panel_destroy(piece);
    }
}

/* Whatever is pinned and cut out, also where coarse matrices are singular. */
static void test_cycles_converge_on_all_sheets(void **state) {
    (void)state;
    static const double shares[] = {0.0, 0.02, 0.3};
    for (unsigned n = 0; n < SIZE_COUNT * SHAPES * 3; n++) {
        const int *size = SIZES[n % SIZE_COUNT];
        seed = n + 1;
        sheet s;
        sheet_create(&s, size[0], size[1], shapes[n / SIZE_COUNT % SHAPES],
                     shares[n / SIZE_COUNT / SHAPES]);
        multigrid_base base = base_of(&s, 0.5f, false);
        cycled c;
        cycled_create(&c, &s.grid, &base);
        double factor = factor_of(&c);
        if (!(factor < 1.0)) {
            fail_msg("sheet %u, %d x %d: %.3f a cycle", n, size[0], size[1], factor);
        }
        cycled_free(&c);
        sheet_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coarse_matrices),
        cmocka_unit_test(test_all_pinned),
        cmocka_unit_test(test_any_size_halves),
        cmocka_unit_test(test_matrix_is_not_smaller_than_the_energy),
        cmocka_unit_test(test_cycles_converge_on_all_sheets),
        cmocka_unit_test(test_factor_of_rectangles),
        cmocka_unit_test(test_factor_of_outlines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
