/* Characters from glTF 2.0 files.
 *
 * All meshes that the file's scene shows become one array of vertices. Joints are the joints of all
 * skins in use, nodes that carry a mesh without a skin, and all nodes above them; the order is
 * parents first. A node that two skins bind differently is there twice: the second time as a child
 * of the first that does not move against it. Vertices of a mesh without a skin hang on its node
 * with weight 1. Cameras, materials and coordinates are left out. */
#ifndef TOILE_IO_CHARACTER_READ_H
#define TOILE_IO_CHARACTER_READ_H

#include "io/gltf.h"
#include "model/character.h"

typedef struct character_options {
    double scale; /* all lengths times this; 1e-6 to 1e6 */
    /* m, after scaling: vertices at most this far apart that hang on the same joints by the same
     * weights become one, as seams of texture coordinates ask for. 0: at the same place. Below 0:
     * none. Weights are the same when their differences sum to at most 0.02. */
    double weld;
} character_options;

character_options character_options_default(void); /* scale 1, weld 0 */

/* Animations without a name are called "animation 0" and so on by their place. One loops when its
 * extras have "cycle": true. Refused, in a sentence that names file and item: what the reader of
 * glTF refuses, files that show no triangles, joints whose matrices flatten, matrices of nodes that
 * are no translation, rotation and scale, more than 65535 joints, and what is farther than 10 km
 * from the origin, or all within 0.1 mm of it, at rest. Free with character_free. */
toile_result character_read(const char *path, const character_options *options, character *out);

/* The same of a file that is read; name stands for it in messages. */
toile_result character_from_gltf(const gltf *g, const char *name, const character_options *options,
                                 character *out);

#endif
