/* Between the mesh and the grid of a panel: Schmitt 2013 section 4. The formulas, and how they
 * differ from the paper, stand in kernel/mapping.h. */
#ifndef TOILE_COOK_MAPPING_H
#define TOILE_COOK_MAPPING_H

#include "cook/flat_mesh.h"
#include "cook/grid.h"

/* Sampling (S1-S3): each texel takes its value from one triangle, linearly, also beyond its edges
 * where the triangle's border covers the texel. */
typedef struct sampling {
    uint32_t *vertices; /* 3 a texel, row by row; of absent texels 0, with weights 0 */
    float *weights;     /* 3 a texel, sum 1 */
} sampling;

/* Projection (S4): each vertex takes its value from a square of four existing texels, bilinearly,
 * also beyond its sides. */
typedef struct projection {
    uint32_t *texels; /* a vertex: column + row * columns of the square's lower left texel */
    float *fractions; /* 2 a vertex: where it lies from that texel, in spacings */
} projection;

/* mask: a byte a texel, as cover_outline makes it. Every texel of it gets a triangle. */
toile_result sampling_create(sampling *s, const flat_mesh *mesh, const grid *g,
                             const uint8_t *mask);
void sampling_free(sampling *s);
toile_result projection_create(projection *p, const flat_mesh *mesh, const grid *g,
                               const uint8_t *mask);
void projection_free(projection *p);

/* Moves inner vertices to the nearest texel (S5) where that leaves all triangles in order. Does
 * nothing when memory runs out. */
void snap_inner_vertices(flat_mesh *mesh, const grid *g);

/* Three floats a vertex into three floats a texel, row by row, and back. */
void sample_vectors(const sampling *s, const grid *g, const float *vertices, float *texels);
void project_vectors(const projection *p, uint32_t vertex_count, const grid *g, const float *texels,
                     float *vertices);

#endif
