/* Counting triangles that cut each other: those of a tree, and those of two. */
#ifndef TOILE_STEP_INTERSECT_H
#define TOILE_STEP_INTERSECT_H

#include "cook/tree_pairs.h"

/* How many pairs of triangles of a task go through each other, or lie in the same place and share
 * no vertex. Different tasks may be done at once. */
void count_task_cuts(const tree_pairs *p, tree_task *task);

/* The same, and where about the first of them is, m. */
void find_task_cuts(const tree_pairs *p, tree_task *task, double first[3]);

/* The same of a mesh by itself, there being no cloth. It ends early after so much work;
 * then *whole is false, and there may be more. */
toile_result count_intersections(const float *positions, size_t vertices, const uint32_t *indices,
                                 size_t triangles, uint64_t most_work, uint64_t *count,
                                 bool *whole);

#endif
