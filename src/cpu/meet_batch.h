/* Where pairs of parts of cloth are nearest, many at once, for vectors. */
#ifndef TOILE_CPU_MEET_BATCH_H
#define TOILE_CPU_MEET_BATCH_H

#include "cook/tree.h"
#include "kernel/meet.h"

enum { MEET_BATCH = 64 };

/* Quads of pairs (kernel/ccd.h), and what is found of them. */
typedef struct meet_batch {
    float a[3][MEET_BATCH], b[3][MEET_BATCH], c[3][MEET_BATCH], d[3][MEET_BATCH];
    float normal[3][MEET_BATCH], distance[MEET_BATCH];
    float at_triangle[3][MEET_BATCH], at_edges[2][MEET_BATCH];
    int count;
} meet_batch;

/* The direction that sees each highest, and how high: kernel/ccd.h. */
typedef void meet_measure(meet_batch *batch);
/* Where that is, if it is a vertex and a triangle, and if it is two edges. */
typedef void meet_locate(meet_batch *batch);

/* m: boxes around the triangles of a leaf where a move begins, and around the ways of their
 * corners. */
typedef struct meet_leaf {
    float low[3][TREE_LEAF], high[3][TREE_LEAF];
    float way_low[3][TREE_LEAF], way_high[3][TREE_LEAF];
} meet_leaf;

/* These, and the boxes of the tree: around all that its triangles sweep, and by `grow` larger. */
typedef void meet_fit(tree_leaf *leaf, meet_leaf *own, const float *from, const float *until,
                      float grow);

typedef struct meet_vectors {
    meet_measure *measure;
    meet_locate *locate;
    meet_fit *fit;
} meet_vectors;

static inline void meet_batch_add(meet_batch *batch, const ccd_quad *q) {
    const v3 corners[4] = {q->a, q->b, q->c, q->d};
    float(*const rows[4])[MEET_BATCH] = {batch->a, batch->b, batch->c, batch->d};
    for (int k = 0; k < 4; k++) {
        rows[k][0][batch->count] = corners[k].x;
        rows[k][1][batch->count] = corners[k].y;
        rows[k][2][batch->count] = corners[k].z;
    }
    batch->count++;
}

static inline v3 meet_batch_normal(const meet_batch *batch, int i) {
    return v3_make(batch->normal[0][i], batch->normal[1][i], batch->normal[2][i]);
}

#endif
