/* An Assimp scene on its way to a .glb file.
 *
 * Assimp has an exporter of its own ("glb2"). We do not use it: docs/characters.md says what it
 * gets wrong. */
#ifndef TOILE_CONVERT_CONVERSION_H
#define TOILE_CONVERT_CONVERSION_H

#include "convert/placement.h"
#include "convert/tree.h"
#include "io/glb_builder.h"

enum { CONVERSION_INFLUENCES = 4 }; /* joints per vertex, those with the largest weights */

/* A node that Assimp's scene does not have. */
typedef struct added_node {
    size_t parent; /* node of the tree; TREE_NONE: none */
    const char *name;
    size_t mesh; /* of the scene; TREE_NONE: none, it is a joint */
} added_node;

typedef struct joint {
    size_t node; /* of the file: those of the tree, then added ones */
    float inverse_bind[16];
} joint;

typedef struct skin {
    joint *joints;
    size_t count;
} skin;

/* What became of a mesh. */
typedef struct mesh_place {
    size_t mesh; /* of the file; TREE_NONE: it has no triangles, and is left out */
    size_t skin; /* TREE_NONE: none */
    size_t node; /* the first that shows it; TREE_NONE: none */
} mesh_place;

typedef struct conversion {
    const struct aiScene *scene;
    const char *path; /* for messages */
    tree tree;
    placement place;
    glb_builder out;
    added_node *added;
    size_t added_count;
    skin *skins;
    size_t skin_count;
    mesh_place *meshes; /* one for each of the scene */
    size_t crowded;     /* weights that are left out, because their vertices have larger ones */
} conversion;

/* In this order. Each sets its part of the file. */
toile_result conversion_meshes(conversion *c);
toile_result conversion_skins(conversion *c);
toile_result conversion_nodes(conversion *c);
toile_result conversion_animations(conversion *c);

/* Puts the bones of a mesh into a skin, and four joints and weights, sum 1, for each vertex into
 * arrays of 4 per vertex. */
toile_result conversion_bind(conversion *c, size_t mesh, uint16_t *joints, float *weights);

/* Returns the new node's index in the file. TREE_NONE: not enough memory. */
size_t conversion_add_node(conversion *c, added_node node);

/* As JSON, whatever bytes it has. */
json_t *conversion_name(const struct aiString *name);

/* Scaled floats; refuses what is not finite, naming what it is. */
toile_result conversion_scale(const conversion *c, float *values, size_t count, double scale,
                              const char *what, const char *name);

#endif
