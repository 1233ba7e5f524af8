/* Constrained Delaunay triangulation with refinement, by GTS. */
#ifndef TOILE_COOK_DELAUNAY_H
#define TOILE_COOK_DELAUNAY_H

#include "cook/flat_mesh.h"

/* What is to be triangulated. Loops run as those of an outline: cloth lies on their left. */
typedef struct delaunay_def {
    const float (*points)[2]; /* m; the points of the loops first, then those inside */
    uint32_t point_count;
    const uint32_t *loop_ends; /* one past the last point of each loop */
    int loop_count;
    const uint32_t *order; /* of insertion: each point once, each near the one before */
    double angle;          /* degrees: triangles with a smaller one are mended; at most 20.7 */
    double radius;         /* m: triangles with a larger circle through their corners are, too */
    double shortest;       /* m: no edge of the loops is cut to less, nor is a point added that is
                              nearer to others */
} delaunay_def;

/* The mesh has the points of the definition in their order, and those that were added behind them.
 * Triangles are counter-clockwise. Same input, same bytes. */
toile_result delaunay_create(const delaunay_def *def, flat_mesh *mesh);

#endif
