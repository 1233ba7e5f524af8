#include "cook/system.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernel/bend.h"
#include "kernel/spring.h"

/* A panel's coarsest level has at most so many texels: factoring its 3 times as many unknowns takes
 * about as long as a cycle over the levels that it saves. */
static const size_t FEW_TEXELS = 25;

static const char *const WHAT = "the equations of a world";

static int panel_levels(const grid *finest) {
    grid g = *finest;
    int count = 1;
    do { /* at least one, for the finest matrix is not kept in blocks that could be factored */
        grid_set_texels(&g, g.columns / 2 + 1, g.rows / 2 + 1);
        count++;
    } while (grid_texels(&g) > FEW_TEXELS && count < SYSTEM_LEVELS);
    return count;
}

/* The grids of a level from those of the finer one. */
static toile_result level_lay_out(equations *e, int depth, const system_base *bases) {
    system_level *l = &e->level[depth];
    l->panels = memory_alloc((size_t)e->panels, sizeof *l->panels, WHAT);
    if (!l->panels) {
        return TOILE_ERROR_MEMORY;
    }
    for (int p = 0; p < e->panels; p++) {
        system_panel *own = &l->panels[p];
        int count = panel_levels(bases[p].grid);
        own->there = depth < count;
        own->last = depth == count - 1;
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
            int floats = own->grid.stride - GRID_VECTOR;
            *row++ = (system_row){own->first + grid_index(&own->grid, 0, j), floats,
                                  own->grid.stride, p, j};
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
    return TOILE_OK;
}

toile_result equations_create(equations *e, const system_base *bases, int panels) {
    *e = (equations){.panels = panels};
    for (int p = 0; p < panels; p++) {
        int count = panel_levels(bases[p].grid);
        e->levels = count > e->levels ? count : e->levels;
    }
    toile_result result = TOILE_OK;
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
    }
    *e = (equations){0};
}
