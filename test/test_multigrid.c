/* The matrices of the implicit solver: each coarse one is the Galerkin product of the finer, the
 * finest is nowhere smaller than the second derivative of the energy, and the coarsest is inverted.
 */
#include <stdio.h>

#include "matrices.h"

#include "cook/springs.h"

/* ---- whole matrices -----------------------------------------------------------------------------
 */

/* The whole matrix; what couples with texels that are not on the grid must be 0, for passes read
 * what stands there. */
static double *dense_of(const matrix_level *l) {
    const grid *g = &l->grid;
    size_t n = grid_texels(g);
    double *a = zeros(n * n);
    for (int t = 0; t < (int)n; t++) {
        int i = t % g->columns, j = t / g->columns;
        for (int m = 0; m < AROUND; m++) {
            int to_i = i + STEPS[m][0], to_j = j + STEPS[m][1];
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
            int others = hangs_on(coarse, i + STEPS[m][0], j + STEPS[m][1], to, v);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coarse_matrices),
        cmocka_unit_test(test_all_pinned),
        cmocka_unit_test(test_any_size_halves),
        cmocka_unit_test(test_matrix_is_not_smaller_than_the_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
