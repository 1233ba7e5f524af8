/* The lists of couplings on all levels: P' of a row is exactly the row of the next level, merging
 * loses none, and tied panels are one part. */
#include "base/memory.h"
#include "cook/system.h"
#include "kernel/coupling.h"
#include "worlds.h"

enum { PANELS = 3, ROWS = 40, FINE_ROWS = 8 };

/* Two panels that are tied, the second twice to itself, and one alone. */
typedef struct case_of {
    grid grids[PANELS];
    float *planes[PANELS]; /* coverage and inverse masses */
    system_base bases[PANELS];
    coupling_base rows[ROWS];
    equations e;
} case_of;

static coupling_end end_at(int panel_index, float u, float v) {
    coupling_end end = {.panel = panel_index, .column = (int)u, .row = (int)v};
    const float a = u - (float)end.column, b = v - (float)end.row;
    const float along[2] = {1.0f - a, a}, across[2] = {1.0f - b, b};
    for (int k = 0; k < CELL_CORNERS; k++) {
        end.weights[k] = along[k % 2] * across[k / 2];
    }
    return end;
}

static void make_case(case_of *c) {
    static const int columns[PANELS] = {34, 41, 30}, rows[PANELS] = {41, 37, 30};
    for (int p = 0; p < PANELS; p++) {
        c->grids[p] = (grid){.spacing = 0.01f};
        grid_set_texels(&c->grids[p], columns[p], rows[p]);
        c->planes[p] = memory_alloc(c->grids[p].size, sizeof(float), "a test");
        assert_non_null(c->planes[p]);
        for (int t = 0; t < columns[p] * rows[p]; t++) {
            c->planes[p][grid_index(&c->grids[p], t % columns[p], t / columns[p])] = 1.0f;
        }
        c->bases[p] = (system_base){&c->grids[p], c->planes[p], c->planes[p]};
    }
    c->planes[1][grid_index(&c->grids[1], 0, 3)] = 0.0f; /* pinned, and at the tie */
    for (int i = 0; i < ROWS; i++) {
        const float at = 0.3f + 0.9f * (float)i;
        c->rows[i] = (coupling_base){.ends = {end_at(0, 32.9f, at), end_at(1, 0.4f, at)}};
        c->rows[i].fine = i < FINE_ROWS;
    }
    c->rows[ROWS - 1].ends[0] = end_at(1, 3.5f, 3.5f);
    c->rows[ROWS - 2] = (coupling_base){.ends = {end_at(1, 8.5f, 8.5f), {.panel = NO_PANEL}}};
    assert_int_equal(equations_create(&c->e, c->bases, PANELS, c->rows, ROWS), TOILE_OK);
}

static void free_case(case_of *c) {
    equations_free(&c->e);
    for (int p = 0; p < PANELS; p++) {
        free(c->planes[p]);
    }
}

static void test_tied_panels_are_a_part(void **state) {
    (void)state;
    case_of c;
    make_case(&c);
    assert_int_equal(c.e.parts, 2);
    assert_int_equal(c.e.part_of[0], c.e.part_of[1]);
    assert_int_not_equal(c.e.part_of[0], c.e.part_of[2]);
    const int last = c.e.part[0].levels - 1;
    const system_panel *panels = c.e.level[last].panels;
    assert_true(panels[0].last && panels[1].last);
    assert_int_equal(panels[0].unknown, 0);
    assert_int_equal(panels[1].unknown, 3 * (int)grid_texels(&panels[0].grid));
    assert_true(c.e.part[0].unknowns <= 3 * 64);
    free_case(&c);
}

static double value_at(const double *plane, const coupling_row *row) {
    double sum = 0.0;
    for (int k = 0; k < row->count; k++) {
        sum += (double)row->weights[k] * plane[row->texels[k]];
    }
    return sum;
}

/* P of what the coarse level has, 0 where texels are pinned. */
static double *interpolate(const case_of *c, int depth, const double *coarse) {
    const system_level *fine = &c->e.level[depth - 1], *l = &c->e.level[depth];
    double *out = memory_alloc(fine->size, sizeof *out, "a test");
    assert_non_null(out);
    for (int p = 0; p < PANELS; p++) {
        const system_panel *own = &l->panels[p], *from = &fine->panels[p];
        for (int t = 0; own->there && t < (int)grid_texels(&from->grid); t++) {
            const int i = t % from->grid.columns, j = t / from->grid.columns;
            const double *at = coarse + own->first + grid_index(&own->grid, i / 2, j / 2);
            const ptrdiff_t right = i % 2, up = j % 2 * own->grid.stride;
            const size_t to = grid_index(&from->grid, i, j);
            bool there = depth > 1 || c->planes[p][to] > 0.0f;
            out[from->first + to] =
                there ? 0.25 * (at[0] + at[right] + at[up] + at[right + up]) : 0.0;
        }
    }
    return out;
}

/* The first coarse level has the rows one by one; where rows are merged, the value is the mean. */
static void test_rows_are_exact_on_every_level(void **state) {
    (void)state;
    case_of c;
    make_case(&c);
    unsigned seed = 5;
    for (int depth = 1; depth < c.e.part[0].levels; depth++) {
        const system_level *l = &c.e.level[depth];
        double *coarse = memory_alloc(l->size, sizeof *coarse, "a test");
        assert_non_null(coarse);
        for (size_t k = 0; k < l->size; k++) {
            seed = seed * 1664525u + 1013904223u;
            coarse[k] = (double)(seed >> 8) / 16777216.0;
        }
        double *fine = interpolate(&c, depth, coarse);
        for (int r = 0; r < l->couplings.rows; r++) {
            const int first = l->couplings.first_finer[r], end = l->couplings.first_finer[r + 1];
            double mean = 0.0;
            for (int i = first; i < end; i++) {
                mean += value_at(fine, &l[-1].couplings.row[l->couplings.finer[i]]) / (end - first);
            }
            assert_near(value_at(coarse, &l->couplings.row[r]), mean, 1e-6);
        }
        free(coarse);
        free(fine);
    }
    free_case(&c);
}

/* Every row of a level goes into one of the next, but for those of the finest level alone, and they
 * get fewer. */
static void test_merging_loses_no_row(void **state) {
    (void)state;
    case_of c;
    make_case(&c);
    for (int depth = 1; depth < c.e.part[0].levels; depth++) {
        const coupling_level *l = &c.e.level[depth].couplings;
        const coupling_level *fine = &c.e.level[depth - 1].couplings;
        int seen[ROWS] = {0};
        const int left_out = depth == 1 ? FINE_ROWS : 0;
        assert_int_equal(l->first_finer[l->rows], fine->rows - left_out);
        for (int i = 0; i < fine->rows - left_out; i++) {
            seen[l->finer[i]]++;
        }
        for (int i = 0; i < fine->rows; i++) {
            assert_int_equal(seen[i], i >= left_out);
        }
        print_message("level %d: %d rows, %d texels\n", depth, l->rows, l->touched);
    }
    assert_int_equal(c.e.level[1].couplings.rows, ROWS - FINE_ROWS);
    assert_true(c.e.level[3].couplings.rows <= ROWS / 2);
    free_case(&c);
}

/* Each touched texel lists the rows that it is in, once; pinned ones are not touched. */
static void test_texels_list_their_rows(void **state) {
    (void)state;
    case_of c;
    make_case(&c);
    const uint32_t pinned =
        (uint32_t)(c.e.level[0].panels[1].first + grid_index(&c.grids[1], 0, 3));
    for (int depth = 0; depth < c.e.part[0].levels; depth++) {
        const coupling_level *l = &c.e.level[depth].couplings;
        int entries = 0;
        for (int r = 0; r < l->rows; r++) {
            for (int k = 0; k < l->row[r].count; k++) {
                assert_true(l->row[r].weights[k] != 0.0f);
                entries += !(depth == 0 && l->row[r].texels[k] == pinned);
            }
        }
        assert_int_equal(l->texel[l->touched].first, entries);
        for (int t = 0; t < l->touched; t++) {
            assert_true(t == 0 || l->texel[t].texel > l->texel[t - 1].texel);
            assert_true(depth > 0 || l->texel[t].texel != pinned);
        }
    }
    free_case(&c);
}

/* A stiffness relative to texels: alone in one direction, and the same in all of a round block. */
static void test_relative_stiffness(void **state) {
    (void)state;
    const v3 none = v3_make(0.0f, 0.0f, 0.0f), up = v3_make(0.0f, 1.0f, 0.0f);
    const block own = block_lift(block_zero(), 1.0f / 20.0f);
    block give = coupling_give(coupling_give(block_zero(), own, 1.0f), own, -1.0f);
    const block all = coupling_stiffness(0.0f, none, give),
                one = coupling_stiffness(0.0f, up, give);
    assert_near((double)all.diagonal.x, 40.0, 1e-3); /* 4 / (1 / 20 + 1 / 20) */
    assert_near((double)all.sides.x, 0.0, 1e-3);
    assert_near((double)one.diagonal.x, 0.0, 1e-3);
    assert_near((double)one.diagonal.y, 40.0, 1e-3);
    assert_near((double)coupling_stiffness(7.0f, none, give).diagonal.z, 7.0, 1e-6);
    assert_near((double)coupling_stiffness(-1.0f, none, give).diagonal.z, 0.0, 1e-6);
    assert_near((double)coupling_stiffness(0.0f, none, block_zero()).diagonal.z, 0.0, 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tied_panels_are_a_part),
        cmocka_unit_test(test_rows_are_exact_on_every_level),
        cmocka_unit_test(test_merging_loses_no_row),
        cmocka_unit_test(test_texels_list_their_rows),
        cmocka_unit_test(test_relative_stiffness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
