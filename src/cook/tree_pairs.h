/* Pairs of leaves of trees whose boxes overlap: of a tree and itself, and of two. */
#ifndef TOILE_COOK_TREE_PAIRS_H
#define TOILE_COOK_TREE_PAIRS_H

#include <stdbool.h>

#include "cook/tree.h"

/* Two subtrees whose boxes overlap, or a subtree and itself. Small enough to be done in some
 * milliseconds even where all triangles are in one place. */
typedef struct tree_task {
    uint32_t first, second; /* numbers of their trees */
    uint32_t a, b;          /* their nodes */
    uint64_t found;         /* the visitor's */
    uint64_t work;          /* pairs of boxes that were looked at, and what the visitor adds */
} tree_task;

typedef struct tree_pairs {
    const triangle_tree *const *trees; /* the caller's */
    tree_task *tasks;                  /* kept for the next list */
    size_t task_count, task_capacity;
} tree_pairs;

/* Lists what has to be looked at. The trees are fitted; where they do not overlap, nothing has. A
 * tree that is NULL takes no part. */
toile_result tree_pairs_list(tree_pairs *p, const triangle_tree *const *trees, uint32_t count);
void tree_pairs_free(tree_pairs *p); /* zeroed is fine */

/* A triangle of a leaf, by its number there, and those of another leaf that it may meet: a bit
 * each. Of a pair of triangles of one leaf only the later one is among them. */
typedef struct tree_row {
    const triangle_tree *first, *second;
    uint32_t a, b; /* leaves */
    int at;
    uint32_t candidates;
} tree_row;

typedef void tree_visit(void *user, tree_task *task, const tree_row *row);

/* Does one of the tasks; different ones may be done at once. */
void tree_pairs_walk(const tree_pairs *p, tree_task *task, tree_visit *visit, void *user);

/* Triangle i of a leaf, as a bit. */
static inline uint32_t tree_bit(int i) {
    return UINT32_C(1) << i;
}

/* A bit for each triangle of a leaf whose box meets the one given. */
uint32_t tree_boxes_met(const float low[3], const float high[3], const tree_leaf *l);

/* A bit for each triangle of a leaf that has one of three vertices, and for each that has more. */
typedef struct tree_neighbours {
    uint32_t one, more;
} tree_neighbours;

tree_neighbours tree_find_neighbours(const tree_leaf *of, int at, const tree_leaf *l);

#endif
