/* Meshes with fewer triangles, to cast shadows: a shadow map shows nothing that is smaller than
 * its pixels, yet drawing it takes time for each triangle. */
#ifndef TOILE_RENDER_COARSE_H
#define TOILE_RENDER_COARSE_H

#include "io/mesh.h"
#include "toile/toile.h"

/* Merges the vertices of a cloth that fall into the same cell of its flat pattern, `cell` metres
 * wide, into the one nearest to the cell's middle (Rossignac and Borrel, Multi-resolution 3D
 * Approximations, 1993). As the pattern never changes, the same vertices are left in each frame of
 * a film. The result has positions only and is freed with mesh_free. */
toile_result coarse_mesh_make(const mesh_view *mesh, float cell, mesh_data *out);

/* Who is left, and the triangles between them. */
typedef struct coarse_plan {
    uint64_t pattern; /* as in draw_cloth */
    float cell;       /* m */
    uint32_t *vertices;
    uint32_t *indices;
    size_t vertex_count, triangles;
    bool used; /* since the last sweep */
} coarse_plan;

/* Plans that were made for earlier frames. */
typedef struct coarse_store {
    coarse_plan *plans;
    size_t count, capacity;
} coarse_store;

/* The same as coarse_mesh_make, by a plan of the store where there is one for that pattern, whose
 * cells may then be somewhat smaller than asked for. pattern 0: always anew. */
toile_result coarse_store_make(coarse_store *s, const mesh_view *mesh, uint64_t pattern, float cell,
                               mesh_data *out);
/* Its plan alone, which needs no positions; valid until the next call. pattern is not 0, and there
 * are vertices. */
toile_result coarse_store_plan(coarse_store *s, const mesh_view *mesh, uint64_t pattern, float cell,
                               const coarse_plan **out);
/* Drops the plans that were not used since the last sweep. */
void coarse_store_sweep(coarse_store *s);
void coarse_store_free(coarse_store *s); /* zeroed is fine */

#endif
