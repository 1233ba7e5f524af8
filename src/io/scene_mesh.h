/* Cloths of a scene that are given as meshes: "mesh": {"file": "shirt.glb"}. */
#ifndef TOILE_IO_SCENE_MESH_H
#define TOILE_IO_SCENE_MESH_H

#include "io/field.h"
#include "io/scene.h"

/* Reads the name of a mesh file: absolute, or within the scene's folder, so that a run can take
 * the file along. */
field_reader read_mesh_file;

/* Reads the mesh files of a scene and puts one cloth an island where there was one a mesh: NAME.1,
 * NAME.2 ..., or NAME when there is only one. Files are looked for in SCENE_FILES beside the scene,
 * where a run keeps its copies, then beside it. */
toile_result scene_mesh_load(scene *s);
#define SCENE_FILES "scene_files"

/* Puts texels where the mesh is, turned and moved by the cloth's transform. */
toile_result scene_mesh_place(const scene_cloth *c, const toile_panel *p, toile_world *world,
                              toile_cloth_id id);

/* Refuses the folder of a run where a mesh file of the scene lies among what a run writes and
 * removes. */
toile_result scene_mesh_check_folder(const scene *s, const char *folder);

/* Copies the mesh files that a scene names by relative paths to SCENE_FILES in the folder of a run,
 * so that the scene.json there can be read without the rest. */
toile_result scene_mesh_copy_files(const scene *s, const char *folder);

#endif
