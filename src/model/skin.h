/* What the vertices of a mesh hang on: joints, with weights. */
#ifndef TOILE_MODEL_SKIN_H
#define TOILE_MODEL_SKIN_H

#include <stddef.h>
#include <stdint.h>

#include "toile/toile.h"

/* Floats of a joint's matrix: rows of a 3 x 4 matrix that takes a vertex to where the joint has it.
 */
enum { SKIN_FLOATS = 12 };

typedef struct skin {
    toile_skinning kind;
    size_t joint_count;
    size_t influences; /* joints of a vertex */
    uint32_t *joints;  /* influences a vertex */
    float *weights;    /* as many; of a vertex they sum to 1 */
    float *motions;    /* dual quaternions: 8 a joint, scratch */
} skin;

/* Copies and checks; weights that nearly sum to 1 then do. */
toile_result skin_create(skin *s, const toile_skin_def *def, size_t vertices);
void skin_free(skin *s); /* zeroed is fine */

/* Where the vertices are. positions and out: 3 a vertex. */
void skin_apply(const skin *s, const float *matrices, const float *positions, size_t vertices,
                float *out);

#endif
