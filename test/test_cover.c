/* The cover of a panel: rectangles have the texels and coverage they always had, and other outlines
 * have what counting by brute force finds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cook/cover.h"

static const double PI = 3.14159265358979323846;

static void assert_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%.17g is not %.17g within %g", value, expected, tolerance);
    }
}

/* ---- outlines -----------------------------------------------------------------------------------
 */

typedef double loop_points[2];

/* Loops of straight lines, one behind the other in points, with their box at the origin. */
static outline make(const loop_points *points, const int *counts, int loops) {
    toile_loop loop[8];
    toile_curve *curves[8];
    for (int l = 0; l < loops; l++) {
        curves[l] = calloc((size_t)counts[l], sizeof(toile_curve));
        assert_non_null(curves[l]);
        for (int i = 0; i < counts[l]; i++) {
            for (int k = 0; k < 2; k++) {
                curves[l][i].to[k] = (float)points[(i + 1) % counts[l]][k];
                loop[l].start[k] = (float)points[0][k];
            }
        }
        loop[l].curves = curves[l];
        loop[l].curve_count = counts[l];
        points += counts[l];
    }
    outline o;
    if (outline_create(&o, &(toile_outline){loop, loops}, 1e-5) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    for (int l = 0; l < loops; l++) {
        free(curves[l]);
    }
    outline_move(&o, -o.low[0], -o.low[1]);
    return o;
}

/* In quarters, so that the points farthest out are on the chords, too. */
static outline make_circle(double radius, double hole) {
    toile_curve curves[2][4];
    toile_loop loops[2];
    for (int l = 0; l < 2; l++) {
        double r = l ? hole : radius;
        for (int i = 0; i < 4; i++) {
            double half = r * sqrt(0.5);
            curves[l][i] = (toile_curve){
                TOILE_CURVE_ARC,
                {(float)(i == 3   ? r
                         : i == 1 ? -r
                                  : 0.0),
                 (float)(i == 0   ? r
                         : i == 2 ? -r
                                  : 0.0)},
                {{(float)(i == 0 || i == 3 ? half : -half), (float)(i < 2 ? half : -half)}}};
        }
        loops[l] = (toile_loop){{(float)r, 0.0f}, curves[l], 4};
    }
    outline o;
    if (outline_create(&o, &(toile_outline){loops, hole > 0.0 ? 2 : 1}, 1e-5) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    outline_move(&o, -o.low[0], -o.low[1]);
    return o;
}

static outline make_star(int tips, double radius, double inner) {
    loop_points points[64];
    for (int i = 0; i < 2 * tips; i++) {
        double angle = PI * (0.5 + (double)i / tips), r = i % 2 ? inner : radius;
        points[i][0] = r * cos(angle);
        points[i][1] = r * sin(angle);
    }
    int count = 2 * tips;
    return make((const loop_points *)points, &count, 1);
}

/* ---- covers -------------------------------------------------------------------------------------
 */

typedef struct covered {
    grid grid;
    uint8_t *mask;
    float *coverage;
    int parts;
} covered;

static covered cover(const outline *o, double spacing) {
    covered c;
    assert_int_equal(
        grid_create_for(&c.grid, o->high[0] - o->low[0], o->high[1] - o->low[1], spacing),
        TOILE_OK);
    c.mask = malloc(grid_texels(&c.grid)); /* not zeroed: that is up to cover_outline */
    c.coverage = malloc(c.grid.size * sizeof *c.coverage);
    assert_true(c.mask && c.coverage);
    memset(c.mask, 0xff, grid_texels(&c.grid));
    memset(c.coverage, 0xff, c.grid.size * sizeof *c.coverage);
    assert_int_equal(cover_outline(o, &c.grid, c.mask, c.coverage), TOILE_OK);
    assert_int_equal(cover_count_parts(&c.grid, c.coverage, c.mask, &c.parts), TOILE_OK);
    return c;
}

static void free_cover(covered *c) {
    free(c->mask);
    free(c->coverage);
}

static bool exists(const covered *c, int i, int j) {
    return i >= 0 && j >= 0 && i < c->grid.columns && j < c->grid.rows &&
           c->mask[(size_t)j * (size_t)c->grid.columns + (size_t)i];
}

static double coverage_at(const covered *c, int i, int j) {
    return (double)c->coverage[grid_index(&c->grid, i, j)];
}

/* The outline cut off at one side of a line along an axis (Sutherland and Hodgman), for one convex
 * window after the other: slow, and nothing like the code under test. */
static int cut(const loop_points *in, int count, int axis, double at, double side,
               loop_points *out) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const double *a = in[i], *b = in[(i + 1) % count];
        double da = side * (a[axis] - at), db = side * (b[axis] - at);
        if (da >= 0.0) {
            memcpy(out[kept++], a, sizeof *out);
        }
        if ((da < 0.0) != (db < 0.0)) {
            double t = da / (da - db);
            out[kept][axis] = at;
            out[kept][!axis] = a[!axis] + t * (b[!axis] - a[!axis]);
            kept++;
        }
    }
    return kept;
}

/* m^2 of the panel in a square. Holes run the other way and count as less than nothing. */
static double area_in(const outline *o, double x, double y, double width) {
    static loop_points buffers[2][40000];
    double area = 0.0;
    uint32_t begin = 0;
    for (int l = 0; l < o->loop_count; l++) {
        int count = (int)(o->loop_ends[l] - begin);
        assert_true(count < 10000);
        count = cut((const loop_points *)o->points + begin, count, 0, x, 1.0, buffers[0]);
        count = cut((const loop_points *)buffers[0], count, 0, x + width, -1.0, buffers[1]);
        count = cut((const loop_points *)buffers[1], count, 1, y, 1.0, buffers[0]);
        count = cut((const loop_points *)buffers[0], count, 1, y + width, -1.0, buffers[1]);
        const loop_points *p = (const loop_points *)buffers[1];
        for (int i = 0; i < count; i++) {
            const double *a = p[i], *b = p[(i + 1) % count];
            area += 0.5 * ((a[0] - x) * (b[1] - y) - (a[1] - y) * (b[0] - x));
        }
        begin = o->loop_ends[l];
    }
    return area;
}

/* What holds for every cover. Returns how many cells have exactly what is in them. */
static int check(const outline *o, const covered *c) {
    double s = (double)c->grid.spacing, total = 0.0;
    int exact = 0;
    for (int j = 0; j < c->grid.rows; j++) {
        for (int i = 0; i < c->grid.columns; i++) {
            double touched = area_in(o, (i - 0.5) * s, (j - 0.5) * s, s) / (s * s);
            if (touched > 1e-8 && !exists(c, i, j)) {
                fail_msg("texel %d, %d is touched, by %g, but absent", i, j, touched);
            }
            double most = 0.0;
            for (int k = 0; k < 4 && exists(c, i, j); k++) {
                most = fmax(most, coverage_at(c, i - k % 2, j - k / 2));
            }
            if (exists(c, i, j) && !(most > 0.0)) {
                fail_msg("texel %d, %d has no mass", i, j);
            }
            double covering = coverage_at(c, i, j);
            total += covering;
            bool whole = exists(c, i, j) && exists(c, i + 1, j) && exists(c, i, j + 1) &&
                         exists(c, i + 1, j + 1);
            if (!(covering >= 0.0) || (covering > 0.0 && !whole)) {
                fail_msg("cell %d, %d has %g but lacks a texel", i, j, covering);
            }
            double in_cell = area_in(o, i * s, j * s, s) / (s * s);
            if (whole && in_cell > 1e-8 && !(covering > 0.0)) {
                fail_msg("cell %d, %d has no cloth but %g is there", i, j, in_cell);
            }
            exact += whole && fabs(covering - in_cell) < 1e-6;
        }
    }
    assert_near(total * s * s, o->area, 1e-6 * o->area);
    for (size_t k = 0; k < c->grid.size; k++) { /* nothing in the halo */
        total -= (double)c->coverage[k];
    }
    assert_near(total, 0.0, 1e-9 * (double)c->grid.size);
    return exact;
}

/* Texels whose square the panel does not touch exist only for texels that lack a whole cell. */
static int count_added(const outline *o, const covered *c) {
    double s = (double)c->grid.spacing;
    int added = 0;
    for (int j = 0; j < c->grid.rows; j++) {
        for (int i = 0; i < c->grid.columns; i++) {
            double touched = area_in(o, (i - 0.5) * s, (j - 0.5) * s, s) / (s * s);
            added += exists(c, i, j) && touched < 1e-12;
        }
    }
    return added;
}

static void assert_mirrored(const covered *c, bool left_right) {
    const grid *g = &c->grid;
    for (int j = 0; j < g->rows; j++) {
        for (int i = 0; i < g->columns; i++) {
            int u = left_right ? g->columns - 1 - i : i, v = left_right ? j : g->rows - 1 - j;
            assert_int_equal(exists(c, i, j), exists(c, u, v));
        }
    }
    for (int j = 0; j < g->rows - 1; j++) {
        for (int i = 0; i < g->columns - 1; i++) {
            int u = left_right ? g->columns - 2 - i : i, v = left_right ? j : g->rows - 2 - j;
            assert_near(coverage_at(c, i, j), coverage_at(c, u, v), 1e-6);
        }
    }
}

/* ---- rectangles ---------------------------------------------------------------------------------
 */

/* A rectangle, or the same with one more point on its border, which is no rectangle to the code. */
static void compare_rectangle(float width, float height, float spacing, bool extra) {
    double w = (double)width, h = (double)height;
    outline o;
    if (extra) {
        const loop_points points[] = {{0, 0}, {0.5 * w, 0}, {w, 0}, {w, h}, {0, h}};
        int count = 5;
        o = make(points, &count, 1);
    } else {
        assert_int_equal(outline_create_rectangle(&o, w, h), TOILE_OK);
    }
    covered c = cover(&o, (double)spacing);
    toile_cloth_def def = toile_default_cloth_def();
    def.size[0] = width;
    def.size[1] = height;
    def.spacing = spacing;
    grid g;
    assert_int_equal(grid_create(&g, def.size, def.spacing), TOILE_OK);
    assert_memory_equal(&g, &c.grid, sizeof g);
    float *plane = calloc(g.size, sizeof *plane);
    assert_non_null(plane);
    grid_cover(&g, plane);
    for (int j = 0; j < g.rows; j++) {
        for (int i = 0; i < g.columns; i++) {
            if (!exists(&c, i, j)) {
                fail_msg("%g x %g at %g: texel %d, %d is absent", w, h, (double)spacing, i, j);
            }
            assert_near(coverage_at(&c, i, j), (double)plane[grid_index(&g, i, j)],
                        extra ? 1e-5 : 0.0);
        }
    }
    assert_int_equal(c.parts, 1);
    if (extra) {
        check(&o, &c);
    }
    free(plane);
    free_cover(&c);
    outline_free(&o);
}

static void test_rectangles(void **state) {
    (void)state;
    static const float sizes[] = {0.6f, 0.75f, 1.0f,  1.49f, 1.5f,  1.51f,  2.0f,  3.3f,
                                  5.5f, 7.7f,  10.0f, 10.3f, 10.5f, 10.51f, 10.9f, 12.4999f};
    static const float spacings[] = {1.0f, 0.1f, 0.013f};
    int n = sizeof sizes / sizeof sizes[0];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < 3; k++) {
                compare_rectangle(sizes[i] * spacings[k], sizes[j] * spacings[k], spacings[k],
                                  false);
                compare_rectangle(sizes[i] * spacings[k], sizes[j] * spacings[k], spacings[k],
                                  true);
            }
        }
    }
    compare_rectangle(1.0f, 1.0f, 0.006711409f, false); /* 150 x 150 */
    compare_rectangle(10.0005f, 4.0f, 1.0f, false);     /* what counts as a multiple, too */
    compare_rectangle(10.50004f, 4.0f, 1.0f, false);    /* and a hair of one more column */
    compare_rectangle(10.50004f, 4.0f, 1.0f, true);
    compare_rectangle(6.4999f, 3.0f, 1.0f, true);
}

static void test_last_cell(void **state) {
    (void)state;
    const loop_points points[] = {{0, 0}, {5, 0}, {10.3, 0}, {10.3, 2.3}, {0, 2.3}};
    int count = 5;
    outline o = make(points, &count, 1);
    covered c = cover(&o, 1.0);
    assert_int_equal(c.grid.columns, 11);
    assert_int_equal(c.grid.rows, 3);
    assert_near(coverage_at(&c, 8, 0), 1.0, 1e-6);
    assert_near(coverage_at(&c, 9, 0), 1.3, 1e-6);
    assert_near(coverage_at(&c, 9, 1), 1.69, 1e-6);
    assert_near(coverage_at(&c, 3, 1), 1.3, 1e-6);
    free_cover(&c);
    outline_free(&o);
}

/* Turned by a quarter and put back to the origin, nothing is lost to rounding. */
static void test_turned_rectangle(void **state) {
    (void)state;
    const loop_points points[] = {{0, 0}, {2, 0}, {5.25, 0}, {5.25, 1.75}, {0, 1.75}};
    int count = 5;
    outline o = make(points, &count, 1);
    for (int k = 0; k < 8; k++) {
        outline_turn(&o, 45.0);
        outline_move(&o, -o.low[0], -o.low[1]);
        covered c = cover(&o, 0.5);
        check(&o, &c);
        if (k % 2) {
            assert_int_equal(c.grid.columns * c.grid.rows, 11 * 4);
            assert_int_equal(count_added(&o, &c), 0);
        }
        free_cover(&c);
    }
    outline_free(&o);
}

/* A hole along the borders of texels' squares stays a hole of so many texels, whatever rounding. */
static void test_turned_hole(void **state) {
    (void)state;
    const loop_points points[] = {{0, 0},     {6, 0},     {6, 6},     {0, 6},
                                  {1.5, 1.5}, {4.5, 1.5}, {4.5, 4.5}, {1.5, 4.5}};
    const int counts[] = {4, 4};
    outline o = make(points, counts, 2);
    for (int k = 1; k <= 12; k++) {
        outline_turn(&o, 30.0);
        outline_move(&o, -o.low[0], -o.low[1]);
        if (k % 3 == 0) {
            covered c = cover(&o, 1.0);
            check(&o, &c);
            for (int t = 0; t < 49; t++) {
                bool in_hole = abs(t % 7 - 3) <= 1 && abs(t / 7 - 3) <= 1;
                assert_int_equal(exists(&c, t % 7, t / 7), !in_hole);
            }
            free_cover(&c);
        }
    }
    outline_free(&o);
}

/* ---- other shapes -------------------------------------------------------------------------------
 */

static void test_circle_and_ring(void **state) {
    (void)state;
    static const double spacings[] = {1.0, 0.7, 0.4, 0.1, 0.05, 0.021};
    for (int k = 0; k < 6; k++) {
        for (int ring = 0; ring < 2; ring++) {
            outline o = make_circle(0.5, ring ? 0.31 : 0.0);
            covered c = cover(&o, spacings[k]);
            int exact = check(&o, &c);
            if (k >= 3) { /* the inside is exact */
                double cells = o.area / (spacings[k] * spacings[k]);
                assert_true(exact > cells - 8.0 * 4.0 * PI / spacings[k]);
                assert_int_equal(count_added(&o, &c), 0);
            }
            if (k == 3 || k == 4) { /* 10 and 20 spacings wide */
                assert_mirrored(&c, true);
                assert_mirrored(&c, false);
            }
            assert_int_equal(c.parts, 1);
            free_cover(&c);
            outline_free(&o);
        }
    }
    outline o = make_circle(0.5, 0.31);
    covered c = cover(&o, 0.02);
    assert_false(exists(&c, 25, 25)); /* the hole is one */
    free_cover(&c);
    outline_free(&o);
}

static void test_stars(void **state) {
    (void)state;
    for (int tips = 3; tips < 12; tips++) {
        outline o = make_star(tips, 1.0, 0.15 + 0.05 * tips);
        for (int k = 2; k < 40; k += 3) {
            covered c = cover(&o, 2.0 / k);
            check(&o, &c);
            assert_int_equal(c.parts, 1);
            free_cover(&c);
        }
        outline_free(&o);
    }
}

/* A star that is its own mirror image, on a grid that is, too. */
static void test_mirrored_star(void **state) {
    (void)state;
    for (int k = 4; k < 64; k++) {
        double radius = k / 32.0;
        loop_points points[16];
        for (int i = 0; i < 16; i++) { /* the first quarter, mirrored to the bit */
            int quarter = i / 4, n = quarter % 2 ? 4 - i % 4 : i % 4;
            double r = i % 2 ? 0.23 * radius : radius, angle = PI * n / 8.0;
            double x = n == 4 ? 0.0 : (double)(float)(r * cos(angle));
            double y = n == 0 ? 0.0 : (double)(float)(r * sin(angle));
            points[i][0] = quarter == 1 || quarter == 2 ? -x : x;
            points[i][1] = quarter >= 2 ? -y : y;
        }
        int count = 16;
        outline o = make((const loop_points *)points, &count, 1);
        covered c = cover(&o, 1.0 / 16.0);
        assert_int_equal(c.grid.columns, k + 1);
        check(&o, &c);
        assert_mirrored(&c, true);
        assert_mirrored(&c, false);
        assert_int_equal(c.parts, 1);
        free_cover(&c);
        outline_free(&o);
    }
}

static void test_corner(void **state) {
    (void)state;
    const loop_points points[] = {{0, 0}, {4, 0}, {4, 1}, {1, 1}, {1, 4}, {0, 4}};
    int count = 6;
    outline o = make(points, &count, 1);
    covered c = cover(&o, 0.5);
    assert_int_equal(check(&o, &c), 28);
    assert_true(exists(&c, 2, 8) && !exists(&c, 3, 8) && !exists(&c, 4, 4));
    assert_int_equal(count_added(&o, &c), 0);
    free_cover(&c);
    c = cover(&o, 0.37);
    check(&o, &c);
    assert_int_equal(c.parts, 1);
    free_cover(&c);
    outline_free(&o);
}

/* A cut corner: what is in a cell that lacks a texel goes to both cells beside it in equal parts.
 */
static void test_shared_cloth(void **state) {
    (void)state;
    const loop_points points[] = {{0, 0}, {4, 0}, {4, 2}, {2, 4}, {0, 4}};
    int count = 5;
    outline o = make(points, &count, 1);
    covered c = cover(&o, 1.0);
    check(&o, &c);
    assert_false(exists(&c, 4, 3));
    assert_near(coverage_at(&c, 3, 2), 0.0, 0.0);
    assert_near(coverage_at(&c, 3, 1), 1.25, 1e-6);
    assert_near(coverage_at(&c, 1, 3), 1.25, 1e-6);
    assert_near(coverage_at(&c, 2, 2), 1.5, 1e-6);
    assert_near(coverage_at(&c, 1, 2), 1.0, 0.0);
    free_cover(&c);
    outline_free(&o);
}

/* Two needles on a square: a cell that the panel hardly touches borrows from those around it, and
 * from no others. */
static void test_thin_cell(void **state) {
    (void)state;
    const loop_points points[] = {{0, 0},      {10, 0},     {10, 10},     {5.951, 10}, {5.95, 10.6},
                                  {5.949, 10}, {5.051, 10}, {5.05, 10.6}, {5.049, 10}, {0, 10}};
    int count = 10;
    outline o = make(points, &count, 1);
    covered c = cover(&o, 1.0);
    check(&o, &c);
    assert_near(coverage_at(&c, 5, 10), 0.01, 1e-7);
    for (int i = 4; i <= 6; i++) {
        assert_near(coverage_at(&c, i, 9), 1.0 - 0.0088 / 3.0, 1e-6);
    }
    assert_near(coverage_at(&c, 7, 9), 1.0, 0.0);
    assert_near(coverage_at(&c, 5, 8), 1.0, 0.0);
    free_cover(&c);
    outline_free(&o);
}

/* Thinner than the texels are apart: each texel gets a cell, and the sum stays. */
static void test_strips(void **state) {
    (void)state;
    for (int k = 0; k < 20; k++) {
        double angle = PI * (0.013 + k / 40.0), thin = 0.004 * (k + 1);
        double x = cos(angle), y = sin(angle);
        const loop_points points[] = {
            {0, 0}, {x, y}, {x - thin * y, y + thin * x}, {-thin * y, thin * x}};
        int count = 4;
        outline o = make(points, &count, 1);
        covered c = cover(&o, 0.1);
        check(&o, &c);
        for (int j = 0; j < c.grid.rows - 1; j++) {
            for (int i = 0; i < c.grid.columns - 1; i++) {
                double covering = coverage_at(&c, i, j);
                assert_true(covering == 0.0 || covering > 0.00999);
            }
        }
        assert_int_equal(c.parts, 1);
        free_cover(&c);
        outline_free(&o);
    }
}

static void test_tiny(void **state) {
    (void)state;
    outline o = make_circle(1e-5, 0.0);
    for (double spacing = 5e-5; spacing < 100.0; spacing *= 3.0) {
        covered c = cover(&o, spacing);
        assert_int_equal(grid_texels(&c.grid), 4);
        assert_int_equal(c.parts, 1);
        double expected = o.area / (spacing * spacing);
        assert_near(coverage_at(&c, 0, 0), expected, 1e-6 * expected);
        check(&o, &c);
        free_cover(&c);
    }
    outline_free(&o);
    /* a hair: long, and thinner than a spacing can be */
    outline_create_rectangle(&o, 1.0, 1e-4);
    covered c = cover(&o, 0.1);
    assert_int_equal(c.grid.columns, 11);
    assert_int_equal(c.grid.rows, 2);
    check(&o, &c);
    free_cover(&c);
    outline_free(&o);
}

/* Two squares joined by a neck: thin, along a row of texels or between two. */
static void test_neck(void **state) {
    (void)state;
    for (int k = 0; k < 10; k++) {
        double y = 0.3 + 0.05 * k;
        const loop_points points[] = {{0, 0},         {1, 0},         {1, y}, {2, y},
                                      {2, 0},         {3, 0},         {3, 1}, {2, 1},
                                      {2, y + 0.001}, {1, y + 0.001}, {1, 1}, {0, 1}};
        int count = 12;
        outline o = make(points, &count, 1);
        covered c = cover(&o, 0.1);
        check(&o, &c);
        assert_int_equal(c.parts, 1);
        assert_mirrored(&c, true);
        free_cover(&c);
        outline_free(&o);
    }
    /* Two that hang together by a corner of cells alone, where no thread runs. */
    grid g;
    assert_int_equal(grid_create_for(&g, 3.0, 3.0, 1.0), TOILE_OK);
    float *coverage = calloc(g.size, sizeof *coverage);
    assert_non_null(coverage);
    uint8_t mask[16] = {1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1};
    coverage[grid_index(&g, 0, 0)] = coverage[grid_index(&g, 2, 2)] = 1.0f;
    int parts;
    assert_int_equal(cover_count_parts(&g, coverage, mask, &parts), TOILE_OK);
    assert_int_equal(parts, 2);
    mask[6] = mask[9] = 1;
    coverage[grid_index(&g, 1, 1)] = 1.0f;
    assert_int_equal(cover_count_parts(&g, coverage, mask, &parts), TOILE_OK);
    assert_int_equal(parts, 1);
    free(coverage);
}

/* A slit of a spacing keeps its sides apart: nothing is between them. */
static void test_slit(void **state) {
    (void)state;
    const loop_points points[] = {{0, 0},   {3, 0},   {3, 2}, {2, 2},
                                  {2, 0.5}, {1, 0.5}, {1, 2}, {0, 2}};
    int count = 8;
    outline o = make(points, &count, 1);
    covered c = cover(&o, 1.0);
    assert_near(coverage_at(&c, 1, 1), 0.0, 0.0);
    assert_near(coverage_at(&c, 1, 0), 0.5, 1e-6);
    check(&o, &c);
    free_cover(&c);
    outline_free(&o);
}

static void test_grid_refusals(void **state) {
    (void)state;
    grid g;
    static const double bad[][3] = {{0, 1, 1},   {1, -1, 1},  {1, NAN, 1},  {INFINITY, 1, 1},
                                    {1, 1, 0},   {1, 1, NAN}, {1, 1, 1e-6}, {1, 1, 200},
                                    {2e4, 1, 1}, {1, 2e4, 1}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        assert_int_equal(grid_create_for(&g, bad[k][0], bad[k][1], bad[k][2]), TOILE_ERROR_INVALID);
        assert_non_null(strstr(toile_error_message(), "expected"));
    }
    assert_int_equal(grid_create_for(&g, 1e3, 1e3, 1e-3), TOILE_ERROR_MEMORY);
    assert_non_null(strstr(toile_error_message(), "expected a larger spacing"));
    assert_int_equal(grid_create_for(&g, 1e-3, 1e-3, 100.0), TOILE_OK);
    assert_true(g.columns == 2 && g.rows == 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rectangles),
        cmocka_unit_test(test_last_cell),
        cmocka_unit_test(test_turned_rectangle),
        cmocka_unit_test(test_circle_and_ring),
        cmocka_unit_test(test_stars),
        cmocka_unit_test(test_mirrored_star),
        cmocka_unit_test(test_corner),
        cmocka_unit_test(test_strips),
        cmocka_unit_test(test_tiny),
        cmocka_unit_test(test_neck),
        cmocka_unit_test(test_slit),
        cmocka_unit_test(test_turned_hole),
        cmocka_unit_test(test_shared_cloth),
        cmocka_unit_test(test_thin_cell),
        cmocka_unit_test(test_grid_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
