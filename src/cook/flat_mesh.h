/* A triangle mesh in the plane of a panel. */
#ifndef TOILE_COOK_FLAT_MESH_H
#define TOILE_COOK_FLAT_MESH_H

#include <stdint.h>

#include "toile/toile.h"

typedef struct flat_mesh {
    uint32_t vertex_count, triangle_count;
    float *uv;         /* m, 2 a vertex, from the lower left corner of the panel's box */
    uint32_t *indices; /* 3 a triangle, counter-clockwise */
} flat_mesh;

toile_result flat_mesh_allocate(flat_mesh *m, uint32_t vertices, uint32_t triangles);
void flat_mesh_free(flat_mesh *m); /* zeroed is fine */

/* A byte a triangle: bit k is set when no other triangle has the edge from its corner k on. Schmitt
 * 2013 has triangles with 0, 1 and 2 such outer edges; one with 3 is a mesh of its own, and is
 * treated in the same way. Free with free(); NULL with an error message on failure. */
uint8_t *flat_mesh_outer_edges(const flat_mesh *m);

#endif
