#include "step/intersect.h"

#include <stdlib.h>

#include "base/memory.h"
#include "model/cut.h"
#include "step/flatness.h"

/* Leaves of a task's subtrees, at most; and so many parts of a tree make tasks at least. */
enum { TASK_LEAVES = 64, TASK_PARTS = 512 };

/* ---- two leaves ---------------------------------------------------------------------------------
 */

static void load_triangle(const triangle_tree *t, const tree_leaf *l, int i, double out[3][3]) {
    for (int corner = 0; corner < 3; corner++) {
        const float *p = t->positions + 3 * (size_t)l->vertices[corner][i];
        for (int k = 0; k < 3; k++) {
            out[corner][k] = (double)p[k];
        }
    }
}

static const uint32_t BIT[TREE_LEAF] = {1, 2, 4, 8, 16, 32, 64, 128};

/* A bit for each triangle of a leaf whose box meets the one given. */
static uint32_t boxes_met(const float low[3], const float high[3], const tree_leaf *l) {
    uint32_t met = 0;
    for (int i = 0; i < TREE_LEAF; i++) {
        uint32_t meets = (uint32_t)(low[0] <= l->high[0][i]) & (uint32_t)(l->low[0][i] <= high[0]) &
                         (uint32_t)(low[1] <= l->high[1][i]) & (uint32_t)(l->low[1][i] <= high[1]) &
                         (uint32_t)(low[2] <= l->high[2][i]) & (uint32_t)(l->low[2][i] <= high[2]);
        met |= meets ? BIT[i] : 0;
    }
    return met;
}

/* A bit for each triangle of a leaf that has one of three vertices, and for each that has more. */
typedef struct neighbours {
    uint32_t one, more;
} neighbours;

static neighbours find_neighbours(const tree_leaf *of, int at, const tree_leaf *l) {
    uint32_t a = of->vertices[0][at], b = of->vertices[1][at], c = of->vertices[2][at];
    neighbours met = {0, 0};
    for (int i = 0; i < TREE_LEAF; i++) {
        uint32_t shared = 0;
        for (int k = 0; k < 3; k++) {
            uint32_t v = l->vertices[k][i];
            shared += (uint32_t)(v == a) + (uint32_t)(v == b) + (uint32_t)(v == c);
        }
        met.one |= shared == 1 ? BIT[i] : 0;
        met.more |= shared > 1 ? BIT[i] : 0;
    }
    return met;
}

typedef struct counter {
    const triangle_tree *first, *second;
    crossing_task *task;
} counter;

/* Triangles on both sides of a tie lie in each other by what its springs give: those that it holds
 * do not count as cutting others that a tie holds. */
static bool is_tied(const triangle_tree *t, const tree_leaf *l, int i) {
    bool any = false;
    for (int k = 0; k < 3 && t->tied; k++) {
        any |= t->tied[l->vertices[k][i]];
    }
    return any;
}

/* Triangle i of a leaf of the first tree, and those of a leaf of the second that the bits say. Two
 * that share an edge have only its line in common, unless they are folded flat onto each other.
 * Two that share a vertex can cut each other beside it. Folded flat they touch, as all that lies
 * around a fold does: those that do not, a fold farther, are in the same place. */
static void count_row(const counter *c, const tree_leaf *a, int i, const tree_leaf *b,
                      uint32_t candidates) {
    const float low[3] = {a->low[0][i], a->low[1][i], a->low[2][i]};
    const float high[3] = {a->high[0][i], a->high[1][i], a->high[2][i]};
    candidates &= boxes_met(low, high, b);
    neighbours near = {0, 0};
    if (candidates && c->first == c->second) {
        near = find_neighbours(a, i, b);
        candidates &= ~near.more;
    }
    if (!candidates) {
        return;
    }
    double one[3][3], other[3][3];
    load_triangle(c->first, a, i, one);
    const bool tied = is_tied(c->first, a, i);
    for (int j = 0; j < TREE_LEAF; j++) {
        if ((candidates & BIT[j]) && !(tied && is_tied(c->second, b, j))) {
            load_triangle(c->second, b, j, other);
            c->task->work++;
            cut_kind cut = triangles_cut(one, other);
            c->task->cuts += cut == CUT_THROUGH || (cut == CUT_TOGETHER && !(near.one & BIT[j]));
        }
    }
}

static void count_leaves(const counter *c, const tree_node *a, const tree_node *b) {
    const tree_leaf *first = &c->first->leaves[a->leaf], *second = &c->second->leaves[b->leaf];
    uint32_t rows = boxes_met(b->low, b->high, first);
    uint32_t candidates = rows ? boxes_met(a->low, a->high, second) : 0;
    for (int i = 0; i < TREE_LEAF && candidates; i++) {
        if (rows & BIT[i]) {
            count_row(c, first, i, second, candidates);
        }
    }
}

static void count_leaf(const counter *c, const tree_node *n) {
    const tree_leaf *leaf = &c->first->leaves[n->leaf];
    for (int i = 0; i < TREE_LEAF - 1; i++) {
        count_row(c, leaf, i, leaf, 0xfeu << i);
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

static void count_between(const counter *c, const tree_node *a, const tree_node *b) {
    c->task->work++;
    if (nothing_between(c->first, a, c->second, b)) {
        return;
    }
    if (a->leaves == 1 && b->leaves == 1) {
        count_leaves(c, a, b);
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
            count_between(c, as[k / 2], bs[k % 2]);
        }
    }
}

static void count_within(const counter *c, const tree_node *n) {
    c->task->work++;
    if (nothing_between(c->first, n, c->first, n)) {
        return;
    }
    if (n->leaves == 1) {
        count_leaf(c, n);
        return;
    }
    count_within(c, tree_first_child(n));
    count_within(c, tree_second_child(n));
    count_between(c, tree_first_child(n), tree_second_child(n));
}

void crossings_count(const crossings *c, crossing_task *task) {
    const counter trees = {c->trees[task->first], c->trees[task->second], task};
    const tree_node *a = &trees.first->nodes[task->a], *b = &trees.second->nodes[task->b];
    if (a == b) {
        count_within(&trees, a);
    } else {
        count_between(&trees, a, b);
    }
}

/* ---- tasks --------------------------------------------------------------------------------------
 */

typedef struct lister {
    crossings *crossings;
    uint32_t first, second; /* trees */
    uint32_t most;          /* leaves of a task's subtree */
} lister;

static const tree_node *root_of(const crossings *c, uint32_t tree) {
    return c->trees[tree]->nodes;
}

static toile_result add_task(const lister *l, const tree_node *a, const tree_node *b) {
    crossings *c = l->crossings;
    crossing_task *tasks =
        memory_grow(c->tasks, c->task_count, &c->task_capacity, sizeof *tasks, "pairs of boxes");
    if (!tasks) {
        return TOILE_ERROR_MEMORY;
    }
    c->tasks = tasks;
    tasks[c->task_count++] = (crossing_task){.first = l->first,
                                             .second = l->second,
                                             .a = (uint32_t)(a - root_of(c, l->first)),
                                             .b = (uint32_t)(b - root_of(c, l->second))};
    return TOILE_OK;
}

static toile_result list_between(const lister *l, const tree_node *a, const tree_node *b) {
    const triangle_tree *const *trees = l->crossings->trees;
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
    const triangle_tree *tree = l->crossings->trees[l->first];
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

toile_result crossings_list(crossings *c, const triangle_tree *const *trees, uint32_t count) {
    c->trees = trees;
    c->task_count = 0;
    toile_result result = TOILE_OK;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i; j < count && result == TOILE_OK; j++) {
            const tree_node *a = root_of(c, i), *b = root_of(c, j);
            uint32_t leaves = a->leaves > b->leaves ? a->leaves : b->leaves;
            lister l = {c, i, j, leaves / TASK_PARTS};
            l.most = l.most > TASK_LEAVES ? l.most : TASK_LEAVES;
            result = i == j ? list_within(&l, a) : list_between(&l, a, b);
        }
    }
    return result;
}

void crossings_free(crossings *c) {
    free(c->tasks);
    *c = (crossings){0};
}

toile_result count_intersections(const float *positions, size_t vertices, const uint32_t *indices,
                                 size_t triangles, uint64_t most_work, uint64_t *count,
                                 bool *whole) {
    *count = 0;
    *whole = true;
    if (triangles < 2) {
        return TOILE_OK;
    }
    triangle_tree tree;
    toile_result result = tree_create(&tree, positions, vertices, indices, triangles);
    if (result != TOILE_OK) {
        return result;
    }
    tree.positions = positions;
    tree_fit_leaves(&tree, 0, tree.leaf_count);
    tree_fit_nodes(&tree);
    const triangle_tree *const trees[] = {&tree};
    crossings c = {0};
    result = crossings_list(&c, trees, 1);
    uint64_t work = 0;
    for (size_t i = 0; i < c.task_count && result == TOILE_OK && *whole; i++) {
        crossings_count(&c, &c.tasks[i]);
        *count += c.tasks[i].cuts;
        work += c.tasks[i].work;
        *whole = work <= most_work || i + 1 == c.task_count;
    }
    crossings_free(&c);
    tree_free(&tree);
    return result;
}
