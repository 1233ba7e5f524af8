/* Counting triangles that cut each other: those of a tree, and those of two. */
#ifndef TOILE_STEP_INTERSECT_H
#define TOILE_STEP_INTERSECT_H

#include "step/tree.h"

/* Two subtrees whose boxes overlap, or a subtree and itself. Small enough to be done in some
 * milliseconds even where all triangles are in one place. */
typedef struct crossing_task {
    uint32_t first, second; /* numbers of their trees */
    uint32_t a, b;          /* their nodes */
    uint64_t cuts;          /* pairs of triangles that go through each other, or lie in the same
                               place and share no vertex */
    uint64_t work;          /* pairs of boxes and triangles that were looked at */
} crossing_task;

typedef struct crossings {
    const triangle_tree *const *trees; /* the caller's */
    crossing_task *tasks;              /* kept for the next count */
    size_t task_count, task_capacity;
} crossings;

/* Lists what has to be looked at. The trees are fitted; where they do not overlap, nothing has. */
toile_result crossings_list(crossings *c, const triangle_tree *const *trees, uint32_t count);
/* Does one of the tasks; different ones may be done at once. */
void crossings_count(const crossings *c, crossing_task *task);
void crossings_free(crossings *c); /* zeroed is fine */

/* The same of a mesh by itself, there being no cloth. It ends early after so much work;
 * then *whole is false, and there may be more. */
toile_result count_intersections(const float *positions, size_t vertices, const uint32_t *indices,
                                 size_t triangles, uint64_t most_work, uint64_t *count,
                                 bool *whole);

#endif
