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

#endif
