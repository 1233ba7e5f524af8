/* The tables of cloth against cloth: what does not change while stepping. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cook/panel.h"
#include "cpu/meet_untangle.h"

static const char WHAT[] = "cloth against cloth";

bool meet_room(void **array, size_t *room, size_t count, size_t size) {
    if (count <= *room) {
        return true;
    }
    const size_t wanted = count + count / 2;
    void *more = memory_alloc(wanted, size, WHAT);
    if (more) {
        free(*array);
        *array = more;
        *room = wanted;
    }
    return more != NULL;
}

meet_table *meet_create(int cloths, int threads) {
    meet_table *t = memory_alloc(1, sizeof *t, WHAT);
    if (!t) {
        return NULL;
    }
    t->most_threads = threads;
    t->cloths = memory_alloc((size_t)cloths, sizeof *t->cloths, WHAT);
    t->trees = memory_alloc((size_t)cloths, sizeof *t->trees, WHAT);
    t->found = memory_alloc((size_t)threads, sizeof *t->found, WHAT);
    bool made = t->cloths && t->trees && t->found;
    for (int k = 0; made && k < threads; k++) {
        t->found[k].cuts = memory_alloc((size_t)cloths, sizeof(float), WHAT);
        t->found[k].least = memory_alloc((size_t)cloths, sizeof(float), WHAT);
        t->found[k].strayed = memory_alloc((size_t)cloths, sizeof(float), WHAT);
        made = t->found[k].strayed && t->found[k].cuts && t->found[k].least;
    }
    if (!made) {
        meet_free(t);
        return NULL;
    }
    return t;
}

static void free_level(meet_level *l) {
    free(l->ends);
    free(l->first);
    free(l->stiffness);
    free(l->pulls);
    free(l->joined);
    free(l->merged);
    free(l->weights);
    free(l->texel);
    free(l->entry);
    free(l->first_of_row);
    free(l->slot);
}

void meet_free(meet_table *t) {
    if (!t) {
        return;
    }
    for (int i = 0; i < t->count; i++) {
        meet_cloth *c = &t->cloths[i];
        tree_free(&c->tree);
        flatness_free(&c->flat);
        free(c->owned);
        free(c->leaves);
        free(c->cells);
        free(c->at);
        free(c->way);
        free(c->target);
        free(c->listed);
        free(c->listed_from);
        free(c->goal == c->until ? NULL : c->goal);
        free(c->share);
        free(c->next);
        free(c->held);
        free(c->start);
        free(c->from);
        free(c->until);
        free(c->tied);
        free(c->gone);
        free(c->chain);
    }
    for (int k = 0; t->found && k < t->most_threads; k++) {
        free(t->found[k].pairs);
        free(t->found[k].contacts);
        free(t->found[k].cuts);
        free(t->found[k].least);
        free(t->found[k].strayed);
        free(t->found[k].near);
        free(t->found[k].risky);
    }
    for (int depth = 0; depth < SYSTEM_LEVELS; depth++) {
        free_level(&t->level[depth]);
    }
    untangle_free(t->tangle);
    tree_pairs_free(&t->walk);
    free(t->cloths);
    free(t->trees);
    free(t->found);
    free(t->tasks);
    free(t->pairs);
    free(t->contacts);
    free(t->merged);
    free(t->chained);
    free(t);
}

/* ---- what triangles own -------------------------------------------------------------------------
 */

/* Edges by their two vertices. */
typedef struct edge_set {
    uint64_t *edges; /* and 1, so that 0 is none */
    size_t mask;
} edge_set;

/* Was it new? */
static bool take_edge(edge_set *s, uint32_t a, uint32_t b) {
    const uint64_t edge = ((uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a)) + 1;
    size_t at = (size_t)(edge * UINT64_C(0x9e3779b97f4a7c15) >> 20) & s->mask;
    while (s->edges[at] != 0 && s->edges[at] != edge) {
        at = (at + 1) & s->mask;
    }
    const bool fresh = s->edges[at] == 0;
    s->edges[at] = edge;
    return fresh;
}

static uint8_t own_of_triangle(const tree_leaf *l, int i, bool *taken, edge_set *edges) {
    uint8_t owned = 0;
    for (int k = 0; k < 3; k++) {
        const uint32_t v = l->vertices[k][i], next = l->vertices[(k + 1) % 3][i];
        if (!taken[v]) {
            owned |= (uint8_t)(1u << k);
            taken[v] = true;
        }
        if (take_edge(edges, v, next)) {
            owned |= (uint8_t)(8u << k);
        }
    }
    return owned;
}

static toile_result share_features(meet_cloth *c) {
    const size_t slots = (size_t)c->tree.leaf_count * TREE_LEAF;
    edge_set edges = {.mask = 1};
    while (edges.mask < 6 * slots) {
        edges.mask *= 2;
    }
    edges.edges = memory_alloc(edges.mask, sizeof *edges.edges, WHAT);
    edges.mask--;
    bool *taken = memory_alloc(c->vertices, sizeof *taken, WHAT);
    c->owned = memory_alloc(slots, sizeof *c->owned, WHAT);
    const bool made = edges.edges && taken && c->owned;
    for (size_t s = 0; made && s < slots; s++) {
        const tree_leaf *l = &c->tree.leaves[s / TREE_LEAF];
        const int i = (int)(s % TREE_LEAF);
        c->owned[s] =
            l->vertices[0][i] == TREE_NO_VERTEX ? 0 : own_of_triangle(l, i, taken, &edges);
    }
    free(edges.edges);
    free(taken);
    return made ? TOILE_OK : TOILE_ERROR_MEMORY;
}

/* ---- cloths -------------------------------------------------------------------------------------
 */

static toile_result make_tree(meet_cloth *c) {
    const flat_mesh *mesh = c->mesh;
    float *rest = memory_alloc(c->vertices, 3 * sizeof *rest, WHAT);
    if (!rest) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t v = 0; v < c->vertices; v++) {
        rest[3 * v] = mesh->uv[2 * v];
        rest[3 * v + 1] = mesh->uv[2 * v + 1];
    }
    toile_result result =
        tree_create(&c->tree, rest, c->vertices, mesh->indices, mesh->triangle_count);
    free(rest);
    if (result == TOILE_OK) {
        c->leaves = memory_alloc(c->tree.leaf_count, sizeof *c->leaves, WHAT);
        c->cells = memory_alloc((size_t)c->tree.leaf_count * TREE_LEAF, sizeof *c->cells, WHAT);
        result = c->leaves && c->cells ? TOILE_OK : TOILE_ERROR_MEMORY;
    }
    return result;
}

/* When pairs are listed; up to the next list it may fall to what the proof needs. */
static const float LEAST_FLAT = 0.2f;

static toile_result make_flatness(meet_cloth *c) {
    const float last[2] = {c->grid->last_u, c->grid->last_v};
    toile_result result = flatness_create(&c->flat, &c->tree, (uint32_t)c->grid->columns,
                                          (uint32_t)c->grid->rows, c->grid->spacing, last);
    c->flat.least = LEAST_FLAT;
    c->flat.positions = c->from;
    c->flat.until = c->until;
    c->tree.flatness = &c->flat;
    for (size_t s = 0; s < (size_t)c->tree.leaf_count * TREE_LEAF; s++) {
        const tree_leaf *l = &c->tree.leaves[s / TREE_LEAF];
        const int i = (int)(s % TREE_LEAF);
        if (l->vertices[0][i] != TREE_NO_VERTEX) {
            c->cells[s] = cell_span_of(&c->flat, l, i);
        }
    }
    return result;
}

static float lever_of(const meet_cloth *c) {
    float most = 1.0f;
    for (uint32_t v = 0; v < c->vertices; v++) {
        const meet_square s = meet_square_of(c, v);
        float sum = 0.0f;
        for (int i = 0; i < s.count; i++) {
            sum += k_abs(s.weights[i]);
        }
        most = k_max(most, sum);
    }
    return most;
}

toile_result meet_add_cloth(meet_table *t, const panel *p, const grid *g) {
    meet_cloth *c = &t->cloths[t->count++];
    const bool whole = g->last_u == 1.0f && g->last_v == 1.0f;
    *c = (meet_cloth){.mesh = &p->render,
                      .projection = &p->render_projection,
                      .grid = g,
                      .scale = g->spacing / p->grid.spacing,
                      .plain = p->rectangle && whole};
    c->texels = (uint32_t)grid_texels(g);
    c->vertices = p->render.vertex_count;
    c->lever = lever_of(c);
    c->at = memory_alloc(c->texels, 3 * sizeof *c->at, WHAT);
    c->way = memory_alloc(c->texels, 3 * sizeof *c->way, WHAT);
    c->share = memory_alloc(c->texels, sizeof *c->share, WHAT);
    c->next = memory_alloc(c->texels, sizeof *c->next, WHAT);
    c->held = memory_alloc(c->texels, sizeof *c->held, WHAT);
    c->start = memory_alloc(c->vertices, 3 * sizeof *c->start, WHAT);
    c->from = memory_alloc(c->vertices, 3 * sizeof *c->from, WHAT);
    c->until = memory_alloc(c->vertices, 3 * sizeof *c->until, WHAT);
    c->goal = c->plain ? c->until : memory_alloc(c->texels, 3 * sizeof *c->goal, WHAT);
    c->target = memory_alloc(c->texels, 3 * sizeof *c->target, WHAT);
    c->listed = memory_alloc(c->texels, 3 * sizeof *c->listed, WHAT);
    c->listed_from = memory_alloc(c->texels, 3 * sizeof *c->listed_from, WHAT);
    c->gone = memory_alloc(c->texels, sizeof *c->gone, WHAT);
    c->tied = memory_alloc(c->vertices, sizeof *c->tied, WHAT);
    c->chain = memory_alloc(c->vertices, sizeof *c->chain, WHAT);
    if (!c->at || !c->way || !c->share || !c->next || !c->held || !c->gone || !c->start ||
        !c->from || !c->until || !c->goal || !c->listed || !c->listed_from || !c->target ||
        !c->tied || !c->chain) {
        return TOILE_ERROR_MEMORY;
    }
    toile_result result = make_tree(c);
    if (result == TOILE_OK) {
        result = share_features(c);
    }
    return result == TOILE_OK && p->rectangle ? make_flatness(c) : result;
}

void meet_tie(meet_table *t, int cloth, int column, int row) {
    meet_cloth *c = &t->cloths[cloth];
    for (int k = 0; k < 9; k++) {
        const int i = column + k % 3 - 1, j = row + k / 3 - 1;
        if (i >= 0 && i < c->grid->columns && j >= 0 && j < c->grid->rows) {
            c->held[j * c->grid->columns + i] = MEET_HELD; /* until they are taken over */
        }
    }
}

static void tie_vertices(meet_cloth *c) {
    for (uint32_t v = 0; v < c->vertices; v++) {
        const meet_square s = meet_square_of(c, v);
        for (int k = 0; k < s.count; k++) {
            c->tied[v] |= c->held[s.texels[k]];
        }
    }
    memset(c->held, 0, c->texels * sizeof *c->held);
}

toile_result meet_arrange(meet_table *t, const equations *e) {
    for (int c = 0; c < t->count; c++) {
        tie_vertices(&t->cloths[c]);
    }
    t->plain = true;
    for (int c = 0; c < t->count; c++) {
        t->plain &= t->cloths[c].plain;
    }
    bool made = true;
    for (int depth = 0; depth < e->levels; depth++) {
        meet_level *l = &t->level[depth];
        l->slot = memory_alloc(e->level[depth].size, sizeof *l->slot, WHAT);
        l->first_of_row =
            memory_alloc((size_t)e->level[depth].rows + 1, sizeof *l->first_of_row, WHAT);
        made &= l->slot && l->first_of_row;
    }
    return made ? TOILE_OK : TOILE_ERROR_MEMORY;
}
