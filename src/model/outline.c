#include "model/outline.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/outline_check.h"
#include "model/outline_flatten.h"

static const double SMALLEST = (double)1e-6f; /* m */

static const double PI = 3.14159265358979323846;

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
    return width <= OUTLINE_SAME_PLACE * length * length;
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
        if (size < SMALLEST || size > OUTLINE_LARGEST) {
            return error_set(TOILE_ERROR_INVALID, "the outline is %g m %s: expected %g to %g m",
                             size, k == 0 ? "wide" : "high", SMALLEST, OUTLINE_LARGEST);
        }
    }
    return outline_check_loops(o, curves, step);
}

/* ---- the whole ----------------------------------------------------------------------------------
 */

toile_result outline_create(outline *o, const toile_outline *def, double tolerance) {
    TOILE_ASSERT(tolerance > 0.0);
    *o = (outline){0};
    uint32_t *curves = NULL;
    toile_result result = outline_flatten(o, def, tolerance, &curves);
    if (result == TOILE_OK) {
        result = finish_loops(o, curves);
    }
    free(curves);
    if (result != TOILE_OK) {
        outline_free(o);
    }
    return result;
}

toile_result outline_create_rectangle(outline *o, double width, double height) {
    *o = (outline){0};
    if (!(width > 0.0 && width <= OUTLINE_LARGEST && height > 0.0 && height <= OUTLINE_LARGEST)) {
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
