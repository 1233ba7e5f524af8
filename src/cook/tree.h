/* A tree of boxes over the triangles of a mesh whose vertices move. Which triangles are together in
 * a leaf is decided once, by where they are at rest; the boxes are fitted anew to every state. */
#ifndef TOILE_COOK_TREE_H
#define TOILE_COOK_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "toile/toile.h"

/* Triangles of a leaf: as many as two or one vectors of the instruction sets there are. */
enum { TREE_LEAF = 8 };

/* Leaves beyond the last triangle have empty boxes there, and a vertex that none has. */
#define TREE_NO_VERTEX UINT32_MAX
typedef struct tree_leaf {
    float low[3][TREE_LEAF], high[3][TREE_LEAF]; /* m, of its triangles */
    uint32_t vertices[3][TREE_LEAF];
} tree_leaf;

/* Nodes are in the order of a walk: the first half of the leaves of a node is its next one. */
typedef struct tree_node {
    float low[3], high[3]; /* m */
    uint32_t leaf, leaves; /* its first one, and how many */
} tree_node;

typedef struct triangle_tree {
    size_t triangle_count;
    uint32_t leaf_count; /* there are twice as many nodes, less one */
    tree_leaf *leaves;
    tree_node *nodes;
    uint32_t *own_vertices;          /* each vertex in one leaf that has it: those of a leaf ... */
    uint32_t *first_own;             /* ... from here to where the next leaf's begin */
    const float *positions;          /* m, 3 a vertex, the caller's, that the boxes are fitted to */
    const struct flatness *flatness; /* likewise; NULL: nothing is known of it */
    const bool *tied;                /* likewise, a vertex: is it at a tie? NULL: none is */
} triangle_tree;

/* rest: 3 a vertex, by which triangles that are near each other come into a leaf. There is at least
 * one triangle. */
toile_result tree_create(triangle_tree *t, const float *rest, size_t vertices,
                         const uint32_t *indices, size_t triangles);
void tree_free(triangle_tree *t); /* zeroed is fine */

/* Fits the boxes of some leaves to the positions; different ones may be fitted at once. Then those
 * of all nodes. */
void tree_fit_leaves(triangle_tree *t, uint32_t first, uint32_t end);
void tree_fit_nodes(triangle_tree *t);

static inline const tree_node *tree_first_child(const tree_node *n) {
    return n + 1;
}

static inline const tree_node *tree_second_child(const tree_node *n) {
    return n + 2 * (n->leaves / 2);
}

static inline bool tree_overlap(const tree_node *a, const tree_node *b) {
    return (a->low[0] <= b->high[0]) & (b->low[0] <= a->high[0]) & (a->low[1] <= b->high[1]) &
           (b->low[1] <= a->high[1]) & (a->low[2] <= b->high[2]) & (b->low[2] <= a->high[2]);
}

#endif
