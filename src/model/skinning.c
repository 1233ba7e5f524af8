#include "model/skinning.h"

#include <string.h>

static v4 row_to_floats(const double row[4]) {
    return (v4){(float)row[0], (float)row[1], (float)row[2], (float)row[3]};
}

void skin_rows_from_affine(const affine *matrices, size_t count, skin_rows *out) {
    for (size_t j = 0; j < count; j++) {
        out[j].x = row_to_floats(matrices[j].row[0]);
        out[j].y = row_to_floats(matrices[j].row[1]);
        out[j].z = row_to_floats(matrices[j].row[2]);
    }
}

void character_morph(const character *c, const float *weights, float *out) {
    memcpy(out, c->positions, 3 * c->vertices * sizeof *out);
    for (size_t t = 0; t < c->target_count; t++) {
        const character_target *target = &c->targets[t];
        for (size_t i = 0; weights[t] != 0.0f && i < target->count; i++) {
            float *at = out + 3 * (size_t)target->vertices[i];
            for (size_t k = 0; k < 3; k++) {
                at[k] += weights[t] * target->deltas[3 * i + k];
            }
        }
    }
}

static skin_weights weights_of(const character *c) {
    return (skin_weights){c->influences, c->joints, c->weights};
}

void character_skin_linear(const character *c, const float *positions, const skin_rows *matrices,
                           size_t first, size_t end, float *out) {
    skin_weights weights = weights_of(c);
    skin_linear(&weights, positions, matrices, first, end, out);
}

void character_skin_dual(const character *c, const float *positions, const skin_joint *joints,
                         size_t first, size_t end, float *out) {
    skin_weights weights = weights_of(c);
    skin_dual(&weights, positions, joints, first, end, out);
}

void character_skin(const character *c, const skin_rows *matrices, float *out) {
    character_skin_linear(c, c->positions, matrices, 0, c->vertices, out);
}
