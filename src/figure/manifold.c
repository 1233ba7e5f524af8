#include "figure/manifold.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

void manifold_free(manifold *s) {
    free(s->vertices);
    free(s->edges);
    *s = (manifold){0};
}

/* ---- making -------------------------------------------------------------------------------------
 */

bool manifold_add_vertex(manifold *s, vec position) {
    manifold_vertex *grown = memory_grow(s->vertices, s->vertex_count, &s->vertex_capacity,
                                         sizeof *s->vertices, "vertices");
    if (!grown) {
        return false;
    }
    s->vertices = grown;
    s->vertices[s->vertex_count++] = (manifold_vertex){position, MANIFOLD_NONE};
    return true;
}

bool manifold_add_triangle(manifold *s, uint32_t a, uint32_t b, uint32_t c) {
    for (size_t last = s->edge_count; last < s->edge_count + 3; last++) {
        half_edge *grown =
            memory_grow(s->edges, last, &s->edge_capacity, sizeof *s->edges, "edges");
        if (!grown) {
            return false;
        }
        s->edges = grown;
    }
    const uint32_t corners[3] = {a, b, c};
    for (int k = 0; k < 3; k++) {
        s->vertices[corners[k]].edge = (uint32_t)s->edge_count;
        s->edges[s->edge_count++] = (half_edge){corners[k], MANIFOLD_NONE};
    }
    return true;
}

typedef struct edge_key {
    uint32_t low, high, edge;
} edge_key;

static int compare_keys(const void *a, const void *b) {
    const edge_key *x = a, *y = b;
    if (x->low != y->low) {
        return x->low < y->low ? -1 : 1;
    }
    if (x->high != y->high) {
        return x->high < y->high ? -1 : 1;
    }
    return x->edge < y->edge ? -1 : 1;
}

toile_result manifold_join(manifold *s) {
    edge_key *keys = memory_alloc(s->edge_count, sizeof *keys, "edges of a figure");
    if (!keys) {
        return TOILE_ERROR_MEMORY;
    }
    for (uint32_t h = 0; h < s->edge_count; h++) {
        uint32_t a = edge_start(s, h), b = edge_end(s, h);
        keys[h] = (edge_key){a < b ? a : b, a < b ? b : a, h};
    }
    qsort(keys, s->edge_count, sizeof *keys, compare_keys);
    for (size_t i = 0; i + 1 < s->edge_count; i += 2) {
        const edge_key *x = &keys[i], *y = &keys[i + 1];
        TOILE_ASSERT(x->low == y->low && x->high == y->high);
        TOILE_ASSERT(edge_start(s, x->edge) != edge_start(s, y->edge));
        s->edges[x->edge].twin = y->edge;
        s->edges[y->edge].twin = x->edge;
    }
    free(keys);
    return TOILE_OK;
}

/* ---- asking -------------------------------------------------------------------------------------
 */

vec manifold_normal(const manifold *s, uint32_t h) {
    vec a = edge_position(s, h), b = edge_position(s, edge_next(h)),
        c = edge_position(s, edge_previous(h));
    return vec_cross(vec_sub(b, a), vec_sub(c, a));
}

unsigned manifold_valence(const manifold *s, uint32_t vertex) {
    unsigned count = 0;
    uint32_t first = s->vertices[vertex].edge, h = first;
    do {
        count++;
        h = edge_around(s, h);
    } while (h != first);
    return count;
}

static bool connected(const manifold *s, uint32_t a, uint32_t b) {
    uint32_t first = s->vertices[a].edge, h = first;
    do {
        if (edge_end(s, h) == b) {
            return true;
        }
        h = edge_around(s, h);
    } while (h != first);
    return false;
}

/* ---- changing -----------------------------------------------------------------------------------
 */

static void pair(manifold *s, uint32_t g, uint32_t h) {
    s->edges[g].twin = h;
    s->edges[h].twin = g;
}

/* a b is the edge, c and d the corners across: a b c and b a d become a m c, m b c, b m d, m a d.
 */
bool manifold_split(manifold *s, uint32_t h, vec position) {
    uint32_t g = s->edges[h].twin, m = (uint32_t)s->vertex_count;
    uint32_t a = edge_start(s, h), b = edge_start(s, g);
    uint32_t c = edge_start(s, edge_previous(h)), d = edge_start(s, edge_previous(g));
    uint32_t across_bc = s->edges[edge_next(h)].twin, across_ad = s->edges[edge_next(g)].twin;
    uint32_t p = (uint32_t)s->edge_count, q = p + 3; /* m b c and m a d */
    if (!manifold_add_vertex(s, position) || !manifold_add_triangle(s, m, b, c) ||
        !manifold_add_triangle(s, m, a, d)) {
        return false;
    }
    s->edges[edge_next(h)].vertex = m;
    s->edges[edge_next(g)].vertex = m;
    pair(s, h, q);
    pair(s, g, p);
    pair(s, p + 1, across_bc);
    pair(s, p + 2, edge_next(h));
    pair(s, q + 1, across_ad);
    pair(s, q + 2, edge_next(g));
    s->vertices[a].edge = h;
    s->vertices[b].edge = g;
    return true;
}

bool manifold_flip(manifold *s, uint32_t h) {
    uint32_t g = s->edges[h].twin;
    uint32_t a = edge_start(s, h), b = edge_start(s, g);
    uint32_t h1 = edge_next(h), h2 = edge_previous(h), g1 = edge_next(g), g2 = edge_previous(g);
    uint32_t c = edge_start(s, h2), d = edge_start(s, g2);
    if (connected(s, c, d) || manifold_valence(s, a) <= 3 || manifold_valence(s, b) <= 3) {
        return false;
    }
    uint32_t bc = s->edges[h1].twin, ca = s->edges[h2].twin;
    uint32_t ad = s->edges[g1].twin, db = s->edges[g2].twin;
    /* h: d c a, g: c d b */
    s->edges[h].vertex = d;
    s->edges[h1].vertex = c;
    s->edges[h2].vertex = a;
    s->edges[g].vertex = c;
    s->edges[g1].vertex = d;
    s->edges[g2].vertex = b;
    pair(s, h1, ca);
    pair(s, h2, ad);
    pair(s, g1, db);
    pair(s, g2, bc);
    s->vertices[a].edge = h2;
    s->vertices[b].edge = g2;
    s->vertices[c].edge = g;
    s->vertices[d].edge = h;
    return true;
}

/* The link condition: the ends of the edge have two neighbours in common and no more (Dey et al.,
 * Topology Preserving Edge Contraction, 1999). */
static bool link_holds(const manifold *s, uint32_t h) {
    uint32_t a = edge_start(s, h), b = edge_end(s, h);
    unsigned common = 0;
    uint32_t first = s->vertices[a].edge, e = first;
    do {
        uint32_t n = edge_end(s, e);
        common += n != b && connected(s, n, b);
        e = edge_around(s, e);
    } while (e != first);
    uint32_t c = edge_start(s, edge_previous(h));
    uint32_t d = edge_start(s, edge_previous(s->edges[h].twin));
    return common == 2 && c != d && manifold_valence(s, c) > 3 && manifold_valence(s, d) > 3;
}

static void remove_triangle(manifold *s, uint32_t h) {
    s->edges[h].vertex = MANIFOLD_NONE;
    s->edges[edge_next(h)].vertex = MANIFOLD_NONE;
    s->edges[edge_previous(h)].vertex = MANIFOLD_NONE;
}

bool manifold_collapse(manifold *s, uint32_t h, vec position) {
    if (!link_holds(s, h)) {
        return false;
    }
    uint32_t g = s->edges[h].twin;
    uint32_t a = edge_start(s, h), b = edge_start(s, g);
    uint32_t c = edge_start(s, edge_previous(h)), d = edge_start(s, edge_previous(g));
    uint32_t bc = s->edges[edge_next(h)].twin, ca = s->edges[edge_previous(h)].twin;
    uint32_t ad = s->edges[edge_next(g)].twin, db = s->edges[edge_previous(g)].twin;
    uint32_t first = s->vertices[a].edge, e = first;
    do {
        uint32_t following = edge_around(s, e);
        s->edges[e].vertex = b;
        e = following;
    } while (e != first);
    remove_triangle(s, h);
    remove_triangle(s, g);
    pair(s, bc, ca); /* bc starts at c, ca at the vertex that stays */
    pair(s, ad, db); /* ad starts at d */
    s->vertices[a].edge = MANIFOLD_NONE;
    s->vertices[b].edge = ca;
    s->vertices[c].edge = bc;
    s->vertices[d].edge = ad;
    s->vertices[b].position = position;
    return true;
}

toile_result manifold_pack(manifold *s) {
    uint32_t vertices = 0;
    for (size_t v = 0; v < s->vertex_count; v++) {
        manifold_vertex *old = &s->vertices[v];
        old->edge = old->edge == MANIFOLD_NONE ? MANIFOLD_NONE : vertices++; /* where it goes */
    }
    size_t edges = 0;
    for (size_t h = 0; h < s->edge_count; h++) {
        if (s->edges[h].vertex != MANIFOLD_NONE) {
            s->edges[edges++].vertex = s->vertices[s->edges[h].vertex].edge;
        }
    }
    s->edge_count = edges;
    for (size_t v = 0; v < s->vertex_count; v++) {
        if (s->vertices[v].edge != MANIFOLD_NONE) {
            s->vertices[s->vertices[v].edge].position = s->vertices[v].position;
        }
    }
    s->vertex_count = vertices;
    for (uint32_t h = 0; h < s->edge_count; h++) {
        s->vertices[s->edges[h].vertex].edge = h;
    }
    return manifold_join(s);
}
