/* Bodies of a scene that are given as meshes: "mesh": {"file": "person.obj"}. */
#ifndef TOILE_IO_SOLID_MESH_H
#define TOILE_IO_SOLID_MESH_H

#include "io/scene.h"

/* Of the meshes of all bodies of a scene together. */
#define SOLID_TRIANGLE_LIMIT ((size_t)4194304)

/* Reads the meshes of all bodies that are one, welds their vertices and scales them. Their files
 * were found. Whether they are closed is for the library to say. */
toile_result solid_meshes_load(scene *s);

#endif
