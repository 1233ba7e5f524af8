/* What a triangle mesh is like: whether it is closed, in how many pieces, which way out. */
#ifndef TOILE_FIGURE_SURVEY_H
#define TOILE_FIGURE_SURVEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "toile/toile.h"

typedef struct survey {
    size_t edges;
    size_t boundary_edges;  /* of one triangle */
    size_t manifold_breaks; /* edges of three triangles and more, or of two that run the same way */
    size_t components;      /* pieces that share no vertex */
    size_t flat_triangles;  /* without area */
    uint64_t overlaps;      /* pairs of triangles that cross */
    bool all_overlaps;      /* false: there may be more, for thousands are in one place */
    double area, volume;    /* m^2, m^3; a volume below 0 is inside out */
    float low[3], high[3];  /* m, the box around it */
} survey;

/* The mesh has at least one triangle, and its vertices are welded: what is at one place is one. */
toile_result survey_mesh(const float *positions, size_t vertices, const uint32_t *indices,
                         size_t triangles, survey *out);

#endif
