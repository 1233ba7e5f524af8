/* The meshes of a world's cloths, in the order of the scene. */
#ifndef TOILE_APP_MESHES_H
#define TOILE_APP_MESHES_H

#include "io/mesh.h"
#include "io/scene.h"

/* One a cloth, with all arrays. */
typedef struct meshes {
    mesh_data *items;
    int count;
} meshes;

/* Fills in pattern coordinates and triangles, which never change. */
toile_result meshes_create(meshes *m, const scene *s, const toile_world *world,
                           const scene_ids *ids);
void meshes_free(meshes *m); /* zeroed is fine */

/* From the positions: those of a world and those of a file give the same bits. */
void meshes_compute_normals(mesh_data *mesh);

/* Positions and normals as they are now. */
toile_result meshes_read(meshes *m, const toile_world *world, const scene_ids *ids);

#endif
