/* The steps of solid_create(). */
#ifndef TOILE_MODEL_SOLID_BUILD_H
#define TOILE_MODEL_SOLID_BUILD_H

#include "model/solid.h"

/* A half edge is a triangle's way along one of its edges: number 3 * triangle + k runs from its
 * corner k to the next one. */
static inline uint32_t half_edge_next(uint32_t h) {
    return h % 3 == 2 ? h - 2 : h + 1;
}

/* Checks positions, indices and areas of what was given. */
toile_result solid_check_triangles(const toile_mesh_def *def);

/* Finds the half edge that runs the other way, for each one. */
toile_result solid_check_edges(const solid *s, uint32_t *twins);
/* Fills in the volume. */
toile_result solid_check_parts(solid *s, const uint32_t *twins);

/* Fills in nodes and face_triangle, which is where the leaves find their faces. */
toile_result solid_build_tree(solid *s);

#endif
