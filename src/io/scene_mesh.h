/* The mesh files of a scene's bodies. */
#ifndef TOILE_IO_SCENE_MESH_H
#define TOILE_IO_SCENE_MESH_H

#include "io/json.h"
#include "io/scene.h"

/* Reads the files of all bodies that are meshes, welds their vertices and scales them. Bodies have
 * their names by now. A file is looked for from the folder of the scene on, unless the folder
 * "scene.bodies" beside the scene has it under the body's name: that is where a run keeps it. */
toile_result scene_meshes_load(const node *bodies, scene *s);

/* Writes them to "scene.bodies" in a folder, so that a copy of the scene there needs nothing else.
 */
toile_result scene_meshes_save(const scene *s, const char *folder);

#endif
