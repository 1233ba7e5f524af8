/* Lengths are spacings and areas are cells in this file: texel (i, j) is at (i, j), and cell (i, j)
 * is the square from it to (i + 1, j + 1). */
#include "cook/cover.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A whole cell that the panel hardly touches has this much cloth all the same: a texel of such
 * cells alone would have next to no mass, and what divides by it would explode. It is taken from
 * the cells around, of which those with ten times as much have enough to spare for eight. */
static const double LEAST_COVERAGE = 0.01;
static const double ENOUGH_TO_SPARE = 0.1;

/* Less than this is what rounding leaves; of small panels, less than this share. */
static const double NO_AREA = 1e-9, NO_SHARE = 1e-3;

/* Areas that differ by this share are the same: what is symmetric stays so. */
static const double SAME_AREA = 1e-6;

typedef struct covering {
    const outline *outline;
    const grid *grid;
    uint8_t *mask; /* 1: touched; 2 while neighbours are added: one of those */
    int columns, rows, stride;
    double total;   /* of the panel */
    double no_area; /* less is none */
    double *area;   /* cells of a row, columns of them, and one more for sums to end in */
    double *cloth;  /* the same: what the cells have in the end */
} covering;

typedef struct edge {
    double x0, y0, x1, y1;
} edge;

static double at_y(const edge *e, double y) {
    double x = e->x0 + (y - e->y0) / (e->y1 - e->y0) * (e->x1 - e->x0);
    return fmin(fmax(x, fmin(e->x0, e->x1)), fmax(e->x0, e->x1));
}

static int clamp(double value, int low, int high) {
    return value <= (double)low ? low : value >= (double)high ? high : (int)value;
}

static void for_each_edge(covering *c, void (*visit)(covering *, const edge *)) {
    const outline *o = c->outline;
    double scale = 1.0 / (double)c->grid->spacing;
    uint32_t begin = 0;
    for (int loop = 0; loop < o->loop_count; loop++) {
        uint32_t end = o->loop_ends[loop];
        for (uint32_t i = begin, before = end - 1; i < end; before = i++) {
            const double *a = o->points[before], *b = o->points[i];
            edge e = {(a[0] - o->low[0]) * scale, (a[1] - o->low[1]) * scale,
                      (b[0] - o->low[0]) * scale, (b[1] - o->low[1]) * scale};
            visit(c, &e);
        }
        begin = end;
    }
}

/* ---- which texels exist -------------------------------------------------------------------------
 */

/* Texels whose square an edge goes through. Squares are open and a little smaller, so that an edge
 * along their border touches neither side: the cloth beside it covers one of the middles. */
static void mark_touched(covering *c, const edge *e) {
    const double half = 0.5 - GRID_TOUCH_TOLERANCE;
    double low = fmin(e->y0, e->y1), high = fmax(e->y0, e->y1);
    int first = clamp(floor(low - half) + 1.0, 0, c->rows);
    int last = clamp(ceil(high + half) - 1.0, -1, c->rows - 1);
    for (int j = first; j <= last; j++) {
        double a = e->x0, b = e->x1;
        if (e->y0 != e->y1) {
            a = at_y(e, fmax(low, (double)j - half));
            b = at_y(e, fmin(high, (double)j + half));
        }
        int from = clamp(floor(fmin(a, b) - half) + 1.0, 0, c->columns);
        int to = clamp(ceil(fmax(a, b) + half) - 1.0, -1, c->columns - 1);
        if (from <= to) {
            memset(c->mask + (size_t)j * (size_t)c->columns + from, 1, (size_t)(to - from) + 1);
        }
    }
}

/* Edges between a texel and the left: downward ones have cloth to their right, upward ones end it.
 */
static void count_windings(covering *c, const edge *e) {
    double low = fmin(e->y0, e->y1), high = fmax(e->y0, e->y1);
    double sign = e->y0 > e->y1 ? 1.0 : -1.0;
    int first = clamp(ceil(low), 0, c->rows), last = clamp(ceil(high) - 1.0, -1, c->rows - 1);
    for (int j = first; j <= last; j++) {
        int i = clamp(floor(at_y(e, (double)j)) + 1.0, 0, c->columns);
        c->area[(size_t)j * (size_t)c->stride + (size_t)i] += sign;
    }
}

static void mark_texels(covering *c) {
    for_each_edge(c, mark_touched);
    for_each_edge(c, count_windings);
    for (int j = 0; j < c->rows; j++) {
        double winding = 0.0;
        for (int i = 0; i < c->columns; i++) {
            winding += c->area[(size_t)j * (size_t)c->stride + (size_t)i];
            c->mask[(size_t)j * (size_t)c->columns + (size_t)i] |= winding > 0.5;
        }
    }
}

/* ---- how much cloth is in each cell -------------------------------------------------------------
 */

/* A piece of an edge within a row of cells adds or takes what is to its right: part of its own
 * cells, and all of those behind, where the sum along the row takes it. */
static void add_piece(double *row, int columns, double left, double right, double drop) {
    int first = clamp(floor(left), 0, columns - 1), last = clamp(ceil(right) - 1.0, 0, columns - 1);
    if (last <= first) {
        double middle = 0.5 * (left + right) - (double)first;
        row[first] += drop * (1.0 - middle);
        row[first + 1] += drop * middle;
        return;
    }
    for (int i = first; i <= last; i++) {
        double from = fmax(left, (double)i), to = fmin(right, (double)i + 1.0);
        double share = drop * ((to - from) / (right - left));
        double middle = 0.5 * (from + to) - (double)i;
        row[i] += share * (1.0 - middle);
        row[i + 1] += share * middle;
    }
}

static void add_area(covering *c, const edge *e) {
    double low = fmin(e->y0, e->y1), high = fmax(e->y0, e->y1);
    double sign = e->y0 > e->y1 ? 1.0 : -1.0;
    int first = clamp(floor(low), 0, c->rows), last = clamp(ceil(high) - 1.0, -1, c->rows - 1);
    for (int j = first; j <= last; j++) {
        double from = fmax(low, (double)j), to = fmin(high, (double)j + 1.0);
        double a = at_y(e, from), b = at_y(e, to);
        add_piece(c->area + (size_t)j * (size_t)c->stride, c->columns, fmin(a, b), fmax(a, b),
                  sign * (to - from));
    }
}

static void measure_cells(covering *c) {
    memset(c->area, 0, (size_t)c->stride * (size_t)c->rows * sizeof *c->area);
    for_each_edge(c, add_area);
    for (int j = 0; j < c->rows; j++) {
        double *row = c->area + (size_t)j * (size_t)c->stride, sum = 0.0;
        for (int i = 0; i < c->columns; i++) {
            sum += row[i];
            row[i] = sum > 0.0 ? sum : 0.0;
        }
    }
}

/* ---- whole cells --------------------------------------------------------------------------------
 */

static size_t cell(const covering *c, int i, int j) {
    return (size_t)j * (size_t)c->stride + (size_t)i;
}

static bool is_cell(const covering *c, int i, int j) {
    return i >= 0 && j >= 0 && i < c->columns - 1 && j < c->rows - 1;
}

static bool is_whole(const covering *c, int i, int j) {
    if (!is_cell(c, i, j)) {
        return false;
    }
    const uint8_t *m = c->mask + (size_t)j * (size_t)c->columns + (size_t)i;
    return m[0] == 1 && m[1] == 1 && m[c->columns] == 1 && m[c->columns + 1] == 1;
}

/* The cells around a texel, by their lower left texel. */
static const int around[4][2] = {{-1, -1}, {0, -1}, {-1, 0}, {0, 0}};

static void add_neighbours(covering *c, int i, int j) {
    uint8_t *m = c->mask + (size_t)j * (size_t)c->columns + (size_t)i;
    uint8_t *corners[4] = {m, m + 1, m + c->columns, m + c->columns + 1};
    for (int k = 0; k < 4; k++) {
        *corners[k] = *corners[k] ? *corners[k] : 2;
    }
}

/* Of some cells around a texel, one must be whole. If none is, the one with most cloth in it is
 * made so, and all that have as much, so that the mirror image of a panel has the mirror image of
 * its texels. */
static void require_one(covering *c, int i, int j, const int *choice, int count, double least) {
    double most = least;
    for (int k = 0; k < count; k++) {
        int u = i + around[choice[k]][0], v = j + around[choice[k]][1];
        if (is_whole(c, u, v)) {
            return;
        }
        most = is_cell(c, u, v) ? fmax(most, c->area[cell(c, u, v)]) : most;
    }
    for (int k = 0; k < count; k++) {
        int u = i + around[choice[k]][0], v = j + around[choice[k]][1];
        if (is_cell(c, u, v) && c->area[cell(c, u, v)] >= most * (1.0 - SAME_AREA)) {
            add_neighbours(c, u, v);
        }
    }
}

/* Every texel needs a whole cell. So does every thread that the panel follows: where it is thinner
 * than a spacing, it would fall apart otherwise. */
static void complete_cells(covering *c) {
    static const int all[] = {0, 1, 2, 3}, right[] = {1, 3}, above[] = {2, 3};
    for (int j = 0; j < c->rows; j++) {
        const uint8_t *row = c->mask + (size_t)j * (size_t)c->columns;
        for (int i = 0; i < c->columns; i++) {
            if (row[i] != 1) {
                continue;
            }
            require_one(c, i, j, all, 4, 0.0);
            if (i + 1 < c->columns && row[i + 1] == 1) {
                require_one(c, i, j, right, 2, c->no_area);
            }
            if (j + 1 < c->rows && row[i + c->columns] == 1) {
                require_one(c, i, j, above, 2, c->no_area);
            }
        }
    }
    for (size_t t = 0, n = grid_texels(c->grid); t < n; t++) {
        c->mask[t] = c->mask[t] != 0;
    }
}

/* ---- cloth where the texels are -----------------------------------------------------------------
 */

static const int beside[8][2] = {{1, 0}, {-1, 0}, {0, 1},  {0, -1},
                                 {1, 1}, {1, -1}, {-1, 1}, {-1, -1}};

/* A cell with cloth has an existing texel at a corner, and that has a whole cell, so that there is
 * one among the eight around: first those at a side, then those at a corner; equally near ones
 * share. */
static void give_away(covering *c, int i, int j) {
    for (int nearest = 0; nearest < 8; nearest += 4) {
        int count = 0;
        for (int k = nearest; k < nearest + 4; k++) {
            count += is_whole(c, i + beside[k][0], j + beside[k][1]);
        }
        for (int k = nearest; k < nearest + 4 && count > 0; k++) {
            int u = i + beside[k][0], v = j + beside[k][1];
            if (is_whole(c, u, v)) {
                c->cloth[cell(c, u, v)] += c->area[cell(c, i, j)] / (double)count;
            }
        }
        if (count > 0) {
            return;
        }
    }
}

static void gather_cloth(covering *c) {
    for (int j = 0; j < c->rows; j++) {
        for (int i = 0; i < c->columns; i++) {
            if (is_whole(c, i, j)) {
                c->cloth[cell(c, i, j)] += c->area[cell(c, i, j)];
            } else if (c->area[cell(c, i, j)] > 0.0) {
                give_away(c, i, j);
            }
        }
    }
}

static bool has_cloth(const covering *c, int i, int j) {
    for (int k = 0; k < 4; k++) {
        int u = i + around[k][0], v = j + around[k][1];
        if (is_whole(c, u, v) && c->cloth[cell(c, u, v)] > c->no_area) {
            return true;
        }
    }
    return false;
}

/* Whole cells without cloth, such as those across a slit, connect nothing and get none, unless a
 * texel has no others. Leaves in area what each cell must at least have. */
static void find_least(covering *c) {
    memset(c->area, 0, (size_t)c->stride * (size_t)c->rows * sizeof *c->area);
    for (int j = 0; j < c->rows; j++) {
        for (int i = 0; i < c->columns; i++) {
            bool exists = c->mask[(size_t)j * (size_t)c->columns + (size_t)i];
            bool bare = exists && !has_cloth(c, i, j);
            for (int k = 0; k < 4 && exists; k++) {
                int u = i + around[k][0], v = j + around[k][1];
                if (is_whole(c, u, v) && (bare || c->cloth[cell(c, u, v)] > c->no_area)) {
                    c->area[cell(c, u, v)] = LEAST_COVERAGE;
                }
            }
        }
    }
}

/* Takes what a thin cell lacks from those around it that have enough, in equal parts. What is taken
 * is kept in area, below what must be there: thin cells do not take from thin ones, so none is
 * both. */
static void borrow(covering *c, int i, int j, double lack) {
    int lenders = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < 8; k++) {
            int u = i + beside[k][0], v = j + beside[k][1];
            if (!is_whole(c, u, v) || c->cloth[cell(c, u, v)] < ENOUGH_TO_SPARE) {
                continue;
            }
            if (pass == 0) {
                lenders++;
            } else {
                c->area[cell(c, u, v)] -= lack / (double)lenders;
            }
        }
    }
}

static void raise_thin_cells(covering *c) {
    for (int j = 0; j < c->rows - 1; j++) {
        for (int i = 0; i < c->columns - 1; i++) {
            double has = c->cloth[cell(c, i, j)], least = c->area[cell(c, i, j)];
            if (least > 0.0 && has < LEAST_COVERAGE) {
                borrow(c, i, j, LEAST_COVERAGE - has);
            }
        }
    }
    for (int j = 0; j < c->rows - 1; j++) {
        for (int i = 0; i < c->columns - 1; i++) {
            double *has = &c->cloth[cell(c, i, j)], least = c->area[cell(c, i, j)];
            if (*has >= ENOUGH_TO_SPARE) {
                *has += least - LEAST_COVERAGE; /* less what was lent */
            } else if (least > 0.0) {
                *has = fmax(*has, LEAST_COVERAGE);
            } else {
                *has = 0.0;
            }
        }
    }
}

/* Makes the sum that of the panel where thin cells found nobody to borrow from. A panel that is too
 * small to give all its cells the least coverage is spread evenly. */
static void balance(covering *c) {
    double total = c->total, sum = 0.0, above = 0.0, count = 0.0;
    size_t size = (size_t)c->stride * (size_t)c->rows;
    for (size_t k = 0; k < size; k++) {
        sum += c->cloth[k];
        above += fmax(c->cloth[k] - LEAST_COVERAGE, 0.0);
        count += c->cloth[k] > 0.0;
    }
    if (fabs(sum - total) <= 1e-9 * total || count == 0.0) {
        return;
    }
    double rest = total - count * LEAST_COVERAGE;
    for (size_t k = 0; k < size; k++) {
        double *has = &c->cloth[k];
        if (*has <= 0.0) {
            continue;
        }
        *has = rest > 0.0 && above > 0.0
                   ? LEAST_COVERAGE + fmax(*has - LEAST_COVERAGE, 0.0) * (rest / above)
                   : total / count;
    }
}

/* ---- the whole ----------------------------------------------------------------------------------
 */

/* Rectangles along warp and weft, whose grid knows all about them. */
static bool is_box(const outline *o) {
    if (o->loop_count != 1 || o->point_count != 4) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        const double *p = o->points[i], *q = o->points[(i + 1) % 4];
        bool corner =
            (p[0] == o->low[0] || p[0] == o->high[0]) && (p[1] == o->low[1] || p[1] == o->high[1]);
        if (!corner || (p[0] == q[0]) == (p[1] == q[1])) {
            return false;
        }
    }
    return true;
}

static void cover(covering *c, float *coverage) {
    mark_texels(c);
    measure_cells(c);
    complete_cells(c);
    gather_cloth(c);
    find_least(c);
    raise_thin_cells(c);
    balance(c);
    for (int j = 0; j < c->rows - 1; j++) {
        for (int i = 0; i < c->columns - 1; i++) {
            coverage[grid_index(c->grid, i, j)] = (float)c->cloth[cell(c, i, j)];
        }
    }
}

toile_result cover_outline(const outline *o, const grid *g, uint8_t *mask, float *coverage) {
    memset(coverage, 0, g->size * sizeof *coverage);
    if (is_box(o)) {
        memset(mask, 1, grid_texels(g));
        grid_cover(g, coverage);
        return TOILE_OK;
    }
    memset(mask, 0, grid_texels(g));
    covering c = {.outline = o,
                  .grid = g,
                  .mask = mask,
                  .columns = g->columns,
                  .rows = g->rows,
                  .stride = g->columns + 1,
                  .total = o->area / ((double)g->spacing * (double)g->spacing)};
    c.no_area = fmin(NO_AREA, NO_SHARE * c.total);
    size_t cells = (size_t)c.stride * (size_t)c.rows;
    c.area = memory_alloc(cells, sizeof *c.area, "areas of cells");
    c.cloth = memory_alloc(cells, sizeof *c.cloth, "areas of cells");
    bool enough = c.area && c.cloth;
    if (enough) {
        cover(&c, coverage);
    }
    free(c.area);
    free(c.cloth);
    return enough ? TOILE_OK : TOILE_ERROR_MEMORY;
}

/* ---- parts --------------------------------------------------------------------------------------
 */

static size_t part_of(size_t *parents, size_t texel) {
    while (parents[texel] != texel) {
        parents[texel] = parents[parents[texel]];
        texel = parents[texel];
    }
    return texel;
}

/* Returns whether they were apart. */
static bool join(size_t *parents, size_t a, size_t b) {
    size_t one = part_of(parents, a), other = part_of(parents, b);
    parents[one > other ? one : other] = one > other ? other : one;
    return one != other;
}

toile_result cover_count_parts(const grid *g, const float *coverage, const uint8_t *mask,
                               int *parts) {
    size_t texels = grid_texels(g), columns = (size_t)g->columns, count = 0;
    size_t *parents = memory_alloc(texels, sizeof *parents, "parts of a panel");
    if (!parents) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t t = 0; t < texels; t++) {
        parents[t] = t;
        count += mask[t];
    }
    for (int j = 0; j < g->rows - 1; j++) {
        for (int i = 0; i < g->columns - 1; i++) {
            if (coverage[grid_index(g, i, j)] > 0.0f) {
                size_t t = (size_t)j * columns + (size_t)i;
                count -= join(parents, t, t + 1);
                count -= join(parents, t, t + columns);
                count -= join(parents, t, t + columns + 1);
            }
        }
    }
    free(parents);
    *parts = (int)count;
    return TOILE_OK;
}
