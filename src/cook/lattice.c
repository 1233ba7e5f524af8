#include "cook/lattice.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

/* More are refused: a comb of thousands of teeth must not take all memory. */
enum { LATTICE_CROSSINGS = 50000000 };

typedef struct crossing {
    int32_t row;
    double u; /* m, where the outline crosses the row */
} crossing;

void lattice_place(const lattice *l, int32_t column, int32_t row, double point[2]) {
    point[0] = l->low[0] + ((double)column + (row & 1 ? 0.5 : 0.0)) * l->pitch;
    point[1] = l->low[1] + (double)row * l->rise;
}

static int by_row_then_u(const void *a, const void *b) {
    const crossing *x = a, *y = b;
    if (x->row != y->row) {
        return x->row < y->row ? -1 : 1;
    }
    return (x->u > y->u) - (x->u < y->u);
}

/* The rows a side of the outline crosses: those whose v is in [lower end, upper end), so that a
 * point of the outline on a row is counted once. */
static void rows_crossed(const lattice *l, const double *a, const double *b, int32_t *first,
                         int32_t *end) {
    double low = fmin(a[1], b[1]), high = fmax(a[1], b[1]);
    *first = (int32_t)fmax(ceil((low - l->low[1]) / l->rise), 0.0);
    *end = (int32_t)fmin(ceil((high - l->low[1]) / l->rise), (double)l->rows);
}

/* Goes through the sides of an outline. */
typedef struct side {
    const outline *o;
    uint32_t next; /* point */
    int loop;
    const double *a, *b; /* its ends */
} side;

static bool next_side(side *s) {
    const outline *o = s->o;
    if (s->next >= o->point_count) {
        return false;
    }
    uint32_t begin = s->loop > 0 ? o->loop_ends[s->loop - 1] : 0, end = o->loop_ends[s->loop];
    s->a = o->points[s->next];
    s->b = o->points[s->next + 1 < end ? s->next + 1 : begin];
    if (++s->next == end) {
        s->loop++;
    }
    return true;
}

static toile_result find_crossings(const lattice *l, const outline *o, crossing **list,
                                   size_t *count) {
    int32_t first, end;
    *count = 0;
    for (side s = {.o = o}; next_side(&s);) {
        rows_crossed(l, s.a, s.b, &first, &end);
        *count += end > first ? (size_t)(end - first) : 0;
    }
    if (*count > LATTICE_CROSSINGS) {
        return error_set(TOILE_ERROR_INVALID,
                         "an outline of %" PRIu32 " points crosses rows of triangles %g m apart "
                         "%zu times: expected at most %d times, with larger triangles or a "
                         "simpler outline",
                         o->point_count, l->rise, *count, LATTICE_CROSSINGS);
    }
    *list = memory_alloc(*count + 1, sizeof **list, "crossings of an outline");
    if (!*list) {
        return TOILE_ERROR_MEMORY;
    }
    size_t n = 0;
    for (side s = {.o = o}; next_side(&s);) {
        rows_crossed(l, s.a, s.b, &first, &end);
        for (int32_t row = first; row < end; row++) {
            double v = l->low[1] + (double)row * l->rise;
            double share = (v - s.a[1]) / (s.b[1] - s.a[1]);
            (*list)[n++] = (crossing){row, s.a[0] + share * (s.b[0] - s.a[0])};
        }
    }
    qsort(*list, n, sizeof **list, by_row_then_u);
    return TOILE_OK;
}

/* Between each pair of crossings lies a run of points inside. */
static toile_result make_runs(lattice *l, const crossing *list, size_t count) {
    l->row_ends = memory_alloc((size_t)l->rows, sizeof *l->row_ends, "rows of a lattice");
    l->runs = memory_alloc(count / 2 + 1, sizeof *l->runs, "runs of a lattice");
    if (!l->row_ends || !l->runs) {
        return TOILE_ERROR_MEMORY;
    }
    size_t at = 0;
    for (int32_t row = 0; row < l->rows; row++) {
        for (; at + 1 < count && list[at].row == row; at += 2) {
            double begin = l->low[0] + (row & 1 ? 0.5 * l->pitch : 0.0);
            double first = floor((list[at].u - begin) / l->pitch) + 1.0;
            double last = ceil((list[at + 1].u - begin) / l->pitch) - 1.0;
            if (last >= first) {
                uint32_t points = (uint32_t)(last - first) + 1;
                l->runs[l->run_count++] = (lattice_run){(int32_t)first, points, l->point_count};
                l->point_count += points;
            }
        }
        l->row_ends[row] = l->run_count;
    }
    l->gone = memory_alloc(l->point_count + 1, 1, "points of a lattice");
    return l->gone ? TOILE_OK : TOILE_ERROR_MEMORY;
}

static void remove_columns(lattice *l, int32_t row, int32_t first, int32_t last) {
    size_t low = row > 0 ? l->row_ends[row - 1] : 0, high = l->row_ends[row], end = high;
    while (low < high) { /* the first run that does not end before `first` */
        size_t middle = low + (high - low) / 2;
        const lattice_run *r = &l->runs[middle];
        if ((int64_t)r->first + r->count <= first) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < end && l->runs[low].first <= last; low++) {
        const lattice_run *r = &l->runs[low];
        int64_t from = first > r->first ? first - r->first : 0;
        int64_t to = (int64_t)last - r->first;
        for (int64_t i = from; i <= to && i < r->count; i++) {
            l->gone[r->start + (size_t)i] = 1;
        }
    }
}

/* Half the width of a circle, `off` from its middle; negative beyond it. */
static double half_width(double radius, double off) {
    double rest = radius * radius - off * off;
    return rest >= 0.0 ? sqrt(rest) : -1.0;
}

/* What lies within `clearance` of a side is, in a row, one interval: that of the two round ends,
 * and of the band between them. */
static void clear_side(lattice *l, const double *a, const double *b, double clearance) {
    double low_v = fmin(a[1], b[1]) - clearance, high_v = fmax(a[1], b[1]) + clearance;
    int32_t first = (int32_t)fmax(ceil((low_v - l->low[1]) / l->rise), 0.0);
    int32_t last = (int32_t)fmin(floor((high_v - l->low[1]) / l->rise), (double)l->rows - 1.0);
    double du = b[0] - a[0], dv = b[1] - a[1], length = hypot(du, dv);
    double nu = -dv / length * clearance, nv = du / length * clearance;
    const double corners[4][2] = {{a[0] + nu, a[1] + nv},
                                  {b[0] + nu, b[1] + nv},
                                  {b[0] - nu, b[1] - nv},
                                  {a[0] - nu, a[1] - nv}};
    for (int32_t row = first; row <= last; row++) {
        double v = l->low[1] + (double)row * l->rise, low = INFINITY, high = -INFINITY;
        for (int end = 0; end < 2; end++) {
            const double *p = end ? b : a;
            double half = half_width(clearance, v - p[1]);
            if (half >= 0.0) {
                low = fmin(low, p[0] - half);
                high = fmax(high, p[0] + half);
            }
        }
        for (int k = 0; k < 4; k++) {
            const double *p = corners[k], *q = corners[(k + 1) % 4];
            if ((p[1] <= v) != (q[1] <= v)) {
                double u = p[0] + (v - p[1]) / (q[1] - p[1]) * (q[0] - p[0]);
                low = fmin(low, u);
                high = fmax(high, u);
            }
        }
        double begin = l->low[0] + (row & 1 ? 0.5 * l->pitch : 0.0);
        if (high >= low) {
            remove_columns(l, row, (int32_t)ceil((low - begin) / l->pitch),
                           (int32_t)floor((high - begin) / l->pitch));
        }
    }
}

toile_result lattice_create(lattice *l, const outline *o, double pitch, double clearance) {
    *l = (lattice){.pitch = pitch, .rise = sqrt(0.75) * pitch};
    /* Rows lie evenly between bottom and top of the box: a panel and its mirror image look alike.
     */
    double height = o->high[1] - o->low[1];
    l->rows = (int32_t)(height / l->rise) + 1;
    l->low[0] = 0.5 * (o->low[0] + o->high[0]);
    l->low[1] = o->low[1] + 0.5 * (height - (double)(l->rows - 1) * l->rise);
    size_t count;
    crossing *list = NULL;
    toile_result result = find_crossings(l, o, &list, &count);
    if (result == TOILE_OK && list) {
        result = make_runs(l, list, count);
    }
    free(list);
    if (result != TOILE_OK) {
        lattice_free(l);
        return result;
    }
    for (side s = {.o = o}; next_side(&s);) {
        clear_side(l, s.a, s.b, clearance);
    }
    return TOILE_OK;
}

void lattice_free(lattice *l) {
    free(l->row_ends);
    free(l->runs);
    free(l->gone);
    *l = (lattice){0};
}
