/* Which point of a cloth a ray meets first. */
#ifndef TOILE_VIEW_PICK_H
#define TOILE_VIEW_PICK_H

#include "io/mesh.h"
#include "kernel/prelude.h"

typedef struct pick {
    bool found;
    int cloth;
    float point[2]; /* m, in the flat cloth */
    float place[3]; /* m, in space */
    float distance; /* in lengths of the ray's direction */
} pick;

/* coordinates are needed of the meshes, one a cloth. Both sides of a triangle count. */
pick pick_cloth(const mesh_view *meshes, int count, v3 origin, v3 direction);

#endif
