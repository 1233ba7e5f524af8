#include "io/border.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct tracer {
    const flat_mesh *mesh;
    uint32_t *next;
    uint32_t *points; /* of the loop that is traced, the first once more at the end */
    uint32_t *kept;   /* those of its points that the outline has */
    toile_curve *curves;
    size_t curve_count;
    toile_loop *loops;
    int loop_count;
    double tolerance;
} tracer;

static const float *point_at(const tracer *t, uint32_t vertex) {
    return t->mesh->uv + 2 * (size_t)vertex;
}

/* Follows the loop that a vertex is on and forgets it. Starts at its leftmost vertex, the lowest of
 * these: that one is a corner whatever else is left out. */
static uint32_t take_loop(tracer *t, uint32_t vertex) {
    uint32_t start = vertex, count = 0;
    for (uint32_t at = t->next[vertex]; at != vertex; at = t->next[at]) {
        const float *a = point_at(t, at), *b = point_at(t, start);
        if (a[0] < b[0] || (a[0] == b[0] && a[1] < b[1])) {
            start = at;
        }
    }
    for (uint32_t at = start; t->next[at] != BORDER_NONE;) {
        uint32_t following = t->next[at];
        t->points[count++] = at;
        t->next[at] = BORDER_NONE;
        at = following;
    }
    t->points[count] = start;
    return count;
}

/* Twice the area inside, negative when it is a hole. */
static double loop_area2(const tracer *t, uint32_t count) {
    double sum = 0.0;
    const float *origin = point_at(t, t->points[0]);
    for (uint32_t i = 1; i + 1 < count; i++) {
        const float *a = point_at(t, t->points[i]), *b = point_at(t, t->points[i + 1]);
        sum += ((double)a[0] - (double)origin[0]) * ((double)b[1] - (double)origin[1]) -
               ((double)a[1] - (double)origin[1]) * ((double)b[0] - (double)origin[0]);
    }
    return sum;
}

/* Directions from a point in which a line passes others closely enough, as angles from the first.
 */
typedef struct wedge {
    double axis[2];
    double low, high;
    double reach; /* m, how far the last point was */
} wedge;

/* Whether a line to a point at `from + d` passes all before it closely enough, and never turned
 * back. Each point narrows the wedge: one pass, where splitting at the farthest point can be
 * quadratic. */
static bool wedge_takes(wedge *w, const double d[2], double tolerance) {
    double distance = hypot(d[0], d[1]);
    double half = distance > tolerance ? asin(tolerance / distance) : 1.5;
    if (w->reach == 0.0) {
        *w = (wedge){{d[0], d[1]}, -half, half, distance};
        return true;
    }
    double angle =
        atan2(w->axis[0] * d[1] - w->axis[1] * d[0], w->axis[0] * d[0] + w->axis[1] * d[1]);
    if (distance < w->reach || angle < w->low || angle > w->high) {
        return false;
    }
    w->low = fmax(w->low, angle - half);
    w->high = fmin(w->high, angle + half);
    w->reach = distance;
    return true;
}

/* Chooses points of a traced loop and returns how many; the start is one of them. */
static uint32_t thin_out(const tracer *t, uint32_t count) {
    uint32_t kept = 0;
    t->kept[kept++] = t->points[0];
    wedge w = {0};
    for (uint32_t i = 1; i <= count;) {
        const float *from = point_at(t, t->kept[kept - 1]), *to = point_at(t, t->points[i]);
        double d[2] = {(double)to[0] - (double)from[0], (double)to[1] - (double)from[1]};
        if (wedge_takes(&w, d, t->tolerance)) {
            i++;
        } else {
            t->kept[kept++] = t->points[i - 1];
            w.reach = 0.0;
        }
    }
    return kept;
}

static void add_loop(tracer *t, const uint32_t *points, uint32_t count) {
    toile_loop *loop = &t->loops[t->loop_count++];
    const float *start = point_at(t, points[0]);
    *loop = (toile_loop){{start[0], start[1]}, t->curves + t->curve_count, (int)count};
    for (uint32_t i = 0; i < count; i++) {
        const float *to = point_at(t, points[i + 1 < count ? i + 1 : 0]);
        t->curves[t->curve_count++] = (toile_curve){.kind = TOILE_CURVE_LINE, .to = {to[0], to[1]}};
    }
}

static toile_result trace(tracer *t) {
    bool outer = false;
    for (uint32_t v = 0; v < t->mesh->vertex_count; v++) {
        if (t->next[v] == BORDER_NONE) {
            continue;
        }
        uint32_t count = take_loop(t, v);
        bool hole = loop_area2(t, count) < 0.0;
        if (!hole && outer) {
            return error_set(TOILE_ERROR_FORMAT,
                             "its border has two outer loops: the flat pattern overlaps itself");
        }
        uint32_t fewer = t->tolerance > 0.0 ? thin_out(t, count) : 0;
        if (fewer >= 3) {
            add_loop(t, t->kept, fewer);
        } else { /* it is no wider than the tolerance */
            add_loop(t, t->points, count);
        }
        if (!hole) {
            toile_loop swapped = t->loops[0];
            t->loops[0] = t->loops[t->loop_count - 1];
            t->loops[t->loop_count - 1] = swapped;
            outer = true;
        }
    }
    return TOILE_OK;
}

toile_result border_outline(const flat_mesh *m, uint32_t *next, double tolerance,
                            toile_outline *outline, toile_loop **loops, toile_curve **curves) {
    size_t count = 0;
    for (uint32_t v = 0; v < m->vertex_count; v++) {
        count += next[v] != BORDER_NONE;
    }
    tracer t = {.mesh = m,
                .next = next,
                .points = memory_alloc(count + 1, sizeof *t.points, "a border"),
                .kept = memory_alloc(count + 1, sizeof *t.kept, "a border"),
                .curves = memory_alloc(count, sizeof *t.curves, "a border"),
                .loops = memory_alloc(count / 3 + 1, sizeof *t.loops, "a border"),
                .tolerance = tolerance};
    toile_result result =
        t.points && t.kept && t.curves && t.loops ? trace(&t) : TOILE_ERROR_MEMORY;
    free(t.points);
    free(t.kept);
    *outline = (toile_outline){t.loops, t.loop_count};
    *loops = t.loops;
    *curves = t.curves;
    return result;
}
