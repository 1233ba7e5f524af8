#include "gl/newton_small.h"

#include <stdlib.h>

#include "base/memory.h"

static bool fits(const equations *e, int p, int depth) {
    const grid *g = &e->level[depth].panels[p].grid;
    return g->columns <= SMALL_SIDE && g->rows <= SMALL_SIDE;
}

/* The finest level has another matrix. */
static int find_first(const equations *e, int p) {
    const int last = e->part[e->part_of[p]].levels - 1;
    int depth = last;
    while (depth > 1 && last - depth + 1 < SMALL_LEVELS && fits(e, p, depth - 1)) {
        depth--;
    }
    return depth;
}

/* Parts of several panels have larger coarsest levels. */
static bool is_alone(const equations *e, int p) {
    return e->part[e->part_of[p]].first == p && e->next[p] == NO_PANEL;
}

static void mark_coupled(gl_newton *n) {
    const coupling_level *c = &n->equations.level[0].couplings;
    for (int row = 0; row < c->rows; row++) {
        n->small_from[c->row[row].panels[0]] = SYSTEM_LEVELS;
    }
}

toile_result gl_small_find(gl_newton *n) {
    const equations *e = &n->equations;
    n->small_from = memory_alloc((size_t)e->panels, sizeof *n->small_from, "a world");
    if (!n->small_from) {
        return TOILE_ERROR_MEMORY;
    }
    mark_coupled(n);
    for (int p = 0; p < e->panels; p++) {
        const bool small = is_alone(e, p) && n->small_from[p] != SYSTEM_LEVELS;
        const int last = e->part[e->part_of[p]].levels - 1;
        const int first = small ? find_first(e, p) : last;
        n->small_from[p] = small ? first : SYSTEM_LEVELS;
        n->begins_small[first] |= small;
        n->ends_alone[last] |= !small;
        for (int depth = 0; depth < first; depth++) {
            n->has_tiles[depth] = true;
        }
    }
    return TOILE_OK;
}
