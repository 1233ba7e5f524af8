/* What the readers of the parts of a character share. */
#ifndef TOILE_IO_CHARACTER_PARTS_H
#define TOILE_IO_CHARACTER_PARTS_H

#include "io/gltf.h"
#include "model/character.h"

/* Where the nodes of a file went. */
typedef struct character_places {
    int *joints;     /* of nodes; -1: none */
    size_t *targets; /* of nodes: the first target of its mesh; GLTF_NONE: none */
} character_places;

/* Clips of all animations; tracks of nodes that are not part of the character are left out. */
toile_result character_add_clips(const gltf *g, const character_places *places, double scale,
                                 character *c);

/* See character_options. Triangles with two corners in one are left out. */
toile_result character_weld(character *c, double distance);

#endif
