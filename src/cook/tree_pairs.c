#include "cook/tree_pairs.h"

#include <stdlib.h>

#include "base/memory.h"
#include "cook/flatness.h"

/* Leaves of a task's subtrees, at most; and so many parts of a tree make tasks at least. */
enum { TASK_LEAVES = 64, TASK_PARTS = 512 };

/* ---- two leaves ---------------------------------------------------------------------------------
 */

uint32_t tree_boxes_met(const float low[3], const float high[3], const tree_leaf *l) {
    static const uint32_t BIT[TREE_LEAF] = {1, 2, 4, 8, 16, 32, 64, 128};
    uint32_t met = 0;
    for (int i = 0; i < TREE_LEAF; i++) {
        uint32_t meets = (uint32_t)(low[0] <= l->high[0][i]) & (uint32_t)(l->low[0][i] <= high[0]) &
                         (uint32_t)(low[1] <= l->high[1][i]) & (uint32_t)(l->low[1][i] <= high[1]) &
                         (uint32_t)(low[2] <= l->high[2][i]) & (uint32_t)(l->low[2][i] <= high[2]);
        met |= meets ? BIT[i] : 0;
    }
    return met;
}

tree_neighbours tree_find_neighbours(const tree_leaf *of, int at, const tree_leaf *l) {
    uint32_t a = of->vertices[0][at], b = of->vertices[1][at], c = of->vertices[2][at];
    tree_neighbours met = {0, 0};
    for (int i = 0; i < TREE_LEAF; i++) {
        uint32_t shared = 0;
        for (int k = 0; k < 3; k++) {
            uint32_t v = l->vertices[k][i];
            shared += (uint32_t)(v == a) + (uint32_t)(v == b) + (uint32_t)(v == c);
        }
        met.one |= shared == 1 ? tree_bit(i) : 0;
        met.more |= shared > 1 ? tree_bit(i) : 0;
    }
    return met;
}

typedef struct walk {
    const triangle_tree *first, *second;
    tree_task *task;
    tree_visit *visit;
    void *user;
} walk;

static void visit_row(const walk *w, uint32_t a, int at, uint32_t b, uint32_t candidates) {
    const tree_leaf *leaf = &w->first->leaves[a];
    const float low[3] = {leaf->low[0][at], leaf->low[1][at], leaf->low[2][at]};
    const float high[3] = {leaf->high[0][at], leaf->high[1][at], leaf->high[2][at]};
    candidates &= tree_boxes_met(low, high, &w->second->leaves[b]);
    if (candidates) {
        w->visit(w->user, w->task, &(tree_row){w->first, w->second, a, b, at, candidates});
    }
}

static void visit_leaves(const walk *w, const tree_node *a, const tree_node *b) {
    uint32_t rows = tree_boxes_met(b->low, b->high, &w->first->leaves[a->leaf]);
    uint32_t candidates = rows ? tree_boxes_met(a->low, a->high, &w->second->leaves[b->leaf]) : 0;
    for (int i = 0; i < TREE_LEAF && candidates; i++) {
        if (rows & tree_bit(i)) {
            visit_row(w, a->leaf, i, b->leaf, candidates);
        }
    }
}

static void visit_leaf(const walk *w, const tree_node *n) {
    for (int i = 0; i < TREE_LEAF - 1; i++) {
        visit_row(w, n->leaf, i, n->leaf, 0xfeu << i);
    }
}

/* ---- two subtrees -------------------------------------------------------------------------------
 */

/* Is there nothing to find in two subtrees, or in one? */
static bool nothing_between(const triangle_tree *first, const tree_node *a,
                            const triangle_tree *second, const tree_node *b) {
    return !tree_overlap(a, b) || (first == second && first->flatness &&
                                   flatness_holds(first->flatness, (size_t)(a - first->nodes),
                                                  (size_t)(b - first->nodes)));
}

static void walk_between(const walk *w, const tree_node *a, const tree_node *b) {
    w->task->work++;
    if (nothing_between(w->first, a, w->second, b)) {
        return;
    }
    if (a->leaves == 1 && b->leaves == 1) {
        visit_leaves(w, a, b);
        return;
    }
    /* Both are halved, unless one is a leaf. */
    const tree_node *as[2] = {a, NULL}, *bs[2] = {b, NULL};
    if (a->leaves > 1) {
        as[0] = tree_first_child(a);
        as[1] = tree_second_child(a);
    }
    if (b->leaves > 1) {
        bs[0] = tree_first_child(b);
        bs[1] = tree_second_child(b);
    }
    for (int k = 0; k < 4; k++) {
        if (as[k / 2] && bs[k % 2]) {
            walk_between(w, as[k / 2], bs[k % 2]);
        }
    }
}

static void walk_within(const walk *w, const tree_node *n) {
    w->task->work++;
    if (nothing_between(w->first, n, w->first, n)) {
        return;
    }
    if (n->leaves == 1) {
        visit_leaf(w, n);
        return;
    }
    walk_within(w, tree_first_child(n));
    walk_within(w, tree_second_child(n));
    walk_between(w, tree_first_child(n), tree_second_child(n));
}

void tree_pairs_walk(const tree_pairs *p, tree_task *task, tree_visit *visit, void *user) {
    const walk w = {p->trees[task->first], p->trees[task->second], task, visit, user};
    const tree_node *a = &w.first->nodes[task->a], *b = &w.second->nodes[task->b];
    task->found = task->work = 0;
    if (a == b) {
        walk_within(&w, a);
    } else {
        walk_between(&w, a, b);
    }
}

/* ---- tasks --------------------------------------------------------------------------------------
 */

typedef struct lister {
    tree_pairs *pairs;
    uint32_t first, second; /* trees */
    uint32_t most;          /* leaves of a task's subtree */
} lister;

static const tree_node *root_of(const tree_pairs *p, uint32_t tree) {
    return p->trees[tree]->nodes;
}

static toile_result add_task(const lister *l, const tree_node *a, const tree_node *b) {
    tree_pairs *p = l->pairs;
    tree_task *tasks =
        memory_grow(p->tasks, p->task_count, &p->task_capacity, sizeof *tasks, "pairs of boxes");
    if (!tasks) {
        return TOILE_ERROR_MEMORY;
    }
    p->tasks = tasks;
    tasks[p->task_count++] = (tree_task){.first = l->first,
                                         .second = l->second,
                                         .a = (uint32_t)(a - root_of(p, l->first)),
                                         .b = (uint32_t)(b - root_of(p, l->second))};
    return TOILE_OK;
}

static toile_result list_between(const lister *l, const tree_node *a, const tree_node *b) {
    const triangle_tree *const *trees = l->pairs->trees;
    if (nothing_between(trees[l->first], a, trees[l->second], b)) {
        return TOILE_OK;
    }
    if (a->leaves <= l->most && b->leaves <= l->most) {
        return add_task(l, a, b);
    }
    bool first = a->leaves >= b->leaves; /* is halved */
    const tree_node *halved = first ? a : b;
    const tree_node *parts[2] = {tree_first_child(halved), tree_second_child(halved)};
    toile_result result = TOILE_OK;
    for (int k = 0; k < 2 && result == TOILE_OK; k++) {
        result = list_between(l, first ? parts[k] : a, first ? b : parts[k]);
    }
    return result;
}

static toile_result list_within(const lister *l, const tree_node *n) {
    const triangle_tree *tree = l->pairs->trees[l->first];
    if (nothing_between(tree, n, tree, n)) {
        return TOILE_OK;
    }
    if (n->leaves <= l->most) {
        return add_task(l, n, n);
    }
    toile_result result = list_within(l, tree_first_child(n));
    if (result == TOILE_OK) {
        result = list_within(l, tree_second_child(n));
    }
    if (result == TOILE_OK) {
        result = list_between(l, tree_first_child(n), tree_second_child(n));
    }
    return result;
}

toile_result tree_pairs_list(tree_pairs *p, const triangle_tree *const *trees, uint32_t count) {
    p->trees = trees;
    p->task_count = 0;
    toile_result result = TOILE_OK;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i; j < count && trees[i] && result == TOILE_OK; j++) {
            if (!trees[j]) {
                continue;
            }
            const tree_node *a = root_of(p, i), *b = root_of(p, j);
            uint32_t leaves = a->leaves > b->leaves ? a->leaves : b->leaves;
            lister l = {p, i, j, leaves / TASK_PARTS};
            l.most = l.most > TASK_LEAVES ? l.most : TASK_LEAVES;
            result = i == j ? list_within(&l, a) : list_between(&l, a, b);
        }
    }
    return result;
}

void tree_pairs_free(tree_pairs *p) {
    free(p->tasks);
    *p = (tree_pairs){0};
}
