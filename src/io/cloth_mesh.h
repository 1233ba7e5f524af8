/* Cloths of a scene that are given as meshes: "mesh": {"file": "shirt.glb"}. */
#ifndef TOILE_IO_CLOTH_MESH_H
#define TOILE_IO_CLOTH_MESH_H

#include "io/scene.h"

/* Reads the meshes of all cloths that have one and puts one cloth an island where there was one a
 * mesh: NAME.1, NAME.2 ..., or NAME when there is only one. Their files were found. */
toile_result cloth_meshes_load(scene *s);

/* Puts texels where the mesh is, turned and moved by the cloth's transform. */
toile_result cloth_mesh_place(const scene_cloth *c, const toile_panel *p, toile_world *world,
                              toile_cloth_id id);

#endif
