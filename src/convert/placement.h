/* How lengths and axes of a file become metres with y up. */
#ifndef TOILE_CONVERT_PLACEMENT_H
#define TOILE_CONVERT_PLACEMENT_H

#include "convert/tree.h"

/* Assimp leaves the scale of a Collada file in the matrix of the root. We take it out, and into
 * lengths, so that nodes and joints have no scale that the artist did not give them. */
typedef struct placement {
    double root_scale; /* in the root's matrix; 1: none */
    double outside;    /* of the root's own translation: m per unit around it */
    double inside;     /* of all other lengths: outside * root_scale */
    char up;           /* of the file, still to be turned: 'x', 'y' or 'z' */
    char reason[160];  /* of the scale, as a sentence */
} placement;

/* scale: m per unit of the file; 0: as the file says. up: 0: the same. */
placement placement_find(const struct aiScene *scene, const tree *t, const char *path, double scale,
                         char up);

/* The rotation from the file's axes to ours, x y z w. */
void placement_turn(char up, double out[4]);

#endif
