/* Where the nodes of a glTF file are, and how much of it may be shown: what joining its meshes and
 * making a character of it have in common. */
#ifndef TOILE_IO_GLTF_SHOWN_H
#define TOILE_IO_GLTF_SHOWN_H

#include "io/gltf.h"
#include "model/character.h"

affine gltf_affine(const float matrix[16]);  /* columns */
affine gltf_node_affine(const gltf_node *n); /* against its parent */

/* Of all nodes, in the space of the scene, without animation. */
void gltf_find_globals(const gltf *g, affine *out);

/* Of the mesh of a node: how much of each of its targets. */
const float *gltf_target_weights(const gltf *g, const gltf_node *n);

/* Vertices, and corners of triangles, of all instances. The joints and the targets of a vertex
 * count as vertices, for they are as much work. One mesh may be shown often, but a file of some
 * hundred bytes shall not fill the memory. */
size_t gltf_corner_limit(const gltf *g);

#endif
