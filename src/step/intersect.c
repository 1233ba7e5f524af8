/* Counting triangles of a mesh that cut each other. Triangles are sorted into the cells of a
 * uniform grid, and pairs within a cell are tested once, in the cell of the lowest corner that both
 * boxes share. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "step/world.h"

typedef struct box3 {
    double low[3], high[3];
} box3;

typedef struct cell_entry {
    uint64_t cell;
    uint32_t triangle;
} cell_entry;

typedef struct triangle_set {
    const float *vertices;
    const uint32_t *indices;
    size_t count;
    double cell; /* m, edge of a grid cell */
} triangle_set;

static box3 triangle_box(const triangle_set *s, size_t t) {
    box3 b;
    for (int k = 0; k < 3; k++) {
        const uint32_t *v = s->indices + 3 * t;
        double p0 = (double)s->vertices[3 * (size_t)v[0] + (size_t)k];
        double p1 = (double)s->vertices[3 * (size_t)v[1] + (size_t)k];
        double p2 = (double)s->vertices[3 * (size_t)v[2] + (size_t)k];
        b.low[k] = fmin(p0, fmin(p1, p2));
        b.high[k] = fmax(p0, fmax(p1, p2));
    }
    return b;
}

/* Cells are numbered in 21 bits an axis, enough for 2 million cells across. What lies beyond, or is
 * not a number, goes to the outermost cells: a state may come from a stranger's file. */
static int64_t cell_of(double x, double size) {
    static const double last = (1 << 20) - 1;
    return (int64_t)fmin(fmax(floor(x / size), -last), last) + (1 << 20);
}

static uint64_t cell_key(const int64_t c[3]) {
    return ((uint64_t)(c[0] & 0x1fffff) << 42) | ((uint64_t)(c[1] & 0x1fffff) << 21) |
           (uint64_t)(c[2] & 0x1fffff);
}

static int compare_entries(const void *a, const void *b) {
    const cell_entry *x = a, *y = b;
    if (x->cell != y->cell) {
        return x->cell < y->cell ? -1 : 1;
    }
    return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

/* Twice the mean extent of a triangle, but no so small that the largest would fill thousands of
 * cells. */
static double choose_cell(const triangle_set *s) {
    double sum = 0.0, largest = 0.0;
    for (size_t t = 0; t < s->count; t++) {
        box3 b = triangle_box(s, t);
        double extent =
            fmax(b.high[0] - b.low[0], fmax(b.high[1] - b.low[1], b.high[2] - b.low[2]));
        sum += extent;
        largest = fmax(largest, extent);
    }
    return fmax(fmax(2.0 * sum / (double)s->count, largest / 8.0), 1e-9);
}

static size_t visit_cells(const triangle_set *s, size_t t, cell_entry *out) {
    box3 b = triangle_box(s, t);
    int64_t low[3], high[3], c[3];
    for (int k = 0; k < 3; k++) {
        low[k] = cell_of(b.low[k], s->cell);
        high[k] = cell_of(b.high[k], s->cell);
    }
    size_t count = 0;
    for (c[0] = low[0]; c[0] <= high[0]; c[0]++) {
        for (c[1] = low[1]; c[1] <= high[1]; c[1]++) {
            for (c[2] = low[2]; c[2] <= high[2]; c[2]++) {
                if (out) {
                    out[count] = (cell_entry){cell_key(c), (uint32_t)t};
                }
                count++;
            }
        }
    }
    return count;
}

static void load_vertex(const triangle_set *s, uint32_t index, double out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = (double)s->vertices[3 * (size_t)index + (size_t)k];
    }
}

/* Six times the volume of the tetrahedron a b c d: its sign says on which side of a b c the point d
 * lies. */
static double side_of(const double a[3], const double b[3], const double c[3], const double d[3]) {
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
        w[k] = d[k] - a[k];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

/* Does the segment p q pass through the inside of the triangle? Touching does not count. */
static bool segment_cuts(const double p[3], const double q[3], double t[3][3]) {
    double sp = side_of(t[0], t[1], t[2], p), sq = side_of(t[0], t[1], t[2], q);
    if (!(sp * sq < 0.0)) {
        return false;
    }
    double a = side_of(p, q, t[0], t[1]), b = side_of(p, q, t[1], t[2]),
           c = side_of(p, q, t[2], t[0]);
    return (a > 0.0 && b > 0.0 && c > 0.0) || (a < 0.0 && b < 0.0 && c < 0.0);
}

static bool triangles_cut(const triangle_set *s, size_t first, size_t second) {
    const uint32_t *i = s->indices + 3 * first, *j = s->indices + 3 * second;
    double a[3][3], b[3][3];
    for (int k = 0; k < 3; k++) {
        if (i[k] == j[0] || i[k] == j[1] || i[k] == j[2]) {
            return false;
        }
        load_vertex(s, i[k], a[k]);
        load_vertex(s, j[k], b[k]);
    }
    for (int k = 0; k < 3; k++) {
        if (segment_cuts(a[k], a[(k + 1) % 3], b) || segment_cuts(b[k], b[(k + 1) % 3], a)) {
            return true;
        }
    }
    return false;
}

/* Do the boxes overlap, and is this cell the one that tests the pair? */
static bool pair_belongs(const triangle_set *s, size_t first, size_t second, uint64_t cell) {
    box3 a = triangle_box(s, first), b = triangle_box(s, second);
    int64_t c[3];
    for (int k = 0; k < 3; k++) {
        double low = fmax(a.low[k], b.low[k]);
        if (low > fmin(a.high[k], b.high[k])) {
            return false;
        }
        c[k] = cell_of(low, s->cell);
    }
    return cell_key(c) == cell;
}

static uint64_t count_in_cell(const triangle_set *s, const cell_entry *entries, size_t count) {
    uint64_t cuts = 0;
    for (size_t a = 0; a < count; a++) {
        for (size_t b = a + 1; b < count; b++) {
            size_t first = entries[a].triangle, second = entries[b].triangle;
            cuts +=
                pair_belongs(s, first, second, entries[a].cell) && triangles_cut(s, first, second);
        }
    }
    return cuts;
}

toile_result count_intersections(const float *vertices, const uint32_t *indices, size_t triangles,
                                 uint64_t *count) {
    *count = 0;
    if (triangles < 2) {
        return TOILE_OK;
    }
    triangle_set s = {vertices, indices, triangles, 0.0};
    s.cell = choose_cell(&s);
    size_t total = 0;
    for (size_t t = 0; t < triangles; t++) {
        total += visit_cells(&s, t, NULL);
    }
    cell_entry *entries = memory_alloc(total, sizeof *entries, "finding self-intersections");
    if (!entries) {
        return TOILE_ERROR_MEMORY;
    }
    size_t used = 0;
    for (size_t t = 0; t < triangles; t++) {
        used += visit_cells(&s, t, entries + used);
    }
    qsort(entries, total, sizeof *entries, compare_entries);
    for (size_t begin = 0, end; begin < total; begin = end) {
        end = begin + 1;
        while (end < total && entries[end].cell == entries[begin].cell) {
            end++;
        }
        *count += count_in_cell(&s, entries + begin, end - begin);
    }
    free(entries);
    return TOILE_OK;
}
