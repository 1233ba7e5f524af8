/* A cycle over the matrices of the implicit solver converges, and how fast. */
#include "matrices.h"
#include "outlines.h"

#include "cook/panel.h"
#include "cook/springs.h"
#include "cpu/passes.h"
#include "kernel/implicit.h"

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
            r -= value != 0.0 ? value * x[t + STEPS[n][0] + STEPS[n][1] * g->columns] : 0.0;
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
        cmocka_unit_test(test_cycles_converge_on_all_sheets),
        cmocka_unit_test(test_factor_of_rectangles),
        cmocka_unit_test(test_factor_of_outlines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
