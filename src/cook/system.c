#include "cook/system.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernel/bend.h"
#include "kernel/spring.h"

/* A panel's coarsest level has at most so many texels: factoring its 3 times as many unknowns takes
 * about as long as a cycle over the levels that it saves. */
static const size_t FEW_TEXELS = 25;

/* The same for a part of several panels. Four texels a panel would do, but cost up to 1.4 times the
 * iterations where eight panels are sewn together. */
static const size_t FEW_TIED_TEXELS = 64;

static const char *const WHAT = "the equations of a world";

static size_t coarser_texels(const grid *finest, int depth) {
    grid g = *finest;
    for (int k = 0; k < depth; k++) {
        grid_set_texels(&g, g.columns / 2 + 1, g.rows / 2 + 1);
    }
    return grid_texels(&g);
}

/* ---- parts --------------------------------------------------------------------------------------
 */

/* Until the parts are numbered, a panel names another one of its part, and the first itself. */
static int first_of(const equations *e, int panel) {
    while (e->part_of[panel] != panel) {
        panel = e->part_of[panel];
    }
    return panel;
}

static void join_panels(equations *e, const coupling_base *couplings, int count) {
    for (int p = 0; p < e->panels; p++) {
        e->part_of[p] = p;
    }
    for (int i = 0; i < count; i++) {
        const coupling_end *ends = couplings[i].ends;
        if (ends[1].panel != NO_PANEL) {
            int one = first_of(e, ends[0].panel), other = first_of(e, ends[1].panel);
            e->part_of[one > other ? one : other] = one > other ? other : one;
        }
    }
    for (int p = 0; p < e->panels; p++) { /* those before it have their number */
        e->part_of[p] = e->part_of[p] == p ? e->parts++ : e->part_of[e->part_of[p]];
    }
}

static void list_panels(equations *e) {
    for (int part = 0; part < e->parts; part++) {
        e->part[part].first = NO_PANEL;
    }
    for (int p = e->panels - 1; p >= 0; p--) {
        system_part *own = &e->part[e->part_of[p]];
        e->next[p] = own->first;
        own->first = p;
    }
}

/* At least two, for the finest matrix is not kept in blocks that could be factored. Grids of 2 x 2
 * texels do not get smaller. */
static int part_levels(const equations *e, int part, const system_base *bases) {
    for (int count = 2; count < SYSTEM_LEVELS; count++) {
        size_t texels = 0, least = 0, panels = 0;
        for (int p = e->part[part].first; p != NO_PANEL; p = e->next[p]) {
            texels += coarser_texels(bases[p].grid, count - 1);
            least += 4;
            panels++;
        }
        if (texels <= (panels > 1 ? FEW_TIED_TEXELS : FEW_TEXELS) || texels == least) {
            return count;
        }
    }
    return SYSTEM_LEVELS;
}

static toile_result find_parts(equations *e, const system_base *bases,
                               const coupling_base *couplings, int count) {
    e->part_of = memory_alloc((size_t)e->panels, sizeof *e->part_of, WHAT);
    e->next = memory_alloc((size_t)e->panels, sizeof *e->next, WHAT);
    e->part = memory_alloc((size_t)e->panels, sizeof *e->part, WHAT);
    if (!e->part_of || !e->next || !e->part) {
        return TOILE_ERROR_MEMORY;
    }
    join_panels(e, couplings, count);
    list_panels(e);
    for (int part = 0; part < e->parts; part++) {
        e->part[part].levels = part_levels(e, part, bases);
        e->levels = e->part[part].levels > e->levels ? e->part[part].levels : e->levels;
    }
    return TOILE_OK;
}

/* ---- levels -------------------------------------------------------------------------------------
 */

/* The grids of a level from those of the finer one. */
static toile_result level_lay_out(equations *e, int depth, const system_base *bases) {
    system_level *l = &e->level[depth];
    l->panels = memory_alloc((size_t)e->panels, sizeof *l->panels, WHAT);
    if (!l->panels) {
        return TOILE_ERROR_MEMORY;
    }
    for (int p = 0; p < e->panels; p++) {
        system_panel *own = &l->panels[p];
        system_part *part = &e->part[e->part_of[p]];
        own->there = depth < part->levels;
        own->last = depth == part->levels - 1;
        own->first = l->size;
        own->first_row = l->rows;
        if (!own->there) {
            continue;
        }
        if (depth == 0) {
            own->grid = *bases[p].grid;
        } else {
            const grid *finer = &e->level[depth - 1].panels[p].grid;
            grid_set_texels(&own->grid, finer->columns / 2 + 1, finer->rows / 2 + 1);
        }
        l->size += own->grid.size;
        l->rows += own->grid.rows;
        l->texels += grid_texels(&own->grid);
        if (own->last) {
            own->unknown = part->unknowns;
            part->unknowns += 3 * (int)grid_texels(&own->grid);
        }
    }
    return TOILE_OK;
}

static toile_result level_allocate(equations *e, system_level *l) {
    l->row = memory_alloc((size_t)l->rows, sizeof *l->row, WHAT);
    float *weights = memory_alloc(SYSTEM_WEIGHTS * l->size, sizeof *weights, WHAT);
    l->weights[0] = weights;
    if (!l->row || !weights) {
        return TOILE_ERROR_MEMORY;
    }
    for (int w = 0; w < SYSTEM_WEIGHTS; w++) {
        l->weights[w] = weights + (size_t)w * l->size;
    }
    e->bytes += (size_t)l->rows * sizeof *l->row + SYSTEM_WEIGHTS * l->size * sizeof *weights;
    return TOILE_OK;
}

static void list_rows(const equations *e, system_level *l) {
    system_row *row = l->row;
    for (int p = 0; p < e->panels; p++) {
        const system_panel *own = &l->panels[p];
        for (int j = 0; own->there && j < own->grid.rows; j++) {
            int floats = grid_floats(&own->grid);
            *row++ = (system_row){.at = own->first + grid_index(&own->grid, 0, j),
                                  .floats = floats,
                                  .up = own->grid.stride,
                                  .panel = p,
                                  .row = j};
            l->widest = floats > l->widest ? floats : l->widest;
        }
    }
}

/* A coarse cell is as full as the four finer ones in it. */
static void coarsen_coverage(const grid *finer, const float *from, const grid *coarser, float *to) {
    for (int j = 0; j < coarser->rows; j++) {
        for (int i = 0; i < coarser->columns; i++) {
            float sum = 0.0f;
            for (int c = 0; c < 4; c++) {
                int column = 2 * i + c % 2, row = 2 * j + c / 2;
                bool there = column < finer->columns && row < finer->rows;
                sum += there ? from[grid_index(finer, column, row)] : 0.0f;
            }
            to[grid_index(coarser, i, j)] = 0.25f * sum;
        }
    }
}

/* A second difference weighs as much as the lesser of the two threads that it is taken over. */
static void fill_weights(const grid *g, const float *c, float *u, float *v, float *twist) {
    const size_t up = (size_t)g->stride;
    for (int j = 0; j < g->rows; j++) {
        for (int i = 0; i < g->columns; i++) {
            size_t k = grid_index(g, i, j);
            u[k] =
                bend_weight(thread_weight(c[k - 1], c[k - 1 - up]), thread_weight(c[k], c[k - up]));
            v[k] =
                bend_weight(thread_weight(c[k - up], c[k - up - 1]), thread_weight(c[k], c[k - 1]));
            twist[k] = 2.0f * c[k];
        }
    }
}

/* Is what bends a texel, in a vector of them, all of a full sheet? */
static bool is_inside(const system_level *l, size_t at, ptrdiff_t up) {
    const float *u = l->weights[WEIGHT_U] + at, *v = l->weights[WEIGHT_V] + at,
                *twist = l->weights[WEIGHT_TWIST] + at;
    bool full = true;
    for (ptrdiff_t i = 0; i < GRID_VECTOR; i++) {
        full &= u[i - 1] == 1.0f && u[i] == 1.0f && u[i + 1] == 1.0f;
        full &= v[i - up] == 1.0f && v[i] == 1.0f && v[i + up] == 1.0f;
        full &= twist[i - up - 1] == 2.0f && twist[i - up] == 2.0f && twist[i - 1] == 2.0f &&
                twist[i] == 2.0f;
    }
    return full;
}

/* The longest run of such vectors in each row. */
static void find_insides(system_level *l) {
    for (int j = 0; j < l->rows; j++) {
        system_row *row = &l->row[j];
        int begin = 0;
        for (int i = 0; i < row->floats; i += GRID_VECTOR) {
            begin = is_inside(l, row->at + (size_t)i, row->up) ? begin : i + GRID_VECTOR;
            if (i + GRID_VECTOR - begin > row->inside_end - row->inside) {
                row->inside = begin;
                row->inside_end = i + GRID_VECTOR;
            }
        }
    }
}

static void fill_panel(equations *e, int p, const float *coverage, float *buffer, size_t size) {
    float *here = buffer, *next = buffer + size;
    memcpy(here, coverage, e->level[0].panels[p].grid.size * sizeof *here);
    for (int depth = 0; depth < e->levels && e->level[depth].panels[p].there; depth++) {
        const system_level *l = &e->level[depth];
        const system_panel *own = &l->panels[p];
        if (depth > 0) {
            memset(next, 0, own->grid.size * sizeof *next);
            coarsen_coverage(&e->level[depth - 1].panels[p].grid, here, &own->grid, next);
            float *swap = here;
            here = next;
            next = swap;
        }
        fill_weights(&own->grid, here, l->weights[WEIGHT_U] + own->first,
                     l->weights[WEIGHT_V] + own->first, l->weights[WEIGHT_TWIST] + own->first);
    }
}

static toile_result fill_levels(equations *e, const system_base *bases) {
    size_t largest = 1;
    for (int p = 0; p < e->panels; p++) {
        largest = bases[p].grid->size > largest ? bases[p].grid->size : largest;
    }
    float *buffer = memory_alloc(2 * largest, sizeof *buffer, WHAT);
    if (!buffer) {
        return TOILE_ERROR_MEMORY;
    }
    for (int p = 0; p < e->panels; p++) {
        fill_panel(e, p, bases[p].coverage, buffer, largest);
    }
    free(buffer);
    for (int depth = 0; depth < e->levels; depth++) {
        find_insides(&e->level[depth]);
    }
    return TOILE_OK;
}

toile_result equations_create(equations *e, const system_base *bases, int panels,
                              const coupling_base *couplings, int coupling_count) {
    *e = (equations){.panels = panels};
    toile_result result = find_parts(e, bases, couplings, coupling_count);
    for (int depth = 0; depth < e->levels && result == TOILE_OK; depth++) {
        result = level_lay_out(e, depth, bases);
        if (result == TOILE_OK) {
            result = level_allocate(e, &e->level[depth]);
        }
        if (result == TOILE_OK) {
            list_rows(e, &e->level[depth]);
        }
    }
    if (result == TOILE_OK) {
        result = fill_levels(e, bases);
    }
    if (result == TOILE_OK) {
        result = couplings_create(e, bases, couplings, coupling_count);
    }
    for (int depth = 0; depth < e->levels; depth++) {
        e->bytes += e->level[depth].couplings.bytes;
    }
    if (result != TOILE_OK) {
        equations_free(e);
    }
    return result;
}

void equations_free(equations *e) {
    for (int depth = 0; depth < e->levels; depth++) {
        free(e->level[depth].row);
        free(e->level[depth].panels);
        free(e->level[depth].weights[0]);
        couplings_free(&e->level[depth].couplings);
    }
    free(e->part_of);
    free(e->next);
    free(e->part);
    *e = (equations){0};
}
