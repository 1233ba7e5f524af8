/* Outlines: every kind of curve against closed forms, every mistake gets its sentence, and the
 * exact sweep agrees with comparing all pairs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "model/outline.h"

static const double PI = 3.14159265358979323846;
static const double TOLERANCE = 1e-4;

#define LINE(x, y)                                                                                 \
    {                                                                                              \
        TOILE_CURVE_LINE, {x, y}, {                                                                \
            { 0 }                                                                                  \
        }                                                                                          \
    }
#define ARC(x, y, cx, cy)                                                                          \
    {                                                                                              \
        TOILE_CURVE_ARC, {x, y}, {                                                                 \
            { cx, cy }                                                                             \
        }                                                                                          \
    }
#define QUADRATIC(x, y, cx, cy)                                                                    \
    {                                                                                              \
        TOILE_CURVE_QUADRATIC, {x, y}, {                                                           \
            { cx, cy }                                                                             \
        }                                                                                          \
    }
#define CUBIC(x, y, cx, cy, dx, dy)                                                                \
    {                                                                                              \
        TOILE_CURVE_CUBIC, {x, y}, {                                                               \
            {cx, cy}, {                                                                            \
                dx, dy                                                                             \
            }                                                                                      \
        }                                                                                          \
    }
#define LOOP(x, y, ...)                                                                            \
    {                                                                                              \
        {x, y}, (const toile_curve[]){__VA_ARGS__},                                                \
            sizeof((const toile_curve[]){__VA_ARGS__}) / sizeof(toile_curve)                       \
    }
#define OUTLINE(...)                                                                               \
    ((toile_outline){(const toile_loop[]){__VA_ARGS__},                                            \
                     sizeof((const toile_loop[]){__VA_ARGS__}) / sizeof(toile_loop)})
#define SQUARE(x, y, a) LOOP(x, y, LINE(x + a, y), LINE(x + a, y + a), LINE(x, y + a), LINE(x, y))

static outline create(toile_outline def, double tolerance) {
    outline o;
    if (outline_create(&o, &def, tolerance) != TOILE_OK) {
        fail_msg("%s", toile_error_message());
    }
    return o;
}

static void assert_refused(toile_outline def, const char *message) {
    outline o;
    if (outline_create(&o, &def, TOLERANCE) == TOILE_OK) {
        fail_msg("accepted, but expected: %s", message);
    }
    assert_null(o.points);
    if (!strstr(toile_error_message(), message)) {
        fail_msg("expected: %s\nfound: %s", message, toile_error_message());
    }
}

static void assert_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%.17g is not %.17g within %g", value, expected, tolerance);
    }
}

static double perimeter(const outline *o) {
    double sum = 0.0;
    uint32_t begin = 0;
    for (int loop = 0; loop < o->loop_count; loop++) {
        uint32_t end = o->loop_ends[loop];
        for (uint32_t i = begin, before = end - 1; i < end; before = i++) {
            sum += hypot(o->points[i][0] - o->points[before][0],
                         o->points[i][1] - o->points[before][1]);
        }
        begin = end;
    }
    return sum;
}

static double area_of(const outline *o, int loop) {
    uint32_t begin = loop ? o->loop_ends[loop - 1] : 0, end = o->loop_ends[loop];
    double sum = 0.0;
    for (uint32_t i = begin, before = end - 1; i < end; before = i++) {
        const double *a = o->points[before], *b = o->points[i];
        sum += a[0] * b[1] - a[1] * b[0];
    }
    return 0.5 * sum;
}

static uint64_t random_state;
static double random_number(void) { /* 0 to 1 */
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(random_state >> 11) / 9007199254740992.0;
}

/* ---- curves -------------------------------------------------------------------------------------
 */

static void test_polygon(void **state) {
    (void)state;
    outline o = create(OUTLINE(LOOP(1.0f, 1.0f, LINE(4.0f, 1.0f), LINE(1.0f, 5.0f), LINE(1, 1))),
                       TOLERANCE);
    assert_int_equal(o.point_count, 3);
    assert_near(o.area, 6.0, 1e-12);
    assert_near(perimeter(&o), 12.0, 1e-12);
    assert_near(o.low[0], 1.0, 0);
    assert_near(o.high[1], 5.0, 0);
    outline_free(&o);
    outline_free(&o);
}

/* Outer loops end up counter-clockwise and holes clockwise, whatever way they were drawn. */
static void test_orientation(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        toile_loop around = SQUARE(0, 0, 4),
                   other_way = LOOP(0, 0, LINE(0, 4), LINE(4, 4), LINE(4, 0), LINE(0, 0));
        toile_loop hole = SQUARE(1, 1, 1),
                   hole_other_way = LOOP(1, 1, LINE(1, 2), LINE(2, 2), LINE(2, 1), LINE(1, 1));
        const toile_loop loops[2] = {k & 1 ? other_way : around, k & 2 ? hole_other_way : hole};
        outline o = create((toile_outline){loops, 2}, TOLERANCE);
        assert_near(area_of(&o, 0), 16.0, 1e-12);
        assert_near(area_of(&o, 1), -1.0, 1e-12);
        assert_near(o.area, 15.0, 1e-12);
        assert_true(o.points[0][0] == 0.0 && o.points[0][1] == 0.0); /* starts where it did */
        outline_free(&o);
    }
}

static void test_circle(void **state) {
    (void)state;
    for (double tolerance = 1e-2; tolerance > 1e-7; tolerance /= 10.0) {
        for (int way = 0; way < 2; way++) {
            float side = way ? 1.0f : -1.0f;
            outline o = create(OUTLINE(LOOP(-0.5f, 2, ARC(0.5f, 2, 0, 2 + 0.5f * side),
                                            ARC(-0.5f, 2, 0, 2 - 0.5f * side))),
                               tolerance);
            for (uint32_t i = 0; i < o.point_count; i++) {
                const double *a = o.points[i], *b = o.points[(i + 1) % o.point_count];
                assert_near(hypot(a[0], a[1] - 2.0), 0.5, 1e-11);
                double middle = hypot(0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]) - 2.0);
                assert_true(0.5 - middle <= tolerance * (1.0 + 1e-6));
            }
            for (int k = 0; k < 2; k++) { /* as wide and as high as it should be */
                assert_near(o.high[k] - o.low[k], 1.0, 1e-11);
            }
            assert_true(o.area < PI * 0.25 && o.area > PI * 0.25 - PI * tolerance);
            assert_true(perimeter(&o) < PI && perimeter(&o) > PI * (1.0 - 4.0 * tolerance));
            /* no more chords than it takes */
            assert_true(o.point_count <= 4 + (uint32_t)(PI / acos(1.0 - tolerance / 0.5)));
            outline_free(&o);
        }
    }
    /* A tolerance of any size leaves a shape. */
    outline o = create(OUTLINE(LOOP(-1, 0, ARC(1, 0, 0, 1), ARC(-1, 0, 0, -1))), 100.0);
    assert_int_equal(o.point_count, 8);
    outline_free(&o);
}

/* Three quarters of a circle: the third point decides which way round. */
static void test_arcs(void **state) {
    (void)state;
    outline o = create(OUTLINE(LOOP(0, 0, LINE(1, 0), ARC(0, -1, -1, 0), LINE(0, 0))), 1e-6);
    assert_near(o.area, 0.75 * PI, 1e-5);
    assert_near(perimeter(&o), 2.0 + 1.5 * PI, 1e-5);
    outline_free(&o);
    o = create(OUTLINE(LOOP(0, 0, LINE(1, 0), ARC(0, -1, 0.70710678f, -0.70710678f), LINE(0, 0))),
               1e-6);
    assert_near(o.area, 0.25 * PI, 1e-5);
    outline_free(&o);
    /* Third points close to an end. */
    o = create(OUTLINE(LOOP(0, 0, LINE(1, 0), ARC(0, -1, -1e-3f, -0.9999995f), LINE(0, 0))), 1e-6);
    assert_near(o.area, 0.75 * PI, 1e-3);
    outline_free(&o);
    /* Flat ones are lines, those a little bent are not. */
    o = create(
        OUTLINE(LOOP(0, 0, ARC(2, 0, 1, -1e-8f), LINE(2, 1), ARC(0, 1, 0.5f, 1), LINE(0, 0))),
        1e-9);
    assert_int_equal(o.point_count, 4);
    outline_free(&o);
    o = create(OUTLINE(LOOP(0, 0, ARC(2, 0, 1, -1e-3f), LINE(2, 1), LINE(0, 1), LINE(0, 0))), 1e-6);
    assert_true(o.point_count > 10);
    assert_near(o.area, 2.0 + 2.0 / 3.0 * 2e-3, 1e-5);
    outline_free(&o);
}

static void test_beziers(void **state) {
    (void)state;
    for (double tolerance = 1e-2; tolerance > 1e-8; tolerance /= 10.0) {
        outline o = create(OUTLINE(LOOP(0, 0, QUADRATIC(1, 0, 0.5f, -1), LINE(0, 0))), tolerance);
        assert_near(o.area, 1.0 / 3.0, 1.5 * tolerance);
        assert_near(perimeter(&o), 1.0 + (2.0 * sqrt(5.0) + asinh(2.0)) / 4.0, 4.0 * tolerance);
        for (uint32_t i = 0; i + 1 < o.point_count; i++) { /* on y = -2 x (1 - x) */
            const double *a = o.points[i], *b = o.points[i + 1];
            assert_near(a[1], -2.0 * a[0] * (1.0 - a[0]), 1e-11);
            if (a[0] < b[0]) {
                double x = 0.5 * (a[0] + b[0]);
                double gap = fabs(0.5 * (a[1] + b[1]) + 2.0 * x * (1.0 - x));
                assert_true(gap <= tolerance * (1.0 + 1e-6));
            }
        }
        outline_free(&o);
        o = create(OUTLINE(LOOP(0, 0, CUBIC(1, 0, 0, -1, 1, -1), LINE(0, 0))), tolerance);
        assert_near(o.area, 0.6, 2.5 * tolerance);
        assert_true(o.area < 0.6);
        assert_near(o.low[1], -0.75, 1e-11);
        outline_free(&o);
    }
    /* One cubic that ends where it began is a loop: a drop. Its area by Green's theorem. */
    outline o = create(OUTLINE(LOOP(0, 0, CUBIC(0, 0, 1, 1, -1, 1))), 1e-7);
    assert_near(o.area, 0.3, 1e-5);
    outline_free(&o);
}

/* What is mirrored along x has the mirrored points, to the bit where curves are polynomials. */
static void test_mirrored_curve(void **state) {
    (void)state;
    outline o = create(
        OUTLINE(LOOP(-1, 0, CUBIC(1, 0, -0.75f, 1, 0.75f, 1), QUADRATIC(-1, 0, 0, -0.3f))), 1e-4);
    for (uint32_t i = 0; i < o.point_count; i++) {
        bool found = false;
        for (uint32_t j = 0; j < o.point_count; j++) {
            found |= o.points[j][0] == -o.points[i][0] && o.points[j][1] == o.points[i][1];
        }
        assert_true(found);
    }
    outline_free(&o);
}

/* ---- mistakes -----------------------------------------------------------------------------------
 */

static void test_numbers(void **state) {
    (void)state;
    assert_refused((toile_outline){NULL, 0}, "the outline has 0 loops: expected 1 to");
    assert_refused((toile_outline){NULL, -3}, "the outline has 0 loops: expected 1 to");
    assert_refused(OUTLINE(SQUARE(0, 0, 9), {{0, 0}, NULL, 0}), "loops[1] has no curves");
    assert_refused(OUTLINE(LOOP(NAN, 0, LINE(1, 0), LINE(0, 1), LINE(0, 0))),
                   "loops[0]: start is (nan, 0): expected finite numbers");
    assert_refused(OUTLINE(LOOP(0, 0, LINE(1, 0), LINE(0, INFINITY), LINE(0, 0))),
                   "loops[0].curves[1] has the point (0, inf): expected finite numbers");
    assert_refused(OUTLINE(LOOP(0, 0, CUBIC(1, 0, 0, -1, NAN, -1), LINE(0, 0))),
                   "loops[0].curves[0] has the point (nan, -1): expected finite numbers");
    assert_refused(OUTLINE(LOOP(0, 0, LINE(10001, 0), LINE(0, 1), LINE(0, 0))),
                   "loops[0].curves[0] has the point (10001, 0)");
    assert_refused(OUTLINE(LOOP(-6000, 0, LINE(6000, 0), LINE(0, 1), LINE(-6000, 0))),
                   "the outline is 12000 m wide: expected 1e-06 to 10000 m");
    assert_refused(OUTLINE(LOOP(0, -6000, LINE(1, 0), LINE(0, 6000), LINE(0, -6000))),
                   "the outline is 12000 m high: expected 1e-06 to 10000 m");
    assert_refused(OUTLINE(LOOP(0, 0, {7, {1, 0}, {{0}}}, LINE(0, 1), LINE(0, 0))),
                   "loops[0].curves[0]: kind is 7: expected 0 to 3");
    assert_refused(OUTLINE(SQUARE(0, 0, 5e-7f)), "the outline is 5e-07 m wide: expected 1e-06 to");
    outline smallest = create(OUTLINE(SQUARE(0, 0, 1e-6f)), 1e-8);
    outline_free(&smallest);
    /* The bulge of an arc may be far away. */
    assert_refused(OUTLINE(LOOP(0, 0, LINE(1, 0), ARC(0, 0, 5000, 9000))), "m wide: expected");
    /* Unused control points may be anything. */
    outline o = create(
        OUTLINE(LOOP(0, 0, {TOILE_CURVE_LINE, {1, 0}, {{NAN, NAN}}}, LINE(0, 1), LINE(0, 0))),
        TOLERANCE);
    outline_free(&o);
}

static void test_bad_loops(void **state) {
    (void)state;
    assert_refused(OUTLINE(LOOP(0, 0, LINE(1, 0), LINE(1, 1), LINE(0, 0.01f))),
                   "loops[0] is open: it ends at (0, 0.01) but starts at (0, 0)");
    assert_refused(OUTLINE(SQUARE(0, 0, 9), LOOP(1, 1, LINE(2, 1), LINE(2, 2))),
                   "loops[1] is open: it ends at (2, 2) but starts at (1, 1)");
    assert_refused(OUTLINE(LOOP(0, 0, LINE(1, 0), LINE(1, 0), LINE(0, 1), LINE(0, 0))),
                   "loops[0].curves[1] has no length: the point (1, 0) is there twice in a row");
    assert_refused(OUTLINE(LOOP(0, 0, LINE(1, 0), LINE(0, 1), LINE(0, 0), LINE(0, 0))),
                   "loops[0].curves[3] has no length");
    assert_refused(OUTLINE(LOOP(0, 0, CUBIC(0, 0, 0, 0, 0, 0), LINE(1, 0), LINE(0, 1), LINE(0, 0))),
                   "loops[0].curves[0] has no length");
    assert_refused(
        OUTLINE(LOOP(0, 0, ARC(0, 0, 1, 1))),
        "loops[0].curves[0]: the arc ends where it begins, at (0, 0): expected two arcs");
    assert_refused(
        OUTLINE(LOOP(0, 0, LINE(1, 0), ARC(0, 0, 1, 0))),
        "loops[0].curves[1]: the third point of the arc is (1, 0), in line with its ends");
    assert_refused(
        OUTLINE(LOOP(0, 0, LINE(1, 0), LINE(1, 1), ARC(0, 0, 2, 2))),
        "loops[0].curves[2]: the third point of the arc is (2, 2), in line with its ends");
    const char *no_area = "loops[0] encloses no area";
    assert_refused(OUTLINE(LOOP(0, 0, LINE(1, 0), LINE(0, 0))), no_area);
    assert_refused(OUTLINE(LOOP(0, 0, LINE(1, 1), LINE(3, 3), LINE(0, 0))), no_area);
    assert_refused(OUTLINE(LOOP(0, 0, LINE(1, 0), ARC(0, 0, 0.5f, 0))), no_area);
    assert_refused(OUTLINE(LOOP(0, 0, QUADRATIC(0, 0, 1, 1))), no_area);
    assert_refused(OUTLINE(SQUARE(0, 0, 9), LOOP(1, 1, LINE(2, 2), LINE(1, 1))),
                   "loops[1] encloses no area");
}

static void test_crossings(void **state) {
    (void)state;
    assert_refused(OUTLINE(LOOP(0, 0, LINE(1, 1), LINE(1, 0), LINE(0, 1), LINE(0, 0))),
                   "loops[0].curves[0] crosses or touches loops[0].curves[2] near (0.5, 0.5)");
    /* a corner on a side, a corner on a corner, sides on each other, a spike */
    assert_refused(OUTLINE(LOOP(0, 0, LINE(2, 0), LINE(2, 2), LINE(1, 0), LINE(0, 2), LINE(0, 0))),
                   "loops[0].curves[0] crosses or touches loops[0].curves[3] near (1, 0)");
    assert_refused(
        OUTLINE(LOOP(0, 0, LINE(1, 1), LINE(2, 0), LINE(2, 2), LINE(1, 1), LINE(0, 2), LINE(0, 0))),
        "loops[0].curves[1] crosses or touches loops[0].curves[4] near (1, 1)");
    assert_refused(OUTLINE(LOOP(0, 0, LINE(3, 0), LINE(3, 1), LINE(2, 1), LINE(2, 0), LINE(1, 0),
                                LINE(1, 1), LINE(0, 1), LINE(0, 0))),
                   "crosses or touches");
    assert_refused(OUTLINE(LOOP(0, 0, LINE(1, 0), LINE(2, 0), LINE(1, 0), LINE(1, 1), LINE(0, 0))),
                   "crosses or touches");
    assert_refused(OUTLINE(LOOP(0, 0, LINE(2, 0), LINE(1, 0), LINE(1, 1), LINE(0, 0))),
                   "loops[0].curves[0] crosses or touches loops[0].curves[1]");
    assert_refused(OUTLINE(LOOP(0, 0, LINE(0, 2), LINE(0, 1), LINE(1, 1), LINE(0, 0))),
                   "crosses or touches");
    /* a curve with a loop in it */
    assert_refused(OUTLINE(LOOP(0, 0, CUBIC(1, 0, 3, 2, -2, 2), LINE(0.5f, -1), LINE(0, 0))),
                   "loops[0].curves[0] crosses or touches itself");
    /* loops and loops */
    assert_refused(OUTLINE(SQUARE(0, 0, 2), SQUARE(1, 1, 2)), "crosses or touches loops[");
    assert_refused(OUTLINE(SQUARE(0, 0, 2), SQUARE(0, 0.5f, 1)), "crosses or touches loops[");
    assert_refused(OUTLINE(SQUARE(0, 0, 2), SQUARE(0, 0, 2)), "crosses or touches loops[");
    assert_refused(OUTLINE(SQUARE(0, 0, 9), SQUARE(1, 1, 1), SQUARE(2, 2, 1)),
                   "loops[1].curves[1] crosses or touches loops[2].curves[3] near (2, 2)");
    /* a sliver apart is apart */
    outline o = create(OUTLINE(SQUARE(0, 0, 9), SQUARE(1, 1, 1), SQUARE(2.0001f, 1, 1)), TOLERANCE);
    outline_free(&o);
}

static void test_holes(void **state) {
    (void)state;
    assert_refused(OUTLINE(SQUARE(0, 0, 2), SQUARE(3, 0, 1)),
                   "loops[1] is a hole, but lies outside");
    assert_refused(OUTLINE(SQUARE(0, 0, 2), SQUARE(-3, 0, 1)),
                   "loops[1] is a hole, but lies outside");
    assert_refused(OUTLINE(SQUARE(0, 0, 2), SQUARE(0.5f, 3, 1)),
                   "loops[1] is a hole, but lies outside");
    assert_refused(OUTLINE(SQUARE(1, 1, 1), SQUARE(0, 0, 3)),
                   "loops[1] is a hole, but lies outside");
    assert_refused(OUTLINE(SQUARE(0, 0, 9), SQUARE(1, 1, 5), SQUARE(2, 2, 1)),
                   "loops[2] lies inside another hole, loops[1]");
    assert_refused(OUTLINE(SQUARE(0, 0, 9), SQUARE(2, 2, 1), SQUARE(1, 1, 5)),
                   "loops[1] lies inside another hole, loops[2]");
    /* in the bay of a U, outside */
    assert_refused(OUTLINE(LOOP(0, 0, LINE(5, 0), LINE(5, 4), LINE(4, 4), LINE(4, 1), LINE(1, 1),
                                LINE(1, 4), LINE(0, 4), LINE(0, 0)),
                           SQUARE(2, 2, 1)),
                   "loops[1] is a hole, but lies outside");
    outline o = create(OUTLINE(SQUARE(0, 0, 9), SQUARE(1, 1, 1), SQUARE(1, 3, 1), SQUARE(3, 1, 1)),
                       TOLERANCE);
    assert_int_equal(o.loop_count, 4);
    assert_near(o.area, 78.0, 1e-12);
    outline_free(&o);
}

/* ---- against all pairs --------------------------------------------------------------------------
 */

typedef struct spot {
    int x, y;
} spot;

static int side_of(spot a, spot b, spot c) {
    int cross = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    return (cross > 0) - (cross < 0);
}

static bool is_on(spot a, spot b, spot c) {
    return side_of(a, b, c) == 0 && (c.x - a.x) * (c.x - b.x) + (c.y - a.y) * (c.y - b.y) <= 0;
}

static bool meet(spot a, spot b, spot c, spot d) {
    if (is_on(a, b, c) || is_on(a, b, d) || is_on(c, d, a) || is_on(c, d, b)) {
        return true;
    }
    return side_of(a, b, c) != side_of(a, b, d) && side_of(c, d, a) != side_of(c, d, b);
}

/* Loops of `count` points each, one behind the other. */
static bool any_meet(const spot *p, int count, int loops) {
    for (int i = 0; i < count * loops; i++) {
        int next = i / count * count + (i + 1) % count;
        for (int j = i + 1; j < count * loops; j++) {
            int after = j / count * count + (j + 1) % count;
            if (after == i || next == j) {
                spot shared = p[next == j ? j : i];
                spot a = p[next == j ? i : next], b = p[next == j ? after : j];
                if (is_on(shared, a, b) || is_on(shared, b, a)) {
                    return true;
                }
            } else if (meet(p[i], p[next], p[j], p[after])) {
                return true;
            }
        }
    }
    return false;
}

static bool is_inside(const spot *p, int count, spot at) {
    bool inside = false;
    for (int i = 0, j = count - 1; i < count; j = i++) {
        if ((p[i].y > at.y) != (p[j].y > at.y)) {
            double x = p[i].x + (double)(at.y - p[i].y) * (p[j].x - p[i].x) / (p[j].y - p[i].y);
            inside ^= x > at.x;
        }
    }
    return inside;
}

static void test_against_all_pairs(void **state) {
    (void)state;
    enum { MOST = 7, LOOPS = 2 };
    int accepted = 0, refused = 0, outside = 0;
    random_state = 1;
    for (int run = 0; run < 60000; run++) {
        int count = 3 + run % (MOST - 2), loops = 1 + run % LOOPS, range = 3 + run % 9;
        spot spots[MOST * LOOPS];
        toile_curve curves[MOST * LOOPS];
        toile_loop loop[LOOPS];
        for (int i = 0; i < count * loops; i++) {
            int reach = i < count ? 3 * range : range;
            spots[i] = (spot){(int)(random_number() * reach), (int)(random_number() * reach)};
        }
        for (int l = 0; l < loops; l++) {
            const spot *s = spots + l * count;
            for (int i = 0; i < count; i++) {
                spot to = s[(i + 1) % count];
                curves[l * count + i] =
                    (toile_curve){TOILE_CURVE_LINE, {(float)to.x, (float)to.y}, {{0}}};
            }
            loop[l] = (toile_loop){{(float)s[0].x, (float)s[0].y}, curves + l * count, count};
        }
        bool good = !any_meet(spots, count, loops);
        if (good && loops == 2 && !is_inside(spots, count, spots[count])) {
            good = false;
            outside++;
        }
        outline o;
        toile_outline def = {loop, loops};
        if ((outline_create(&o, &def, TOLERANCE) == TOILE_OK) != good) {
            fail_msg("run %d: expected %d: %s", run, good, toile_error_message());
        }
        outline_free(&o);
        accepted += good;
        refused += !good;
    }
    assert_true(accepted > 2000 && refused > 2000 && outside > 200);
}

/* ---- large ones ---------------------------------------------------------------------------------
 */

static outline create_polygon(const float (*points)[2], int count, toile_result expected) {
    toile_curve *curves = calloc((size_t)count, sizeof *curves);
    assert_non_null(curves);
    for (int i = 0; i < count; i++) {
        memcpy(curves[i].to, points[(i + 1) % count], sizeof curves[i].to);
    }
    toile_loop loop = {{points[0][0], points[0][1]}, curves, count};
    outline o;
    toile_result result = outline_create(&o, &(toile_outline){&loop, 1}, TOLERANCE);
    free(curves);
    if (result != expected) {
        fail_msg("%s", toile_error_message());
    }
    return o;
}

static void test_stars(void **state) {
    (void)state;
    random_state = 2;
    static float points[500][2];
    for (int run = 0; run < 200; run++) {
        int count = 5 + (int)(random_number() * 495.0);
        double area = 0.0;
        for (int i = 0; i < count; i++) {
            double angle = 2.0 * PI * i / count * (run % 2 ? 1.0 : -1.0);
            double radius = 0.2 + random_number();
            points[i][0] = (float)(3.0 + radius * cos(angle));
            points[i][1] = (float)(radius * sin(angle));
        }
        for (int i = 0; i < count; i++) {
            const float *a = points[i], *b = points[(i + 1) % count];
            area += 0.5 * ((double)a[0] * (double)b[1] - (double)a[1] * (double)b[0]);
        }
        outline o = create_polygon((const float(*)[2])points, count, TOILE_OK);
        assert_int_equal(o.point_count, count);
        assert_near(o.area, fabs(area), 1e-9);
        assert_true(area_of(&o, 0) > 0.0);
        outline_free(&o);
    }
}

/* Teeth that are long, thin and aslant: their boxes all overlap, their cells are all the same. */
static void test_comb(void **state) {
    (void)state;
    enum { TEETH = 50000 };
    float(*points)[2] = calloc(2 * TEETH + 2, sizeof *points);
    assert_non_null(points);
    for (int i = 0; i < 2 * TEETH; i++) {
        float x = (float)(i + 1) * 0.01f;
        points[i][0] = i % 2 ? x + 900.0f : x;
        points[i][1] = i % 2 ? 900.0f : 0.001f * (float)(i % 3);
    }
    points[2 * TEETH][0] = 2000.0f;
    points[2 * TEETH][1] = -1.0f;
    points[2 * TEETH + 1][0] = 0.0f;
    points[2 * TEETH + 1][1] = -1.0f;
    clock_t start = clock();
    outline o = create_polygon((const float(*)[2])points, 2 * TEETH + 2, TOILE_OK);
    assert_int_equal(o.point_count, 2 * TEETH + 2);
    outline_free(&o);
    points[TEETH][0] += 0.03f; /* one tooth crosses the next */
    create_polygon((const float(*)[2])points, 2 * TEETH + 2, TOILE_ERROR_INVALID);
    assert_non_null(strstr(toile_error_message(), "crosses or touches"));
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 20.0); /* takes 0.2 s */
    free(points);
}

static void test_too_many_points(void **state) {
    (void)state;
    toile_outline def = OUTLINE(LOOP(-1, 0, ARC(1, 0, 0, 1), ARC(-1, 0, 0, -1)));
    outline o;
    assert_int_equal(outline_create(&o, &def, 1e-10), TOILE_OK); /* 222144 */
    outline_free(&o);
    assert_int_equal(outline_create(&o, &def, 6e-11), TOILE_ERROR_INVALID);
    assert_non_null(
        strstr(toile_error_message(), "takes more than 262144 points at loops[0].curves[1]"));
    assert_int_equal(outline_create(&o, &def, 1e-15), TOILE_ERROR_INVALID);
    def = OUTLINE(LOOP(0, 0, CUBIC(1, 0, 0, -9000, 1, -9000), LINE(0, 0)));
    assert_int_equal(outline_create(&o, &def, 1e-15), TOILE_ERROR_INVALID);
    assert_non_null(strstr(toile_error_message(), "takes more than 262144 points"));
}

/* ---- rectangles, turning, moving ----------------------------------------------------------------
 */

static void test_rectangle(void **state) {
    (void)state;
    outline o;
    assert_int_equal(outline_create_rectangle(&o, 2.0, 0.5), TOILE_OK);
    assert_near(o.area, 1.0, 0);
    assert_near(o.high[0], 2.0, 0);
    assert_near(o.high[1], 0.5, 0);
    assert_near(area_of(&o, 0), 1.0, 0);
    outline_turn(&o, 90.0); /* exact */
    assert_near(o.low[0], -0.5, 0);
    assert_near(o.high[1], 2.0, 0);
    for (int i = 0; i < 4; i++) {
        assert_true(o.points[i][0] == 0.0 || o.points[i][0] == -0.5);
        assert_true(o.points[i][1] == 0.0 || o.points[i][1] == 2.0);
    }
    outline_turn(&o, -450.0 - 30.0);
    assert_near(o.area, 1.0, 1e-15);
    assert_near(o.high[0], 2.0 * cos(PI / 6.0) + 0.5 * sin(PI / 6.0), 1e-15);
    assert_near(o.low[1], -2.0 * sin(PI / 6.0), 1e-15);
    outline_move(&o, -o.low[0], -o.low[1]);
    assert_true(o.low[0] == 0.0 && o.low[1] == 0.0);
    double least = 1.0;
    for (uint32_t i = 0; i < o.point_count; i++) {
        least = fmin(least, o.points[i][1]);
    }
    assert_near(least, 0.0, 0);
    outline_free(&o);
    const double bad[] = {0.0, -1.0, NAN, INFINITY, 1.1e4};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(outline_create_rectangle(&o, bad[i], 1.0), TOILE_ERROR_INVALID);
        assert_int_equal(outline_create_rectangle(&o, 1.0, bad[i]), TOILE_ERROR_INVALID);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polygon),
        cmocka_unit_test(test_orientation),
        cmocka_unit_test(test_circle),
        cmocka_unit_test(test_arcs),
        cmocka_unit_test(test_beziers),
        cmocka_unit_test(test_mirrored_curve),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_bad_loops),
        cmocka_unit_test(test_crossings),
        cmocka_unit_test(test_holes),
        cmocka_unit_test(test_against_all_pairs),
        cmocka_unit_test(test_stars),
        cmocka_unit_test(test_comb),
        cmocka_unit_test(test_too_many_points),
        cmocka_unit_test(test_rectangle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
