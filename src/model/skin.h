/* What the vertices of a mesh hang on, joints with weights, and where they are then: the drivers of
 * kernel/skin.h. */
#ifndef TOILE_MODEL_SKIN_H
#define TOILE_MODEL_SKIN_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/skin.h"
#include "toile/toile.h"

/* Floats of a joint's matrix: rows of a 3 x 4 matrix that takes a vertex to where the joint has it.
 */
enum { SKIN_FLOATS = 12 };
_Static_assert(sizeof(skin_rows) == SKIN_FLOATS * sizeof(float), "rows lie one behind the other");

/* The joints of vertices, whoever owns them. */
typedef struct skin_weights {
    size_t influences;      /* joints of a vertex */
    const uint16_t *joints; /* influences a vertex */
    const float *weights;   /* as many; of a vertex they sum to 1, and behind a 0 all are 0 */
} skin_weights;

/* Matrices as rigid motions and stretches. Any matrix: one that mirrors has a stretch that does,
 * and one that flattens has a motion without a turn. */
void skin_joints_from_rows(const skin_rows *matrices, size_t count, skin_joint *out);

/* Vertices from first to before end. positions and out: 3 for each vertex there is, also when not
 * all are asked for: threads share them. Each vertex is independent of all others, so the result
 * does not depend on how they are shared. */
void skin_linear(const skin_weights *w, const float *positions, const skin_rows *matrices,
                 size_t first, size_t end, float *out);
void skin_dual(const skin_weights *w, const float *positions, const skin_joint *joints,
               size_t first, size_t end, float *out);

/* What a body hangs on. */
typedef struct body_skin {
    toile_skinning kind;
    size_t joint_count;
    size_t influences; /* joints of a vertex */
    uint16_t *joints;  /* and the next: as above */
    float *weights;
    skin_joint *motions; /* of dual quaternions: scratch */
} body_skin;

/* Copies and checks; weights that nearly sum to 1 then do. */
toile_result skin_create(body_skin *s, const toile_skin_def *def, size_t vertices);
void skin_free(body_skin *s); /* zeroed is fine */

/* Where the vertices are. positions and out: 3 a vertex. */
void skin_apply(const body_skin *s, const float *matrices, const float *positions, size_t vertices,
                float *out);

#endif
