/* Where the vertices of a character are, for given matrices of its joints. */
#ifndef TOILE_MODEL_SKINNING_H
#define TOILE_MODEL_SKINNING_H

#include "model/character.h"
#include "model/skin.h"

/* The matrices of character_skin_matrices rounded to floats, which is how they are skinned by. */
void skin_rows_from_affine(const affine *matrices, size_t count, skin_rows *out);

/* Bound positions with the morph targets added. weights: one per target. out: 3 per vertex. */
void character_morph(const character *c, const float *weights, float *out);

/* skin_linear() and skin_dual() for a character. positions: its own or those of character_morph. */
void character_skin_linear(const character *c, const float *positions, const skin_rows *matrices,
                           size_t first, size_t end, float *out);
void character_skin_dual(const character *c, const float *positions, const skin_joint *joints,
                         size_t first, size_t end, float *out);

/* All vertices, without morph targets, by linear blend. out: 3 per vertex. */
void character_skin(const character *c, const skin_rows *matrices, float *out);

#endif
