#include "step/intersect.h"

#include "model/cut.h"

static void load_triangle(const triangle_tree *t, const tree_leaf *l, int i, double out[3][3]) {
    for (int corner = 0; corner < 3; corner++) {
        const float *p = t->positions + 3 * (size_t)l->vertices[corner][i];
        for (int k = 0; k < 3; k++) {
            out[corner][k] = (double)p[k];
        }
    }
}

/* Triangles on both sides of a tie lie in each other by what its springs give: those that it holds
 * do not count as cutting others that a tie holds. */
static bool is_tied(const triangle_tree *t, const tree_leaf *l, int i) {
    bool any = false;
    for (int k = 0; k < 3 && t->tied; k++) {
        any |= t->tied[l->vertices[k][i]];
    }
    return any;
}

static void place_between(double one[3][3], double other[3][3], double place[3]) {
    for (int k = 0; k < 3; k++) {
        place[k] = 0.0;
        for (int corner = 0; corner < 3; corner++) {
            place[k] += (one[corner][k] + other[corner][k]) / 6.0;
        }
    }
}

/* Two that share an edge have only its line in common, unless they are folded flat onto each other.
 * Two that share a vertex can cut each other beside it. Folded flat they touch, as all that lies
 * around a fold does: those that do not, a fold farther, are in the same place. */
static void count_row(void *first, tree_task *task, const tree_row *row) {
    const tree_leaf *a = &row->first->leaves[row->a], *b = &row->second->leaves[row->b];
    uint32_t candidates = row->candidates;
    tree_neighbours near = {0, 0};
    if (row->first == row->second) {
        near = tree_find_neighbours(a, row->at, b);
        candidates &= ~near.more;
    }
    if (!candidates) {
        return;
    }
    double one[3][3], other[3][3];
    load_triangle(row->first, a, row->at, one);
    const bool tied = is_tied(row->first, a, row->at);
    for (int j = 0; j < TREE_LEAF; j++) {
        if ((candidates & tree_bit(j)) && !(tied && is_tied(row->second, b, j))) {
            load_triangle(row->second, b, j, other);
            task->work++;
            cut_kind cut = triangles_cut(one, other);
            bool counts = cut == CUT_THROUGH || (cut == CUT_TOGETHER && !(near.one & tree_bit(j)));
            if (counts && first && task->found == 0) {
                place_between(one, other, first);
            }
            task->found += counts;
        }
    }
}

void count_task_cuts(const tree_pairs *p, tree_task *task) {
    tree_pairs_walk(p, task, count_row, NULL);
}

void find_task_cuts(const tree_pairs *p, tree_task *task, double first[3]) {
    tree_pairs_walk(p, task, count_row, first);
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
    tree_pairs c = {0};
    result = tree_pairs_list(&c, trees, 1);
    uint64_t work = 0;
    for (size_t i = 0; i < c.task_count && result == TOILE_OK && *whole; i++) {
        count_task_cuts(&c, &c.tasks[i]);
        *count += c.tasks[i].found;
        work += c.tasks[i].work;
        *whole = work <= most_work || i + 1 == c.task_count;
    }
    tree_pairs_free(&c);
    tree_free(&tree);
    return result;
}
