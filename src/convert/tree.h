/* The nodes of an Assimp scene as a list. */
#ifndef TOILE_CONVERT_TREE_H
#define TOILE_CONVERT_TREE_H

#include <assimp/scene.h>
#include <stddef.h>

#include "toile/toile.h"

#define TREE_NONE ((size_t)-1)

typedef struct tree {
    const struct aiNode **nodes; /* parents before their children; the first is the root */
    size_t *parents;             /* indices; TREE_NONE of the root */
    size_t *by_name;             /* indices, sorted by name */
    size_t count;
} tree;

/* Free with tree_free, also after an error. */
toile_result tree_list(const struct aiNode *root, tree *out);
void tree_free(tree *t);

/* The node of a name, or TREE_NONE. Of several the first. */
size_t tree_find(const tree *t, const struct aiString *name);

#endif
