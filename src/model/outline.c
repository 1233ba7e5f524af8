#include "model/outline.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/outline_check.h"

/* Points of all loops together. A pattern piece has hundreds; what has more than this is a mistake
 * or an attack. */
enum { MOST_POINTS = 1 << 18 };

static const double LARGEST = 1e4, SMALLEST = (double)1e-6f; /* m */

/* Shares of the size of a loop: what is closer is at the same place. Floats of a metre are 6e-8 m
 * apart. */
static const double SAME_PLACE = 1e-6;

/* An arc whose radius is so many times the distance of its points is a line: it is less than 2e-7
 * of that distance away from it. */
static const double STRAIGHT_RADIUS = 1e6;

/* However coarse the tolerance, curves keep their shape: chords of at most this angle ... */
static const double WIDEST_CHORD = 0.78539816339744831; /* 45 degrees */
enum { FEWEST_CHORDS = 4 };                             /* ... and so many of a Bezier curve */

static const double PI = 3.14159265358979323846;

/* Flat loops while they grow. */
typedef struct flattening {
    outline *outline;
    uint32_t *curves; /* of the points: the curve that begins at it or runs through it */
    size_t point_capacity, curve_capacity;
    double tolerance;     /* m */
    uint32_t loop, curve; /* that are being flattened */
} flattening;

typedef struct point {
    double x, y;
} point;

static point point_of(const float p[2]) {
    return (point){(double)p[0], (double)p[1]};
}

static double distance(point a, point b) {
    return hypot(b.x - a.x, b.y - a.y);
}

static int control_count(toile_curve_kind kind) {
    return kind == TOILE_CURVE_LINE ? 0 : kind == TOILE_CURVE_CUBIC ? 2 : 1;
}

/* ---- curves to points ---------------------------------------------------------------------------
 */

static toile_result push(flattening *f, point p) {
    outline *o = f->outline;
    if (o->point_count >= MOST_POINTS) {
        return error_set(TOILE_ERROR_INVALID,
                         "the outline takes more than %d points at loops[%u].curves[%u]: expected "
                         "fewer or smoother curves",
                         MOST_POINTS, f->loop, f->curve);
    }
    double(*points)[2] = memory_grow(o->points, o->point_count, &f->point_capacity,
                                     sizeof *o->points, "points of an outline");
    if (!points) {
        return TOILE_ERROR_MEMORY;
    }
    o->points = points;
    uint32_t *curves = memory_grow(f->curves, o->point_count, &f->curve_capacity, sizeof *f->curves,
                                   "curves of an outline");
    if (!curves) {
        return TOILE_ERROR_MEMORY;
    }
    f->curves = curves;
    points[o->point_count][0] = p.x;
    points[o->point_count][1] = p.y;
    curves[o->point_count++] = f->curve;
    return TOILE_OK;
}

/* An even number of chords puts a point on the middle of a curve: a half circle, or an arch, is as
 * high as it should be, and the box around it, which the grid begins at, as wide. */
static double make_even(double count) {
    return count > 1.0 ? 2.0 * ceil(0.5 * count) : count;
}

/* From a to b around the circle through c. */
static toile_result flatten_arc(flattening *f, point a, point b, point c) {
    point d = {b.x - a.x, b.y - a.y}, e = {c.x - a.x, c.y - a.y};
    double cross = d.x * e.y - d.y * e.x;
    double sides[3] = {distance(a, b), distance(a, c), distance(b, c)};
    double longest = fmax(sides[0], fmax(sides[1], sides[2]));
    if (sides[0] * sides[1] * sides[2] >= 2.0 * STRAIGHT_RADIUS * longest * fabs(cross)) {
        if (!(sides[1] > 0.0 && sides[2] > 0.0 && sides[0] == longest)) {
            return error_set(TOILE_ERROR_INVALID,
                             "loops[%u].curves[%u]: the third point of the arc is (%g, %g), in "
                             "line with its ends: expected it beside or between them",
                             f->loop, f->curve, c.x, c.y);
        }
        return push(f, a);
    }
    double dd = d.x * d.x + d.y * d.y, ee = e.x * e.x + e.y * e.y;
    point to_center = {(e.y * dd - d.y * ee) / (2.0 * cross),
                       (d.x * ee - e.x * dd) / (2.0 * cross)};
    double radius = hypot(to_center.x, to_center.y);
    double begin = atan2(-to_center.y, -to_center.x);
    double end = atan2(d.y - to_center.y, d.x - to_center.x);
    double sweep = end - begin;
    if (cross < 0.0 && sweep <= 0.0) { /* a third point to the right: counter-clockwise */
        sweep += 2.0 * PI;
    } else if (cross > 0.0 && sweep >= 0.0) {
        sweep -= 2.0 * PI;
    }
    double chord = f->tolerance < radius ? 2.0 * acos(1.0 - f->tolerance / radius) : WIDEST_CHORD;
    double count = make_even(ceil(fabs(sweep) / fmin(fmax(chord, 1e-9), WIDEST_CHORD) - 1e-9));
    toile_result result = push(f, a);
    for (double i = 1.0; i < count && result == TOILE_OK; i += 1.0) {
        double angle = begin + sweep * (i / count);
        result = push(f, (point){a.x + to_center.x + radius * cos(angle),
                                 a.y + to_center.y + radius * sin(angle)});
    }
    return result;
}

/* A chord over a share h of the parameter is at most h^2 / 8 times the largest second derivative
 * away from the curve. */
static double count_chords(double second_derivative, double tolerance) {
    double count = ceil(sqrt(second_derivative / (8.0 * tolerance)));
    return make_even(fmax(count, (double)FEWEST_CHORDS));
}

static double second_difference(point a, point b, point c) {
    return hypot(a.x - 2.0 * b.x + c.x, a.y - 2.0 * b.y + c.y);
}

static toile_result flatten_quadratic(flattening *f, point a, point b, point c) {
    double count = count_chords(2.0 * second_difference(a, c, b), f->tolerance);
    toile_result result = push(f, a);
    for (double i = 1.0; i < count && result == TOILE_OK; i += 1.0) {
        double t = i / count, s = (count - i) / count;
        double wa = s * s, wc = 2.0 * s * t, wb = t * t;
        result =
            push(f, (point){(wa * a.x + wb * b.x) + wc * c.x, (wa * a.y + wb * b.y) + wc * c.y});
    }
    return result;
}

static toile_result flatten_cubic(flattening *f, point a, point b, point c, point d) {
    double largest = fmax(second_difference(a, c, d), second_difference(c, d, b));
    double count = count_chords(6.0 * largest, f->tolerance);
    toile_result result = push(f, a);
    for (double i = 1.0; i < count && result == TOILE_OK; i += 1.0) {
        double t = i / count, s = (count - i) / count;
        double wa = s * s * s, wc = 3.0 * s * s * t, wd = 3.0 * s * t * t, wb = t * t * t;
        result = push(f, (point){(wa * a.x + wb * b.x) + (wc * c.x + wd * d.x),
                                 (wa * a.y + wb * b.y) + (wc * c.y + wd * d.y)});
    }
    return result;
}

static toile_result flatten_curve(flattening *f, const toile_curve *curve, point from, point to) {
    point c = point_of(curve->control[0]), d = point_of(curve->control[1]);
    switch (curve->kind) {
    case TOILE_CURVE_LINE:
        return push(f, from);
    case TOILE_CURVE_ARC:
        return flatten_arc(f, from, to, c);
    case TOILE_CURVE_QUADRATIC:
        return flatten_quadratic(f, from, to, c);
    case TOILE_CURVE_CUBIC:
        return flatten_cubic(f, from, to, c, d);
    }
    return error_set(TOILE_ERROR_INVALID, "loops[%u].curves[%u]: kind is %d: expected 0 to %d",
                     f->loop, f->curve, (int)curve->kind, (int)TOILE_CURVE_CUBIC);
}

/* ---- loops --------------------------------------------------------------------------------------
 */

static bool is_good_point(const float p[2]) {
    return isfinite(p[0]) && isfinite(p[1]) && fabs((double)p[0]) <= LARGEST &&
           fabs((double)p[1]) <= LARGEST;
}

static toile_result check_numbers(const flattening *f, const toile_loop *loop) {
    static const char *const expected = "expected finite numbers from -10000 to 10000 m";
    if (!is_good_point(loop->start)) {
        return error_set(TOILE_ERROR_INVALID, "loops[%u]: start is (%g, %g): %s", f->loop,
                         (double)loop->start[0], (double)loop->start[1], expected);
    }
    for (int i = 0; i < loop->curve_count; i++) {
        const toile_curve *c = &loop->curves[i];
        const float *bad = is_good_point(c->to) ? NULL : c->to;
        for (int k = 0; k < control_count(c->kind) && !bad; k++) {
            bad = is_good_point(c->control[k]) ? NULL : c->control[k];
        }
        if (bad) {
            return error_set(TOILE_ERROR_INVALID, "loops[%u].curves[%d] has the point (%g, %g): %s",
                             f->loop, i, (double)bad[0], (double)bad[1], expected);
        }
    }
    return TOILE_OK;
}

/* The larger side of the box around all points that a loop is given by. */
static double loop_size(const toile_loop *loop) {
    double low[2], high[2];
    for (int k = 0; k < 2; k++) {
        low[k] = high[k] = (double)loop->start[k];
        for (int i = 0; i < loop->curve_count; i++) {
            const toile_curve *c = &loop->curves[i];
            low[k] = fmin(low[k], (double)c->to[k]);
            high[k] = fmax(high[k], (double)c->to[k]);
            for (int n = 0; n < control_count(c->kind); n++) {
                low[k] = fmin(low[k], (double)c->control[n][k]);
                high[k] = fmax(high[k], (double)c->control[n][k]);
            }
        }
    }
    return fmax(high[0] - low[0], high[1] - low[1]);
}

static toile_result check_length(const flattening *f, const toile_curve *curve, point from,
                                 double same) {
    double reach = distance(from, point_of(curve->to));
    if (curve->kind == TOILE_CURVE_ARC && reach <= same) {
        return error_set(TOILE_ERROR_INVALID,
                         "loops[%u].curves[%u]: the arc ends where it begins, at (%g, %g): "
                         "expected two arcs for a circle",
                         f->loop, f->curve, from.x, from.y);
    }
    for (int k = 0; k < control_count(curve->kind); k++) {
        reach = fmax(reach, distance(from, point_of(curve->control[k])));
    }
    if (reach <= same) {
        return error_set(TOILE_ERROR_INVALID,
                         "loops[%u].curves[%u] has no length: the point (%g, %g) is there twice in "
                         "a row",
                         f->loop, f->curve, from.x, from.y);
    }
    return TOILE_OK;
}

static toile_result flatten_loop(flattening *f, const toile_loop *loop) {
    if (!loop->curves || loop->curve_count < 1) {
        return error_set(TOILE_ERROR_INVALID, "loops[%u] has no curves: expected some", f->loop);
    }
    toile_result result = check_numbers(f, loop);
    if (result != TOILE_OK) {
        return result;
    }
    double same = SAME_PLACE * loop_size(loop);
    point start = point_of(loop->start), last = point_of(loop->curves[loop->curve_count - 1].to);
    if (distance(start, last) > same) {
        return error_set(TOILE_ERROR_INVALID,
                         "loops[%u] is open: it ends at (%g, %g) but starts at (%g, %g)", f->loop,
                         last.x, last.y, start.x, start.y);
    }
    point from = start;
    for (int i = 0; i < loop->curve_count && result == TOILE_OK; i++) {
        const toile_curve *curve = &loop->curves[i];
        f->curve = (uint32_t)i;
        point to = i + 1 < loop->curve_count ? point_of(curve->to) : start;
        result = check_length(f, curve, from, same);
        if (result == TOILE_OK) {
            result = flatten_curve(f, curve, from, to);
        }
        from = to;
    }
    return result;
}

/* ---- polygons -----------------------------------------------------------------------------------
 */

static uint32_t loop_begin(const outline *o, int loop) {
    return loop == 0 ? 0 : o->loop_ends[loop - 1];
}

/* Twice the area would lose digits far from the origin: seen from the first point. */
static double signed_area(const outline *o, int loop) {
    uint32_t begin = loop_begin(o, loop), end = o->loop_ends[loop];
    const double *origin = o->points[begin];
    double sum = 0.0;
    for (uint32_t i = begin + 1; i + 1 < end; i++) {
        const double *a = o->points[i], *b = o->points[i + 1];
        sum += (a[0] - origin[0]) * (b[1] - origin[1]) - (a[1] - origin[1]) * (b[0] - origin[0]);
    }
    return 0.5 * sum;
}

static void measure(outline *o) {
    o->area = 0.0;
    for (int loop = 0; loop < o->loop_count; loop++) {
        o->area += signed_area(o, loop);
    }
    for (int k = 0; k < 2; k++) {
        o->low[k] = o->high[k] = o->points[0][k];
        for (uint32_t i = 1; i < o->point_count; i++) {
            o->low[k] = fmin(o->low[k], o->points[i][k]);
            o->high[k] = fmax(o->high[k], o->points[i][k]);
        }
    }
}

/* Rounds all points to multiples of a power of two, some 1e-12 of the largest coordinate, so that
 * the checks can be exact. Returns it. */
static double round_points(outline *o) {
    double largest = 0.0;
    for (uint32_t i = 0; i < o->point_count; i++) {
        largest = fmax(largest, fmax(fabs(o->points[i][0]), fabs(o->points[i][1])));
    }
    int exponent;
    frexp(largest, &exponent);
    double step = ldexp(1.0, exponent - 40);
    for (uint32_t i = 0; i < o->point_count; i++) {
        for (int k = 0; k < 2; k++) {
            o->points[i][k] = rint(o->points[i][k] / step) * step + 0.0; /* no negative zero */
        }
    }
    return step;
}

static bool same_point(const double a[2], const double b[2]) {
    return a[0] == b[0] && a[1] == b[1];
}

/* Chords may be shorter than the rounding. */
static void drop_repeated_points(outline *o, uint32_t *curves) {
    uint32_t kept = 0, begin = 0;
    for (int loop = 0; loop < o->loop_count; loop++) {
        uint32_t end = o->loop_ends[loop], first = kept;
        for (uint32_t i = begin; i < end; i++) {
            bool repeated = kept > first && same_point(o->points[i], o->points[kept - 1]);
            kept -= repeated;
            o->points[kept][0] = o->points[i][0];
            o->points[kept][1] = o->points[i][1];
            curves[kept++] = curves[i];
        }
        while (kept > first + 1 && same_point(o->points[kept - 1], o->points[first])) {
            kept--;
        }
        begin = end;
        o->loop_ends[loop] = kept;
    }
    o->point_count = kept;
}

/* Turns a loop the other way round. The curve of a point is that of the side behind it. */
static void reverse(outline *o, uint32_t *curves, int loop) {
    uint32_t begin = loop_begin(o, loop), count = o->loop_ends[loop] - begin;
    double(*p)[2] = o->points + begin;
    uint32_t *c = curves + begin;
    for (uint32_t i = 1, j = count - 1; i < j; i++, j--) {
        double swap[2] = {p[i][0], p[i][1]};
        p[i][0] = p[j][0];
        p[i][1] = p[j][1];
        p[j][0] = swap[0];
        p[j][1] = swap[1];
    }
    for (uint32_t i = 0, j = count - 1; i < j; i++, j--) {
        uint32_t swap = c[i];
        c[i] = c[j];
        c[j] = swap;
    }
}

/* Whether all points lie on a line. */
static bool is_flat(const outline *o, int loop) {
    uint32_t begin = loop_begin(o, loop), end = o->loop_ends[loop], far = begin;
    const double *a = o->points[begin];
    double length = 0.0, width = 0.0;
    for (uint32_t i = begin; i < end; i++) {
        double d = hypot(o->points[i][0] - a[0], o->points[i][1] - a[1]);
        if (d > length) {
            length = d;
            far = i;
        }
    }
    double u = o->points[far][0] - a[0], v = o->points[far][1] - a[1];
    for (uint32_t i = begin; i < end; i++) {
        const double *p = o->points[i];
        width = fmax(width, fabs(u * (p[1] - a[1]) - v * (p[0] - a[0])));
    }
    return width <= SAME_PLACE * length * length;
}

static toile_result finish_loops(outline *o, uint32_t *curves) {
    double step = round_points(o);
    drop_repeated_points(o, curves);
    for (int loop = 0; loop < o->loop_count; loop++) {
        if (o->loop_ends[loop] - loop_begin(o, loop) < 3 || is_flat(o, loop)) {
            return error_set(TOILE_ERROR_INVALID,
                             "loops[%d] encloses no area: expected three lines or more, or curves, "
                             "around some",
                             loop);
        }
        if ((signed_area(o, loop) > 0.0) != (loop == 0)) {
            reverse(o, curves, loop);
        }
    }
    measure(o);
    for (int k = 0; k < 2; k++) {
        double size = o->high[k] - o->low[k];
        if (size < SMALLEST || size > LARGEST) {
            return error_set(TOILE_ERROR_INVALID, "the outline is %g m %s: expected %g to %g m",
                             size, k == 0 ? "wide" : "high", SMALLEST, LARGEST);
        }
    }
    return outline_check_loops(o, curves, step);
}

/* ---- the whole ----------------------------------------------------------------------------------
 */

static toile_result flatten(flattening *f, const toile_outline *def) {
    outline *o = f->outline;
    o->loop_ends = memory_alloc((size_t)def->loop_count, sizeof *o->loop_ends, "loops");
    toile_result result = o->loop_ends ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (int i = 0; i < def->loop_count && result == TOILE_OK; i++) {
        f->loop = (uint32_t)i;
        result = flatten_loop(f, &def->loops[i]);
        o->loop_ends[i] = o->point_count;
        o->loop_count++;
    }
    return result == TOILE_OK ? finish_loops(o, f->curves) : result;
}

toile_result outline_create(outline *o, const toile_outline *def, double tolerance) {
    TOILE_ASSERT(tolerance > 0.0);
    *o = (outline){0};
    if (!def->loops || def->loop_count < 1 || def->loop_count > MOST_POINTS) {
        return error_set(TOILE_ERROR_INVALID, "the outline has %d loops: expected 1 to %d",
                         def->loops ? def->loop_count : 0, MOST_POINTS);
    }
    flattening f = {.outline = o, .tolerance = tolerance};
    toile_result result = flatten(&f, def);
    free(f.curves);
    if (result != TOILE_OK) {
        outline_free(o);
    }
    return result;
}

toile_result outline_create_rectangle(outline *o, double width, double height) {
    *o = (outline){0};
    if (!(width > 0.0 && width <= LARGEST && height > 0.0 && height <= LARGEST)) {
        return error_set(TOILE_ERROR_INVALID,
                         "a rectangle of %g x %g m: expected sizes over 0 and up to 10000 m", width,
                         height);
    }
    o->points = memory_alloc(4, sizeof *o->points, "points of a rectangle");
    o->loop_ends = memory_alloc(1, sizeof *o->loop_ends, "points of a rectangle");
    if (!o->points || !o->loop_ends) {
        outline_free(o);
        return TOILE_ERROR_MEMORY;
    }
    o->points[1][0] = o->points[2][0] = width;
    o->points[2][1] = o->points[3][1] = height;
    o->point_count = o->loop_ends[0] = 4;
    o->loop_count = 1;
    measure(o);
    return TOILE_OK;
}

void outline_free(outline *o) {
    free(o->points);
    free(o->loop_ends);
    *o = (outline){0};
}

/* Quarter turns are exact: a rectangle stays one. */
void outline_turn(outline *o, double degrees) {
    double angle = remainder(degrees, 360.0);
    double c = cos(angle * (PI / 180.0)), s = sin(angle * (PI / 180.0));
    if (fmod(angle, 90.0) == 0.0) {
        c = rint(c);
        s = rint(s);
    }
    for (uint32_t i = 0; i < o->point_count; i++) {
        double x = o->points[i][0], y = o->points[i][1];
        o->points[i][0] = c * x - s * y;
        o->points[i][1] = s * x + c * y;
    }
    measure(o);
}

void outline_move(outline *o, double u, double v) {
    for (uint32_t i = 0; i < o->point_count; i++) {
        o->points[i][0] += u;
        o->points[i][1] += v;
    }
    for (int k = 0; k < 2; k++) {
        double by = k == 0 ? u : v;
        o->low[k] += by;
        o->high[k] += by;
    }
}
