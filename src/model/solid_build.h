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

/* Finds the half edge that runs the other way, for each one; with `open`, SOLID_NONE where there is
 * none. */
toile_result solid_check_edges(const solid *s, bool open, uint32_t *twins);
/* Fills in the volume. */
toile_result solid_check_parts(solid *s, const uint32_t *twins);

static inline v3 solid_vertex(const float *p) {
    return v3_make(p[0], p[1], p[2]);
}

/* The vertex that a half edge starts at, at a time of the step. */
static inline v3 solid_corner(const solid *s, uint32_t half_edge, float time) {
    size_t at = 3 * (size_t)s->triangles[half_edge];
    v3 start = solid_vertex(s->positions + at);
    return s->ends ? v3_mix(start, solid_vertex(s->ends + at), time) : start;
}

/* The angle of its triangle there. */
float solid_corner_angle(const solid *s, uint32_t half_edge, float time);

/* solid_deform.c: makes room for the ends, which are the start so far. */
toile_result solid_begin_deforming(solid *s);
/* The unit pseudonormal of a part of a face, 0 to SOLID_PARTS - 1, at a time. */
v3 solid_part_normal(const solid *s, uint32_t face, uint32_t part, float time);

/* More than rounding makes of a place on a surface in that box. */
float solid_grain(v3 low, v3 high);

/* Fills in nodes and face_triangle, which is where the leaves find their faces. */
toile_result solid_build_tree(solid *s);

#endif
