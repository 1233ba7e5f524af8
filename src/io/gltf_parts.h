/* The readers of the parts of a glTF document, in the order in which they are called. */
#ifndef TOILE_IO_GLTF_PARTS_H
#define TOILE_IO_GLTF_PARTS_H

#include "io/gltf.h"
#include "io/gltf_file.h"

toile_result gltf_read_meshes(gltf_file *f, gltf *g);
toile_result gltf_read_skins(gltf_file *f, gltf *g);
toile_result gltf_read_nodes(gltf_file *f, gltf *g);
toile_result gltf_read_animations(gltf_file *f, gltf *g);

/* The name of something, "" when it has none. */
toile_result gltf_read_name(const node *at, gltf *g, const char **out);

#endif
