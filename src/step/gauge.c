#include "step/gauge.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "step/world.h"

static void count_threads(const cloth *c, uint32_t *row_threads) {
    const grid *g = &c->grid;
    for (int j = 0; j < g->rows; j++) {
        for (int i = 0; i < g->columns; i++) {
            row_threads[j] += panel_thread_right(c->panel, i, j) > 0.0f;
            row_threads[j] += panel_thread_up(c->panel, i, j) > 0.0f;
        }
    }
}

/* Threads from a row that are pinned at both ends. */
static uint32_t count_pinned(const cloth *c, int j) {
    const size_t columns = (size_t)c->grid.columns;
    const bool *at = c->gauge.pinned + columns * (size_t)j;
    uint32_t count = 0;
    for (int i = 0; i < c->grid.columns; i++, at++) {
        count += at[0] && panel_thread_right(c->panel, i, j) > 0.0f && at[1];
        count += at[0] && panel_thread_up(c->panel, i, j) > 0.0f && at[columns];
    }
    return count;
}

static void lay_strains(const cloth *c, uint32_t *row_strains) {
    uint32_t count = 0;
    for (int j = 0; j < c->grid.rows; j++) {
        row_strains[j] = count;
        count += c->gauge.row_threads[j] - (gauge_row_pinned(c, j) ? count_pinned(c, j) : 0);
    }
    row_strains[c->grid.rows] = count;
}

static toile_result create_tree(cloth *c) {
    const flat_mesh *mesh = &c->panel->render;
    float *rest = memory_alloc(mesh->vertex_count, 3 * sizeof *rest, "measuring");
    if (!rest) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        rest[3 * v] = mesh->uv[2 * v];
        rest[3 * v + 1] = mesh->uv[2 * v + 1];
    }
    toile_result result =
        tree_create(&c->gauge.tree, rest, mesh->vertex_count, mesh->indices, mesh->triangle_count);
    free(rest);
    return result;
}

static toile_result create_flatness(cloth *c) {
    gauge *g = &c->gauge;
    const float last[2] = {c->grid.last_u, c->grid.last_v};
    toile_result result = flatness_create(&g->flatness, &g->tree, (uint32_t)c->grid.columns,
                                          (uint32_t)c->grid.rows, c->grid.spacing, last);
    g->flatness.positions = g->vertices;
    g->tree.flatness = &g->flatness;
    return result;
}

toile_result gauge_create(cloth *c) {
    gauge *g = &c->gauge;
    if (g->there) {
        return TOILE_OK;
    }
    size_t texels = grid_texels(&c->grid);
    g->texels = memory_alloc(texels, 3 * sizeof *g->texels, "measuring");
    g->vertices = memory_alloc(c->panel->render.vertex_count, 3 * sizeof *g->vertices, "measuring");
    g->pinned = memory_alloc(texels, sizeof *g->pinned, "measuring");
    g->tied_texels = memory_alloc(texels, sizeof *g->tied_texels, "measuring");
    g->tied = memory_alloc(c->panel->render.vertex_count, sizeof *g->tied, "measuring");
    g->row_threads = memory_alloc((size_t)c->grid.rows, sizeof *g->row_threads, "measuring");
    g->row_strains = memory_alloc((size_t)c->grid.rows + 1, sizeof *g->row_strains, "measuring");
    bool good = g->texels && g->vertices && g->pinned && g->tied_texels && g->tied &&
                g->row_threads && g->row_strains;
    if (good) {
        count_threads(c, g->row_threads);
    }
    toile_result result = good ? create_tree(c) : TOILE_ERROR_MEMORY;
    g->tree.positions = g->vertices;
    g->tree.tied = g->tied;
    if (result == TOILE_OK && c->panel->rectangle) {
        result = create_flatness(c);
    }
    g->there = result == TOILE_OK;
    if (!g->there) {
        gauge_free(g);
    }
    return result;
}

void gauge_free(gauge *g) {
    tree_free(&g->tree);
    flatness_free(&g->flatness);
    free(g->texels);
    free(g->vertices);
    free(g->pinned);
    free(g->tied_texels);
    free(g->tied);
    free(g->row_threads);
    free(g->row_strains);
    *g = (gauge){0};
}

/* Marks the texels that pins hold. */
static void mark_pinned(const toile_world *w, const cloth *c, bool *pinned) {
    memset(pinned, 0, grid_texels(&c->grid) * sizeof *pinned);
    for (size_t i = 0; i < w->pins.count; i++) {
        const pin *p = world_pin(w, i);
        bool held = p && p->stiffness == 0.0f && world_cloth(w, p->cloth) == c;
        for (uint32_t t = 0; held && t < p->count; t++) {
            pinned[p->texels[t]] = true;
        }
    }
}

/* The texels of the cell that a spring of a tie ends in. */
static void mark_cell(const grid *g, const coupling_end *end, bool *tied) {
    for (int k = 0; k < CELL_CORNERS; k++) {
        tied[(end->row + k / 2) * g->columns + end->column + k % 2] = true;
    }
}

/* Vertices lie in squares of four texels; those of a rectangle are its texels. */
static void tie_vertices(const panel *p, const bool *texels, bool *vertices) {
    const size_t up = (size_t)p->grid.columns;
    for (size_t v = 0; v < p->render.vertex_count; v++) {
        const bool *at = texels + (p->rectangle ? v : p->render_projection.texels[v]);
        vertices[v] = p->rectangle ? at[0] : at[0] | at[1] | at[up] | at[up + 1];
    }
}

/* Marks what lies at ties that hold. */
static void mark_tied(const toile_world *w, cloth *c) {
    gauge *g = &c->gauge;
    memset(g->tied_texels, 0, grid_texels(&c->grid) * sizeof *g->tied_texels);
    for (size_t i = 0; i < w->ties.count; i++) {
        const tie *t = world_tie(w, i);
        const int count = t && w->time < t->until ? t->count : 0;
        for (int end = 0; end < 2 * count; end++) {
            const coupling_end *own = &t->rows[end / 2].ends[end % 2];
            if (world_cloth(w, (size_t)own->panel) == c) {
                mark_cell(&c->grid, own, g->tied_texels);
            }
        }
    }
    tie_vertices(c->panel, g->tied_texels, g->tied);
}

bool gauge_row_pinned(const cloth *c, int row) {
    const size_t columns = (size_t)c->grid.columns;
    return memchr(c->gauge.pinned + columns * (size_t)row, true, columns);
}

void gauge_choose(const toile_world *w, cloth *c) {
    mark_pinned(w, c, c->gauge.pinned);
    mark_tied(w, c);
    lay_strains(c, c->gauge.row_strains);
}

void gauge_read(const toile_world *w, cloth *c) {
    gauge *g = &c->gauge;
    w->device->read(c->memory, FIELD_POSITION, g->texels);
    surface_positions(c->panel, g->texels, g->vertices);
}

void measuring_free(measuring *m) {
    free(m->cloths);
    free(m->trees);
    free(m->metrics);
    free(m->strains);
    free(m->picked);
    free(m->bodies);
    free(m->tasks);
    tree_pairs_free(&m->crossings);
    *m = (measuring){0};
}
