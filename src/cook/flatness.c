#include "cook/flatness.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

static const char WHAT[] = "the flatness of a mesh";

/* What the proof leaves at least, so that rounding cannot make up for it. */
static const float MARGIN = 0.01f;

/* ---- making it ----------------------------------------------------------------------------------
 */

cell_span cell_span_of(const flatness *f, const tree_leaf *l, int i) {
    uint32_t low[2] = {UINT32_MAX, UINT32_MAX};
    for (int k = 0; k < 3; k++) {
        low[0] = cell_lesser(low[0], l->vertices[k][i] % f->columns);
        low[1] = cell_lesser(low[1], l->vertices[k][i] / f->columns);
    }
    return (cell_span){{low[0], low[1]}, {low[0], low[1]}};
}

static cell_span span_of_leaf(const flatness *f, const tree_leaf *l) {
    cell_span s = {{UINT32_MAX, UINT32_MAX}, {0, 0}};
    for (int i = 0; i < TREE_LEAF && l->vertices[0][i] != TREE_NO_VERTEX; i++) {
        const cell_span own = cell_span_of(f, l, i);
        s = cell_span_join(&s, &own);
    }
    return s;
}

static void find_spans(flatness *f, const triangle_tree *t) {
    for (size_t i = 2 * (size_t)t->leaf_count - 1; i-- > 0;) {
        const tree_node *n = &t->nodes[i];
        f->spans[i] = n->leaves == 1 ? span_of_leaf(f, &t->leaves[n->leaf])
                                     : cell_span_join(&f->spans[tree_first_child(n) - t->nodes],
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
                    .least = MARGIN,
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
static void add_edges(tangents *t, const flatness *f, const float *positions, uint32_t i0,
                      uint32_t j0) {
    uint32_t i1 = cell_lesser(i0 + FLATNESS_CELLS, f->columns - 1);
    uint32_t j1 = cell_lesser(j0 + FLATNESS_CELLS, f->rows - 1);
    size_t row = 3 * (size_t)f->columns;
    for (uint32_t j = j0; j <= j1; j++) {
        const float *x = positions + row * j + 3 * (size_t)i0;
        for (uint32_t i = i0; i < i1; i++, x += 3) {
            add_edge(t, 0, x, x + 3, i + 2 == f->columns ? f->per_last[0] : f->per_edge);
        }
    }
    for (uint32_t j = j0; j < j1; j++) {
        const float *x = positions + row * j + 3 * (size_t)i0;
        for (uint32_t i = i0; i <= i1; i++, x += 3) {
            add_edge(t, 1, x, x + row, j + 2 == f->rows ? f->per_last[1] : f->per_edge);
        }
    }
}

static tangents tangents_of(const flatness *f, uint32_t i0, uint32_t j0) {
    tangents t = empty_tangents();
    add_edges(&t, f, f->positions, i0, j0);
    if (f->until) {
        add_edges(&t, f, f->until, i0, j0);
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
static bool is_flat(const tangents *t, float margin) {
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
    return least - fabsf(dot) > (1.0f + MARGIN) * spread + margin;
}

/* Those of larger squares. */
static void join_levels(flatness *f) {
    for (int level = 1; level < f->level_count; level++) {
        flat_level *l = &f->levels[level];
        for (uint32_t j = 0; j < l->rows; j++) {
            for (uint32_t i = 0; i < l->columns; i++) {
                l->tangents[(size_t)j * l->columns + i] = join_four(l - 1, 2 * i, 2 * j);
            }
        }
    }
}

void flatness_fit(flatness *f) {
    join_levels(f);
    for (int level = 0; level < f->level_count; level++) {
        flat_level *l = &f->levels[level];
        for (uint32_t j = 0; j < l->rows; j++) {
            for (uint32_t i = 0; i < l->columns; i++) {
                tangents t = join_four(l, i, j);
                l->flat[(size_t)j * l->columns + i] = is_flat(&t, f->least);
            }
        }
    }
}

bool flatness_lasts(flatness *f) {
    join_levels(f);
    bool lasts = true;
    for (int level = 0; level < f->level_count && lasts; level++) {
        flat_level *l = &f->levels[level];
        for (uint32_t j = 0; j < l->rows; j++) {
            for (uint32_t i = 0; i < l->columns; i++) {
                if (l->flat[(size_t)j * l->columns + i]) {
                    tangents t = join_four(l, i, j);
                    lasts &= is_flat(&t, MARGIN);
                }
            }
        }
    }
    return lasts;
}

/* ---- asking -------------------------------------------------------------------------------------
 */

/* Are cells in the square of twice that side which begins before the first one? */
static bool is_inside(const cell_span *s, uint32_t side) {
    return s->high[0] < (s->low[0] / side + 2) * side && s->high[1] < (s->low[1] / side + 2) * side;
}

bool flatness_holds_in(const flatness *f, const cell_span *s) {
    int level = 0;
    while (level + 1 < f->level_count && !is_inside(s, (uint32_t)FLATNESS_CELLS << level)) {
        level++;
    }
    const flat_level *l = &f->levels[level];
    uint32_t side = (uint32_t)FLATNESS_CELLS << level;
    return l->flat[(size_t)(s->low[1] / side) * l->columns + s->low[0] / side];
}

bool flatness_holds(const flatness *f, size_t a, size_t b) {
    const cell_span both = cell_span_join(&f->spans[a], &f->spans[b]);
    return f->level_count > 0 && flatness_holds_in(f, &both);
}
