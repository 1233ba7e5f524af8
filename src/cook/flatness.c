#include "cook/flatness.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

static const char WHAT[] = "the flatness of a mesh";

/* What the proof leaves, so that rounding cannot make up for it. */
static const float MARGIN = 0.01f;

/* ---- making it ----------------------------------------------------------------------------------
 */

static uint32_t lesser(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static uint32_t greater(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static cell_span span_of_leaf(const flatness *f, const tree_leaf *l) {
    cell_span s = {{UINT32_MAX, UINT32_MAX}, {0, 0}};
    for (int i = 0; i < TREE_LEAF && l->vertices[0][i] != TREE_NO_VERTEX; i++) {
        uint32_t low[2] = {UINT32_MAX, UINT32_MAX};
        for (int k = 0; k < 3; k++) {
            low[0] = lesser(low[0], l->vertices[k][i] % f->columns);
            low[1] = lesser(low[1], l->vertices[k][i] / f->columns);
        }
        for (int axis = 0; axis < 2; axis++) {
            s.low[axis] = lesser(s.low[axis], low[axis]);
            s.high[axis] = greater(s.high[axis], low[axis]);
        }
    }
    return s;
}

static cell_span join_spans(const cell_span *a, const cell_span *b) {
    return (cell_span){{lesser(a->low[0], b->low[0]), lesser(a->low[1], b->low[1])},
                       {greater(a->high[0], b->high[0]), greater(a->high[1], b->high[1])}};
}

static void find_spans(flatness *f, const triangle_tree *t) {
    for (size_t i = 2 * (size_t)t->leaf_count - 1; i-- > 0;) {
        const tree_node *n = &t->nodes[i];
        f->spans[i] = n->leaves == 1 ? span_of_leaf(f, &t->leaves[n->leaf])
                                     : join_spans(&f->spans[tree_first_child(n) - t->nodes],
                                                  &f->spans[tree_second_child(n) - t->nodes]);
    }
}

/* Up to the level whose one square is all there is. */
static bool create_levels(flatness *f) {
    uint32_t columns = f->columns - 1, rows = f->rows - 1; /* cells */
    bool good = true;
    for (uint32_t side = FLATNESS_CELLS; good; side *= 2) {
        flat_level *l = &f->levels[f->level_count++];
        l->columns = (columns + side - 1) / side;
        l->rows = (rows + side - 1) / side;
        size_t squares = (size_t)l->columns * l->rows;
        l->tangents = memory_alloc(squares, sizeof *l->tangents, WHAT);
        l->flat = memory_alloc(squares, 1, WHAT);
        good = l->tangents && l->flat;
        if (squares == 1 || f->level_count == FLATNESS_LEVELS) {
            break;
        }
    }
    return good;
}

toile_result flatness_create(flatness *f, const triangle_tree *tree, uint32_t columns,
                             uint32_t rows, float spacing, const float last[2]) {
    *f = (flatness){.columns = columns,
                    .rows = rows,
                    .per_edge = 1.0f / spacing,
                    .per_last = {1.0f / (spacing * last[0]), 1.0f / (spacing * last[1])}};
    f->spans = memory_alloc(2 * (size_t)tree->leaf_count, sizeof *f->spans, WHAT);
    if (!f->spans || !create_levels(f)) {
        flatness_free(f);
        return TOILE_ERROR_MEMORY;
    }
    find_spans(f, tree);
    return TOILE_OK;
}

void flatness_free(flatness *f) {
    for (int l = 0; l < f->level_count; l++) {
        free(f->levels[l].tangents);
        free(f->levels[l].flat);
    }
    free(f->spans);
    *f = (flatness){0};
}

/* ---- fitting ------------------------------------------------------------------------------------
 */

static tangents empty_tangents(void) {
    tangents t;
    for (int k = 0; k < 6; k++) {
        t.low[k / 3][k % 3] = INFINITY;
        t.high[k / 3][k % 3] = -INFINITY;
    }
    return t;
}

static void add_edge(tangents *t, int along, const float *from, const float *to, float scale) {
    for (int k = 0; k < 3; k++) {
        float x = (to[k] - from[k]) * scale;
        t->low[along][k] = x < t->low[along][k] ? x : t->low[along][k];
        t->high[along][k] = x > t->high[along][k] ? x : t->high[along][k];
    }
}

/* All edges in the square whose first cell is (i0, j0), and on its border. */
static tangents tangents_of(const flatness *f, uint32_t i0, uint32_t j0) {
    uint32_t i1 = lesser(i0 + FLATNESS_CELLS, f->columns - 1);
    uint32_t j1 = lesser(j0 + FLATNESS_CELLS, f->rows - 1);
    size_t row = 3 * (size_t)f->columns;
    tangents t = empty_tangents();
    for (uint32_t j = j0; j <= j1; j++) {
        const float *x = f->positions + row * j + 3 * (size_t)i0;
        for (uint32_t i = i0; i < i1; i++, x += 3) {
            add_edge(&t, 0, x, x + 3, i + 2 == f->columns ? f->per_last[0] : f->per_edge);
        }
    }
    for (uint32_t j = j0; j < j1; j++) {
        const float *x = f->positions + row * j + 3 * (size_t)i0;
        for (uint32_t i = i0; i <= i1; i++, x += 3) {
            add_edge(&t, 1, x, x + row, j + 2 == f->rows ? f->per_last[1] : f->per_edge);
        }
    }
    return t;
}

void flatness_fit_rows(flatness *f, uint32_t first, uint32_t end) {
    const flat_level *l = &f->levels[0];
    for (uint32_t j = first; j < end; j++) {
        for (uint32_t i = 0; i < l->columns; i++) {
            l->tangents[(size_t)j * l->columns + i] =
                tangents_of(f, i * FLATNESS_CELLS, j * FLATNESS_CELLS);
        }
    }
}

static void join(tangents *t, const tangents *other) {
    for (int k = 0; k < 6; k++) {
        float *low = &t->low[k / 3][k % 3], *high = &t->high[k / 3][k % 3];
        float other_low = other->low[k / 3][k % 3], other_high = other->high[k / 3][k % 3];
        *low = other_low < *low ? other_low : *low;
        *high = other_high > *high ? other_high : *high;
    }
}

/* Of the four squares from (i, j) on, as far as there are any. */
static tangents join_four(const flat_level *l, uint32_t i, uint32_t j) {
    tangents t = l->tangents[(size_t)j * l->columns + i];
    for (uint32_t k = 1; k < 4; k++) {
        uint32_t column = i + (k & 1), row = j + (k >> 1);
        if (column < l->columns && row < l->rows) {
            join(&t, &l->tangents[(size_t)row * l->columns + column]);
        }
    }
    return t;
}

/* False for what is no number. */
static bool is_flat(const tangents *t) {
    float squared[2] = {0.0f, 0.0f}, spread = 0.0f, dot = 0.0f;
    for (int k = 0; k < 3; k++) {
        float middle[2];
        for (int along = 0; along < 2; along++) {
            float half = 0.5f * (t->high[along][k] - t->low[along][k]);
            middle[along] = t->low[along][k] + half;
            squared[along] += middle[along] * middle[along];
            spread += half * half;
        }
        dot += middle[0] * middle[1];
    }
    float least = squared[0] < squared[1] ? squared[0] : squared[1];
    return least - fabsf(dot) > (1.0f + MARGIN) * spread + MARGIN;
}

void flatness_fit(flatness *f) {
    for (int level = 0; level < f->level_count; level++) {
        flat_level *l = &f->levels[level];
        for (uint32_t j = 0; j < l->rows; j++) {
            for (uint32_t i = 0; i < l->columns; i++) {
                if (level > 0) {
                    l->tangents[(size_t)j * l->columns + i] = join_four(l - 1, 2 * i, 2 * j);
                }
            }
        }
        for (uint32_t j = 0; j < l->rows; j++) {
            for (uint32_t i = 0; i < l->columns; i++) {
                tangents t = join_four(l, i, j);
                l->flat[(size_t)j * l->columns + i] = is_flat(&t);
            }
        }
    }
}

/* ---- asking -------------------------------------------------------------------------------------
 */

bool flatness_holds(const flatness *f, size_t a, size_t b) {
    if (f->level_count == 0) {
        return false;
    }
    cell_span s = join_spans(&f->spans[a], &f->spans[b]);
    uint32_t beyond = greater(s.high[0] - s.low[0], s.high[1] - s.low[1]); /* the first cell */
    /* A square begins less than half its side before the first cell: the rest must be enough. */
    int level = 0;
    while (level + 1 < f->level_count && beyond > ((uint32_t)FLATNESS_CELLS << level)) {
        level++;
    }
    const flat_level *l = &f->levels[level];
    uint32_t side = (uint32_t)FLATNESS_CELLS << level;
    return l->flat[(size_t)(s.low[1] / side) * l->columns + s.low[0] / side];
}
