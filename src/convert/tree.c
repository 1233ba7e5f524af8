#include "convert/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Makes room for the children of one more node. */
static bool grow(tree *t, size_t wanted, size_t *capacity) {
    if (wanted <= *capacity) {
        return true;
    }
    size_t larger = 2 * wanted;
    const struct aiNode **nodes = realloc(t->nodes, larger * sizeof *t->nodes);
    t->nodes = nodes ? nodes : t->nodes;
    size_t *parents = realloc(t->parents, larger * sizeof *t->parents);
    t->parents = parents ? parents : t->parents;
    *capacity = nodes && parents ? larger : *capacity;
    return nodes && parents;
}

static int compare_names(const void *a, const void *b, void *context) {
    const tree *t = context;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    int order = strcmp(t->nodes[x]->mName.data, t->nodes[y]->mName.data);
    return order ? order : (x > y) - (x < y);
}

/* Breadth first, and so without recursion: how deep a tree is is up to the file. */
toile_result tree_list(const struct aiNode *root, tree *out) {
    tree *t = out;
    size_t capacity = 0;
    bool enough = grow(t, 1, &capacity);
    if (enough) {
        t->nodes[0] = root;
        t->parents[0] = TREE_NONE;
        t->count = 1;
    }
    for (size_t i = 0; i < t->count && enough; i++) {
        const struct aiNode *n = t->nodes[i];
        enough = grow(t, t->count + n->mNumChildren, &capacity);
        for (unsigned k = 0; k < n->mNumChildren && enough; k++) {
            t->nodes[t->count] = n->mChildren[k];
            t->parents[t->count++] = i;
        }
    }
    t->by_name = memory_alloc(t->count, sizeof *t->by_name, "nodes");
    if (!enough || !t->by_name) {
        return error_set(TOILE_ERROR_MEMORY, "not enough memory for nodes");
    }
    for (size_t i = 0; i < t->count; i++) {
        t->by_name[i] = i;
    }
    qsort_r(t->by_name, t->count, sizeof *t->by_name, compare_names, t);
    return TOILE_OK;
}

void tree_free(tree *t) {
    free(t->nodes);
    free(t->parents);
    free(t->by_name);
}

size_t tree_find(const tree *t, const struct aiString *name) {
    size_t low = 0, high = t->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(t->nodes[t->by_name[middle]]->mName.data, name->data) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < t->count && strcmp(t->nodes[t->by_name[low]]->mName.data, name->data) == 0;
    return found ? t->by_name[low] : TREE_NONE;
}
