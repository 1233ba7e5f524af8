#include "cook/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/halving.h"
#include "base/memory.h"

static const char WHAT[] = "the boxes of a mesh";

typedef struct builder {
    triangle_tree *tree;
    halving halves;
    uint32_t node_count;
} builder;

/* Whole leaves, but for the last one. */
static void build_node(builder *b, uint32_t leaf, uint32_t leaves) {
    tree_node *n = &b->tree->nodes[b->node_count++];
    *n = (tree_node){.leaf = leaf, .leaves = leaves};
    if (leaves == 1) {
        return;
    }
    uint32_t left = leaves / 2, first = leaf * TREE_LEAF, end = (leaf + leaves) * TREE_LEAF;
    uint32_t last = (uint32_t)b->tree->triangle_count;
    halving_split(&b->halves, first, (end < last ? end : last) - first, left * TREE_LEAF);
    build_node(b, leaf, left);
    build_node(b, leaf + left, leaves - left);
}

static void fill_leaves(triangle_tree *t, const uint32_t *order, const uint32_t *indices) {
    for (size_t i = 0; i < (size_t)t->leaf_count * TREE_LEAF; i++) {
        tree_leaf *leaf = &t->leaves[i / TREE_LEAF];
        for (size_t k = 0; k < 3; k++) {
            leaf->vertices[k][i % TREE_LEAF] =
                i < t->triangle_count ? indices[3 * (size_t)order[i] + k] : TREE_NO_VERTEX;
            leaf->low[k][i % TREE_LEAF] = INFINITY;
            leaf->high[k][i % TREE_LEAF] = -INFINITY;
        }
    }
}

/* taken: a byte a vertex, zeroed. */
static void share_vertices(triangle_tree *t, uint8_t *taken) {
    uint32_t count = 0;
    for (uint32_t l = 0; l < t->leaf_count; l++) {
        t->first_own[l] = count;
        for (int i = 0; i < 3 * TREE_LEAF; i++) {
            uint32_t v = t->leaves[l].vertices[i % 3][i / 3];
            if (v != TREE_NO_VERTEX && !taken[v]) {
                taken[v] = 1;
                t->own_vertices[count++] = v;
            }
        }
    }
    t->first_own[t->leaf_count] = count;
}

static toile_result allocate(triangle_tree *t, size_t vertices) {
    t->leaves = memory_alloc(t->leaf_count, sizeof *t->leaves, WHAT);
    t->nodes = memory_alloc(2 * (size_t)t->leaf_count, sizeof *t->nodes, WHAT);
    t->own_vertices = memory_alloc(vertices, sizeof *t->own_vertices, WHAT);
    t->first_own = memory_alloc((size_t)t->leaf_count + 1, sizeof *t->first_own, WHAT);
    return t->leaves && t->nodes && t->own_vertices && t->first_own ? TOILE_OK : TOILE_ERROR_MEMORY;
}

static toile_result arrange(triangle_tree *t, const float *rest, size_t vertices,
                            const uint32_t *indices) {
    float *middles = memory_alloc(t->triangle_count, 3 * sizeof *middles, WHAT);
    uint8_t *taken = memory_alloc(vertices, 1, WHAT);
    builder b = {.tree = t};
    toile_result result = middles && taken ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t i = 0; i < 9 * t->triangle_count && result == TOILE_OK; i++) {
        middles[3 * (i / 9) + i % 3] += rest[3 * (size_t)indices[i / 3] + i % 3];
    }
    if (result == TOILE_OK) {
        result = halving_create(&b.halves, middles, (uint32_t)t->triangle_count, WHAT);
    }
    if (result == TOILE_OK) {
        build_node(&b, 0, t->leaf_count);
        fill_leaves(t, b.halves.sorted[0], indices);
        share_vertices(t, taken);
    }
    halving_free(&b.halves);
    free(middles);
    free(taken);
    return result;
}

toile_result tree_create(triangle_tree *t, const float *rest, size_t vertices,
                         const uint32_t *indices, size_t triangles) {
    TOILE_ASSERT(triangles > 0);
    *t = (triangle_tree){.triangle_count = triangles};
    if (triangles > UINT32_MAX - TREE_LEAF) {
        return error_set(TOILE_ERROR_INVALID, "a mesh of %zu triangles: expected at most %u",
                         triangles, (unsigned)(UINT32_MAX - TREE_LEAF));
    }
    t->leaf_count = (uint32_t)((triangles + TREE_LEAF - 1) / TREE_LEAF);
    toile_result result = allocate(t, vertices);
    if (result == TOILE_OK) {
        result = arrange(t, rest, vertices, indices);
    }
    if (result != TOILE_OK) {
        tree_free(t);
    }
    return result;
}

void tree_free(triangle_tree *t) {
    free(t->leaves);
    free(t->nodes);
    free(t->own_vertices);
    free(t->first_own);
    *t = (triangle_tree){0};
}

/* ---- fitting ------------------------------------------------------------------------------------
 */

/* The second one where one of them is no number. */
static float lower(float a, float b) {
    return a < b ? a : b;
}

static float higher(float a, float b) {
    return a > b ? a : b;
}

void tree_fit_leaves(triangle_tree *t, uint32_t first, uint32_t end) {
    const float *positions = t->positions;
    for (tree_leaf *l = t->leaves + first; l < t->leaves + end; l++) {
        for (int i = 0; i < TREE_LEAF && l->vertices[0][i] != TREE_NO_VERTEX; i++) {
            const float *a = positions + 3 * (size_t)l->vertices[0][i],
                        *b = positions + 3 * (size_t)l->vertices[1][i],
                        *c = positions + 3 * (size_t)l->vertices[2][i];
            for (int k = 0; k < 3; k++) {
                l->low[k][i] = lower(a[k], lower(b[k], c[k]));
                l->high[k][i] = higher(a[k], higher(b[k], c[k]));
            }
        }
    }
}

static void fit_to_leaf(tree_node *n, const tree_leaf *l) {
    for (int k = 0; k < 3; k++) {
        float low = l->low[k][0], high = l->high[k][0];
        for (int i = 1; i < TREE_LEAF; i++) {
            low = lower(l->low[k][i], low);
            high = higher(l->high[k][i], high);
        }
        n->low[k] = low;
        n->high[k] = high;
    }
}

void tree_fit_nodes(triangle_tree *t) {
    for (size_t i = 2 * (size_t)t->leaf_count - 1; i-- > 0;) {
        tree_node *n = &t->nodes[i];
        if (n->leaves == 1) {
            fit_to_leaf(n, &t->leaves[n->leaf]);
            continue;
        }
        const tree_node *a = tree_first_child(n), *b = tree_second_child(n);
        for (int k = 0; k < 3; k++) {
            n->low[k] = lower(a->low[k], b->low[k]);
            n->high[k] = higher(a->high[k], b->high[k]);
        }
    }
}
