/* The meshes that writers, readers and the renderer pass to each other. */
#ifndef TOILE_IO_MESH_H
#define TOILE_IO_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A mesh that somebody else owns. Triangles run counter-clockwise around the normal. */
typedef struct mesh_view {
    const char *name; /* UTF-8; NULL: none */
    size_t vertices;
    size_t triangles;
    const float *positions;   /* 3 a vertex, m */
    const float *normals;     /* 3 a vertex, unit; NULL: none */
    const float *coordinates; /* 2 a vertex, flat pattern in m; NULL: none */
    const uint32_t *indices;  /* 3 a triangle */
} mesh_view;

/* A mesh that owns its arrays; those it does not have are NULL. */
typedef struct mesh_data {
    size_t vertices;
    size_t triangles;
    float *positions;
    float *normals;
    float *coordinates;
    uint32_t *indices;
} mesh_data;

/* Allocates positions and indices, and the others as asked. False: not enough memory, and the mesh
 * is empty. */
bool mesh_allocate(mesh_data *mesh, size_t vertices, size_t triangles, bool normals,
                   bool coordinates);
void mesh_free(mesh_data *mesh); /* leaves it empty; an empty mesh is fine */

/* Valid until the mesh is freed. */
mesh_view mesh_get_view(const mesh_data *mesh, const char *name);

/* Unit normals of the vertices, the normals of their triangles weighted by area. Where they cancel
 * out, or a vertex has no triangle, the normal is +y. Reads only counts and indices of the mesh, so
 * that one mesh serves all positions of a motion. */
void mesh_normals(const mesh_view *mesh, const float *positions, float *normals);

#endif
