/* Where the vertices of a character are, for given matrices of its joints. */
#ifndef TOILE_MODEL_SKINNING_H
#define TOILE_MODEL_SKINNING_H

#include "kernel/skin.h"
#include "model/character.h"

typedef enum skinning { SKINNING_LINEAR, SKINNING_DUAL_QUATERNION } skinning;

/* The matrices of character_skin_matrices rounded to floats, which is how they are skinned by. */
void skin_rows_from_affine(const affine *matrices, size_t count, skin_rows *out);

/* The same as rigid motions and stretches. Any matrix: one that mirrors has a stretch that does,
 * and one that flattens has a motion without a turn. */
void skin_joints_from_rows(const skin_rows *matrices, size_t count, skin_joint *out);

/* Bound positions with the morph targets added. weights: one per target. out: 3 per vertex. */
void character_morph(const character *c, const float *weights, float *out);

/* Vertices from first to before end. positions: those of the character or of character_morph. out:
 * 3 for each vertex of the character, also when not all are asked for: threads share it. Each
 * vertex is independent of all others, so the result does not depend on how they are shared. */
void character_skin_linear(const character *c, const float *positions, const skin_rows *matrices,
                           size_t first, size_t end, float *out);
void character_skin_dual(const character *c, const float *positions, const skin_joint *joints,
                         size_t first, size_t end, float *out);

/* All vertices, without morph targets, by linear blend. out: 3 per vertex. */
void character_skin(const character *c, const skin_rows *matrices, float *out);

#endif
