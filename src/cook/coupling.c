#include "cook/coupling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cook/system.h"
#include "kernel/coupling.h"

static const char *const WHAT = "the couplings of a world";

static uint32_t end_texel(const system_level *l, const coupling_end *end, int corner) {
    const system_panel *own = &l->panels[end->panel];
    return (uint32_t)(own->first +
                      grid_index(&own->grid, end->column + corner % 2, end->row + corner / 2));
}

static void add_texel(coupling_row *row, uint32_t texel, float weight) {
    if (weight != 0.0f) {
        row->texels[row->count] = texel;
        row->weights[row->count++] = weight;
    }
}

/* Where both ends have a texel it counts once, with the sum of its weights. */
static coupling_row row_of(const system_level *l, const coupling_base *c) {
    const coupling_end *one = &c->ends[0], *other = &c->ends[1];
    coupling_row row = {.panels = {one->panel, one->panel}, .tied = other->panel != NO_PANEL};
    float rest[CELL_CORNERS] = {0.0f};
    for (int k = 0; k < CELL_CORNERS && row.tied; k++) {
        rest[k] = -other->weights[k];
    }
    for (int k = 0; k < CELL_CORNERS; k++) {
        const uint32_t texel = end_texel(l, one, k);
        float weight = one->weights[k];
        for (int m = 0; m < CELL_CORNERS && row.tied; m++) {
            const bool same = end_texel(l, other, m) == texel;
            weight += same ? rest[m] : 0.0f;
            rest[m] = same ? 0.0f : rest[m];
        }
        add_texel(&row, texel, weight);
    }
    row.first = row.count;
    for (int k = 0; k < CELL_CORNERS && row.tied; k++) {
        row.panels[1] = other->panel;
        add_texel(&row, end_texel(l, other, k), rest[k]);
    }
    return row;
}

/* ---- the lists of texels ------------------------------------------------------------------------
 */

/* An entry that is not sorted yet. */
typedef struct loose_entry {
    uint32_t texel;
    coupling_entry entry;
} loose_entry;

static int compare_entries(const void *a, const void *b) {
    const loose_entry *one = a, *other = b;
    if (one->texel != other->texel) {
        return one->texel < other->texel ? -1 : 1;
    }
    return one->entry.row < other->entry.row ? -1 : one->entry.row > other->entry.row;
}

/* On the finest level only texels that move. */
static bool is_free(const system_level *l, const system_base *bases, int panel, uint32_t texel) {
    return !bases || bases[panel].inverse_mass[texel - l->panels[panel].first] > 0.0f;
}

static int collect(const system_level *l, const system_base *bases, loose_entry *out) {
    int count = 0;
    for (int r = 0; r < l->couplings.rows; r++) {
        const coupling_row *row = &l->couplings.row[r];
        float all = 0.0f;
        for (int k = 0; k < row->count; k++) {
            all += k_abs(row->weights[k]);
        }
        for (int k = 0; k < row->count; k++) {
            const float weight = row->weights[k];
            if (is_free(l, bases, coupling_panel(row, k), row->texels[k])) {
                out[count++] =
                    (loose_entry){row->texels[k], {r, weight, coupling_share(weight, all)}};
            }
        }
    }
    qsort(out, (size_t)count, sizeof *out, compare_entries);
    return count;
}

static void list_touched(coupling_level *c, const loose_entry *loose, int count) {
    for (int i = 0; i < count; i++) {
        if (i == 0 || loose[i].texel != loose[i - 1].texel) {
            c->texel[c->touched++] = (coupled_texel){loose[i].texel, 0, i};
        }
        c->entry[i] = loose[i].entry;
    }
    c->texel[c->touched] = (coupled_texel){UINT32_MAX, 0, count};
}

static void list_by_rows(const system_level *l, coupling_level *c) {
    int t = 0;
    for (int j = 0; j < l->rows; j++) {
        const size_t end = j + 1 < l->rows ? l->row[j + 1].at : l->size;
        c->first_of_row[j] = t;
        for (; t < c->touched && c->texel[t].texel < end; t++) {
            c->texel[t].row = j;
        }
    }
    c->first_of_row[l->rows] = t;
}

static toile_result list_texels(system_level *l, const system_base *bases) {
    coupling_level *c = &l->couplings;
    const size_t most = (size_t)c->rows * COUPLED_CORNERS;
    loose_entry *loose = memory_alloc(most + 1, sizeof *loose, WHAT);
    c->texel = memory_alloc(most + 1, sizeof *c->texel, WHAT);
    c->entry = memory_alloc(most + 1, sizeof *c->entry, WHAT);
    c->first_of_row = memory_alloc((size_t)l->rows + 1, sizeof *c->first_of_row, WHAT);
    const bool made = loose && c->texel && c->entry && c->first_of_row;
    if (made) {
        list_touched(c, loose, collect(l, bases, loose));
        list_by_rows(l, c);
        c->bytes += (most + 1) * (sizeof *c->texel + sizeof *c->entry) +
                    ((size_t)l->rows + 1) * sizeof *c->first_of_row;
    }
    free(loose);
    return made ? TOILE_OK : TOILE_ERROR_MEMORY;
}

/* ---- rows of coarse levels ----------------------------------------------------------------------
 */

coupling_end coupling_coarser_end(const coupling_end *e) {
    coupling_end out = {.panel = e->panel, .column = e->column / 2, .row = e->row / 2};
    for (int k = 0; k < CELL_CORNERS; k++) {
        const float u = 0.5f * (float)(e->column + k % 2 - 2 * out.column);
        const float v = 0.5f * (float)(e->row + k / 2 - 2 * out.row);
        const float along[2] = {1.0f - u, u}, across[2] = {1.0f - v, v};
        for (int corner = 0; corner < CELL_CORNERS; corner++) {
            out.weights[corner] += e->weights[k] * along[corner % 2] * across[corner / 2];
        }
    }
    return out;
}

/* A row on its way to the next coarser level. Rows of one key are merged: panel, column and row of
 * both ends. */
enum { MERGE_KEYS = 6 };
typedef struct moved_row {
    int key[MERGE_KEYS];
    int row; /* of the finer level */
    coupling_base base;
} moved_row;

static int compare_moved(const void *a, const void *b) {
    const moved_row *one = a, *other = b;
    for (int k = 0; k < MERGE_KEYS; k++) {
        if (one->key[k] != other->key[k]) {
            return one->key[k] < other->key[k] ? -1 : 1;
        }
    }
    return one->row < other->row ? -1 : one->row > other->row;
}

/* Which cells of the finer and of the coarse level its ends lie in. Those of the first coarse level
 * are not merged: they are as many as on the finest one, and couplings are denser than texels there
 * where a seam has two. */
static moved_row move_row(const coupling_base *fine, int row, bool merges) {
    moved_row m = {.row = row, .base = *fine};
    for (int e = 0; e < 2; e++) {
        const coupling_end *end = &fine->ends[e];
        m.base.ends[e] = end->panel == NO_PANEL ? *end : coupling_coarser_end(end);
        m.key[3 * e] = end->panel;
        m.key[3 * e + 1] = e == 0 ? end->column : m.base.ends[e].column;
        m.key[3 * e + 2] = e == 0 ? end->row : m.base.ends[e].row;
    }
    if (!merges) {
        memset(m.key, 0, sizeof m.key);
    }
    return m;
}

static bool are_merged(const moved_row *one, const moved_row *other, bool merges) {
    return merges && memcmp(one->key, other->key, sizeof one->key) == 0;
}

static void add_weights(coupling_base *to, const coupling_base *from, float share) {
    for (int e = 0; e < 2; e++) {
        for (int k = 0; k < CELL_CORNERS; k++) {
            to->ends[e].weights[k] += share * from->ends[e].weights[k];
        }
    }
}

/* The mean of rows from one to an end. */
static coupling_base mean_row(const moved_row *rows, int first, int end) {
    coupling_base mean = rows[first].base;
    const float share = 1.0f / (float)(end - first);
    for (int e = 0; e < 2; e++) {
        memset(mean.ends[e].weights, 0, sizeof mean.ends[e].weights);
    }
    for (int i = first; i < end; i++) {
        add_weights(&mean, &rows[i].base, share);
    }
    return mean;
}

/* Replaces the rows in `bases` by those of the next level; returns how many there are. */
static int merge_rows(coupling_level *c, coupling_base *bases, const moved_row *moved, int count,
                      bool merges) {
    int rows = 0;
    for (int i = 0; i < count; rows++) {
        int end = i + 1;
        while (end < count && are_merged(&moved[i], &moved[end], merges)) {
            end++;
        }
        bases[rows] = mean_row(moved, i, end);
        c->first_finer[rows] = i;
        for (; i < end; i++) {
            c->finer[i] = moved[i].row;
        }
    }
    c->first_finer[rows] = count;
    return rows;
}

static toile_result coarser_rows(equations *e, int depth, coupling_base *bases, int *count) {
    const system_level *l = &e->level[depth];
    coupling_level *c = &e->level[depth].couplings;
    moved_row *moved = memory_alloc((size_t)*count + 1, sizeof *moved, WHAT);
    c->finer = memory_alloc((size_t)*count + 1, sizeof *c->finer, WHAT);
    c->first_finer = memory_alloc((size_t)*count + 1, sizeof *c->first_finer, WHAT);
    const bool made = moved && c->finer && c->first_finer;
    int there = 0;
    for (int i = 0; made && i < *count; i++) {
        if (!bases[i].fine && l->panels[bases[i].ends[0].panel].there) {
            moved[there++] = move_row(&bases[i], i, depth > 1);
        }
    }
    if (made) {
        qsort(moved, (size_t)there, sizeof *moved, compare_moved);
        *count = merge_rows(c, bases, moved, there, depth > 1);
    }
    free(moved);
    return made ? TOILE_OK : TOILE_ERROR_MEMORY;
}

/* Pinned texels take no part in what is coarser. */
static void leave_out_pinned(const system_base *bases, coupling_base *couplings, int count) {
    for (int i = 0; i < 2 * count; i++) {
        coupling_end *end = &couplings[i / 2].ends[i % 2];
        for (int k = 0; k < CELL_CORNERS && end->panel != NO_PANEL; k++) {
            const system_base *own = &bases[end->panel];
            size_t at = grid_index(own->grid, end->column + k % 2, end->row + k / 2);
            end->weights[k] = own->inverse_mass[at] > 0.0f ? end->weights[k] : 0.0f;
        }
    }
}

static toile_result fill_level(system_level *l, const system_base *bases,
                               const coupling_base *couplings, int count) {
    coupling_level *c = &l->couplings;
    c->rows = count;
    c->row = memory_alloc((size_t)count + 1, sizeof *c->row, WHAT);
    if (!c->row) {
        return TOILE_ERROR_MEMORY;
    }
    for (int i = 0; i < count; i++) {
        c->row[i] = row_of(l, &couplings[i]);
    }
    c->bytes += (size_t)count * (sizeof *c->row + 2 * sizeof *c->finer);
    return list_texels(l, bases);
}

toile_result couplings_create(equations *e, const system_base *bases,
                              const coupling_base *couplings, int count) {
    if (count == 0) {
        return TOILE_OK;
    }
    coupling_base *rows = memory_alloc((size_t)count, sizeof *rows, WHAT);
    if (!rows) {
        return TOILE_ERROR_MEMORY;
    }
    memcpy(rows, couplings, (size_t)count * sizeof *rows);
    toile_result result = fill_level(&e->level[0], bases, rows, count);
    leave_out_pinned(bases, rows, count);
    for (int depth = 1; depth < e->levels && result == TOILE_OK; depth++) {
        result = coarser_rows(e, depth, rows, &count);
        if (result == TOILE_OK) {
            result = fill_level(&e->level[depth], NULL, rows, count);
        }
    }
    free(rows);
    return result;
}

void couplings_free(coupling_level *l) {
    free(l->row);
    free(l->finer);
    free(l->first_finer);
    free(l->texel);
    free(l->entry);
    free(l->first_of_row);
    *l = (coupling_level){0};
}
