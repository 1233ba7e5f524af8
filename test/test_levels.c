/* The cooked hierarchy of the multilevel solver, for sheets of every shape: nothing is lost on the
 * way to coarser levels, and nothing is tied together that is not. What goes down and comes back
 * is in test_level_means.c. */
#include "sheets.h"

/* ---- representatives and pins -------------------------------------------------------------------
 */

/* A coarse texel exists if one of the four it stands for does, and is one of them: a pinned one if
 * there is any, else the one in the middle if there is one. */
static void check_texel(const sheet *s, int depth, int i, int j) {
    int place = place_of(s, depth, i, j), middle = place_of(s, depth - 1, 2 * i, 2 * j);
    bool any = false, found = false, held = false;
    for (int n = 0; n < 4; n++) {
        int fi = 2 * i - n % 2, fj = 2 * j - n / 2, fine = place_of(s, depth - 1, fi, fj);
        if (fine >= 0) {
            any = true;
            held = held || is_pinned(s, fine);
            found = found || fine == place;
        }
    }
    if (any != (place >= 0) || any != found) {
        fail_at(s, depth, i, j, "is not one of those it stands for");
    }
    const grid *g = grid_of(s, depth);
    float inverse = s->levels.items[depth].inverse_mass[grid_index(g, i, j)];
    if (any && held && (!is_pinned(s, place) || inverse != 0.0f)) {
        fail_at(s, depth, i, j, "has lost a pin");
    }
    if (any && !held && !(inverse > 0.0f)) {
        fail_at(s, depth, i, j, "is free and does not move");
    }
    if (!any && inverse != 0.0f) {
        fail_at(s, depth, i, j, "is absent and has mass");
    }
    if (!held && middle >= 0 && place != middle) {
        fail_at(s, depth, i, j, "is not the one in the middle");
    }
}

static void check_texels(const sheet *s) {
    for (int depth = 1; depth < s->levels.count; depth++) {
        const grid *g = grid_of(s, depth);
        for (int j = 0; j < g->rows; j++) {
            for (int i = 0; i < g->columns; i++) {
                check_texel(s, depth, i, j);
            }
        }
    }
}

/* ---- edges --------------------------------------------------------------------------------------
 */

/* The ends of an edge, as texels of its level. */
static int end_of(const sheet *s, int depth, level_edge kind, int end, int i, int j) {
    const int *step = ends[kind][end];
    return i + step[0] + (j + step[1]) * grid_of(s, depth)->columns;
}

/* Threads of a whole sheet are straight, and so are diagonals between means that are evenly spaced;
 * what the others are, check_way says. */
static void check_whole_edge(const sheet *s, int depth, level_edge kind, int i, int j) {
    int a = end_of(s, depth, kind, 0, i, j), b = end_of(s, depth, kind, 1, i, j);
    double *const *f = s->fields[depth];
    double u = fabs(f[FIELD_U][a] - f[FIELD_U][b]), v = fabs(f[FIELD_V][a] - f[FIELD_V][b]);
    float rest = s->levels.items[depth].rest[kind][grid_index(grid_of(s, depth), i, j)];
    double length = (double)rest / (double)s->grid.spacing, flat = hypot(u, v);
    bool even = fabs(u - (1 << depth)) < 1e-5 && fabs(v - (1 << depth)) < 1e-5;
    bool straight = kind == EDGE_U || kind == EDGE_V || even;
    if (straight && !(fabs(length - flat) <= 1e-5 * flat)) {
        fail_at(s, depth, i, j, "has an edge of another length than the way over the cloth");
    }
}

static void check_edge(const sheet *s, int depth, level_edge kind, int i, int j, bool whole) {
    const level *l = &s->levels.items[depth];
    float rest = l->rest[kind][grid_index(&l->grid, i, j)];
    int a = place_of(s, depth, i + ends[kind][0][0], j + ends[kind][0][1]);
    int b = place_of(s, depth, i + ends[kind][1][0], j + ends[kind][1][1]);
    if (rest >= LEVEL_NO_EDGE) {
        if (whole && a >= 0 && b >= 0) {
            fail_at(s, depth, i, j, "has no edge to its neighbour");
        }
        return;
    }
    if (a < 0 || b < 0 || a == b) {
        fail_at(s, depth, i, j, "has an edge to nothing");
    }
    if (s->part[a] != s->part[b]) {
        fail_at(s, depth, i, j, "has an edge to another piece of cloth");
    }
    double flat =
        flat_distance(s, depth, end_of(s, depth, kind, 0, i, j), end_of(s, depth, kind, 1, i, j));
    double length = (double)rest / (double)s->grid.spacing;
    if (!(length > 0.0 && length > flat * (1.0 - 1e-5))) {
        fail_at(s, depth, i, j, "has an edge that is shorter than the way through the air");
    }
    if (whole) {
        check_whole_edge(s, depth, kind, i, j);
    }
}

static void check_edges(const sheet *s, bool whole) {
    for (int depth = 1; depth < s->levels.count; depth++) {
        const grid *g = grid_of(s, depth);
        for (int kind = 0; kind < EDGE_KINDS; kind++) {
            const float *rest = s->levels.items[depth].rest[kind];
            size_t inside = 0, all = 0;
            for (int j = 0; j < g->rows; j++) {
                for (int i = 0; i < g->columns; i++) {
                    check_edge(s, depth, (level_edge)kind, i, j, whole);
                    inside += rest[grid_index(g, i, j)] < LEVEL_NO_EDGE;
                }
            }
            for (size_t k = 0; k < g->size; k++) {
                all += rest[k] < LEVEL_NO_EDGE;
            }
            assert_int_equal(inside, all); /* none beyond the border, where passes run too */
        }
    }
}

/* The texel of the finer level that is the representative of one. */
static int representative_of(const sheet *s, int depth, int i, int j) {
    int place = place_of(s, depth, i, j);
    for (int n = 0; n < 4; n++) {
        int fi = 2 * i - n % 2, fj = 2 * j - n / 2;
        if (place >= 0 && place_of(s, depth - 1, fi, fj) == place) {
            return fi + fj * grid_of(s, depth - 1)->columns;
        }
    }
    fail_at(s, depth, i, j, "has no representative");
    return -1;
}

/* An edge is as long as the way between the representatives over the threads and diagonals of the
 * finer level, times the distance of the means over theirs. A shorter one would pull the cloth
 * together where it goes around a notch or the end of a slit. A longer one may be, for want of a
 * way within the box of its ends, but not on a whole sheet. */
static void check_way(const sheet *s, int depth, level_edge kind, int i, int j, bool whole) {
    static double way[LARGEST * LARGEST];
    float rest = s->levels.items[depth].rest[kind][grid_index(grid_of(s, depth), i, j)];
    if (rest >= LEVEL_NO_EDGE) {
        return;
    }
    const int(*end)[2] = ends[kind];
    int a = representative_of(s, depth, i + end[0][0], j + end[0][1]);
    int b = representative_of(s, depth, i + end[1][0], j + end[1][1]);
    double means =
        flat_distance(s, depth, end_of(s, depth, kind, 0, i, j), end_of(s, depth, kind, 1, i, j));
    double length = (double)rest / (double)s->grid.spacing;
    double expected = length * flat_distance(s, depth - 1, a, b) / means;
    walk(s, depth - 1, a, expected * 1.001 + 1.0, way);
    if (!(expected > way[b] * (1.0 - 1e-5))) {
        fail_at(s, depth, i, j, "has an edge that is shorter than the cloth");
    }
    if (whole && expected > way[b] * (1.0 + 1e-5)) {
        fail_at(s, depth, i, j, "has an edge that is longer than the cloth");
    }
}

static void check_ways(const sheet *s, bool whole) {
    for (int depth = 1; depth < s->levels.count; depth++) {
        const grid *g = grid_of(s, depth);
        for (int j = 0; j < g->rows; j++) {
            for (int i = 0; i < g->columns; i++) {
                for (int kind = 0; kind < EDGE_KINDS; kind++) {
                    check_way(s, depth, (level_edge)kind, i, j, whole);
                }
            }
        }
    }
}

/* ---- cells --------------------------------------------------------------------------------------
 */

/* Cells whose corners have representatives in their middle are regular. */
static void check_cell(const sheet *s, int depth, int i, int j) {
    const level *l = &s->levels.items[depth];
    const grid *finer = grid_of(s, depth - 1);
    size_t k = grid_index(&l->grid, i, j), fine = grid_index(finer, 2 * i, 2 * j);
    const float *below = depth == 1 ? s->coverage : s->levels.items[depth - 1].regular;
    bool regular = true;
    double share = 0.0;
    for (int n = 0; n < 4; n++) {
        regular = regular && is_regular(s, depth, i + n % 2, j + n / 2);
    }
    for (int n = 0; regular && n < 4; n++) {
        share += 0.25 * (double)below[fine + (size_t)(n % 2) + (size_t)(n / 2 * finer->stride)];
    }
    if (fabs((double)l->regular[k] - share) > 1e-6) {
        fail_at(s, depth, i, j, "has another regular cell than its cloth");
    }
}

static void check_cells(const sheet *s) {
    for (int depth = 1; depth < s->levels.count; depth++) {
        const grid *g = grid_of(s, depth);
        for (int j = 0; j < g->rows; j++) {
            for (int i = 0; i < g->columns; i++) {
                check_cell(s, depth, i, j);
            }
        }
    }
}

/* ---- the tests ----------------------------------------------------------------------------------
 */

static void check_hierarchy(const sheet *s, bool whole, bool pins) {
    (void)pins;
    const grid *last = grid_of(s, s->levels.count - 1);
    assert_true(last->columns == 2 && last->rows == 2);
    check_texels(s);
    check_edges(s, whole);
    check_cells(s);
    if (whole) {
        check_ways(s, true);
    }
}

static void test_rectangles(void **state) {
    (void)state;
    check_rectangles(check_hierarchy);
}

static void test_shapes(void **state) {
    (void)state;
    check_shapes(check_hierarchy);
}

static void test_pins(void **state) {
    (void)state;
    check_pins(check_hierarchy);
}

static void test_edges_are_as_long_as_the_cloth(void **state) {
    (void)state;
    seed = 3;
    const int sizes[4][2] = {{40, 33}, {25, 38}, {32, 17}, {21, 20}};
    for (int k = 0; k < 4; k++) {
        for (int shape = 0; shape < SHAPES; shape++) {
            sheet s;
            double pins = k % 2 ? 0.05 : 0.0;
            sheet_create(&s, sizes[k][0], sizes[k][1], shapes[shape], pins);
            check_ways(&s, shape == 0 && pins <= 0.0);
            sheet_free(&s);
        }
    }
}

/* The slits of the mask are there, or the tests above have not seen them. */
static void test_slits_are_slits(void **state) {
    (void)state;
    sheet s;
    sheet_create(&s, 33, 33, beside_slits, 0.0);
    int left = s.part[5], right = s.part[20];
    assert_true(left >= 0 && right >= 0 && left != right);
    for (int depth = 1; depth < s.levels.count; depth++) {
        const grid *g = grid_of(&s, depth);
        for (int j = 0; j < g->rows; j++) {
            int across = 0;
            for (int i = 0; i + 1 < g->columns; i++) {
                int a = place_of(&s, depth, i, j), b = place_of(&s, depth, i + 1, j);
                across += a >= 0 && b >= 0 && s.part[a] != s.part[b];
            }
            assert_int_equal(across, 1); /* neighbours on both sides, which no edge joins */
        }
    }
    sheet_free(&s);
}

static void test_usual_count(void **state) {
    (void)state;
    const int counts[][3] = {{2, 2, 1},   {24, 24, 3}, {25, 3, 3},    {33, 33, 3},
                             {47, 46, 3}, {48, 9, 3},  {101, 101, 4}, {9, 481, 6}};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        grid g = {0};
        grid_set_texels(&g, counts[k][0], counts[k][1]);
        assert_int_equal(levels_usual_count(&g), counts[k][2]);
    }
    /* Halves until the longer side is about 20. */
    for (int side = 25; side < 100000; side += 1 + side / 7) {
        grid g = {0};
        grid_set_texels(&g, side, 2);
        int count = levels_usual_count(&g), coarsest = side;
        for (int k = 1; k < count; k++) {
            coarsest = coarsest / 2 + 1;
        }
        assert_true((coarsest > 12 || count <= 3) && coarsest <= 24);
    }
}

static void test_count(void **state) {
    (void)state;
    sheet s;
    sheet_create(&s, 33, 20, in_rectangle, 0.0);
    levels_base base = {&s.grid, s.coverage, s.mass, s.inverse_mass};
    for (int count = 1; count <= 6; count++) {
        levels some;
        assert_ok(levels_create(&some, &base, count));
        assert_int_equal(some.count, count);
        for (int k = 1; k < count; k++) {
            assert_int_equal(some.items[k].grid.columns, some.items[k - 1].grid.columns / 2 + 1);
            assert_near((double)some.items[k].grid.spacing, 0.01 * (1 << k), 1e-8);
        }
        levels_free(&some);
    }
    sheet_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rectangles),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_pins),
        cmocka_unit_test(test_edges_are_as_long_as_the_cloth),
        cmocka_unit_test(test_slits_are_slits),
        cmocka_unit_test(test_usual_count),
        cmocka_unit_test(test_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
