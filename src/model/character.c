#include "model/character.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* ---- matrices -----------------------------------------------------------------------------------
 */

affine affine_from_transform(const transform *t) {
    affine a;
    for (int column = 0; column < 3; column++) {
        double axis[3] = {0.0, 0.0, 0.0}, turned[3];
        axis[column] = t->scale[column];
        quat_rotate(t->rotation, axis, turned);
        for (int k = 0; k < 3; k++) {
            a.row[k][column] = turned[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        a.row[k][3] = t->translation[k];
    }
    return a;
}

affine affine_multiply(const affine *a, const affine *b) {
    affine product;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 4; j++) {
            double sum = j == 3 ? a->row[i][3] : 0.0;
            for (int k = 0; k < 3; k++) {
                sum += a->row[i][k] * b->row[k][j];
            }
            product.row[i][j] = sum;
        }
    }
    return product;
}

void affine_apply(const affine *a, const double in[3], double out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = a->row[k][0] * in[0] + a->row[k][1] * in[1] + a->row[k][2] * in[2] + a->row[k][3];
    }
}

/* ---- characters ---------------------------------------------------------------------------------
 */

void character_free(character *c) {
    free(c->positions);
    free(c->indices);
    free(c->joints);
    free(c->weights);
    for (size_t j = 0; j < c->joint_count; j++) {
        free(c->skeleton[j].name);
    }
    free(c->skeleton);
    for (size_t i = 0; i < c->clip_count; i++) {
        character_clip *clip = &c->clips[i];
        for (size_t t = 0; t < clip->track_count; t++) {
            free(clip->tracks[t].times);
            free(clip->tracks[t].values);
        }
        free(clip->tracks);
        free(clip->name);
    }
    free(c->clips);
    *c = (character){0};
}

const character_clip *character_find_clip(const character *c, const char *name) {
    for (size_t i = 0; i < c->clip_count; i++) {
        if (strcmp(c->clips[i].name, name) == 0) {
            return &c->clips[i];
        }
    }
    return NULL;
}

/* ---- sampling -----------------------------------------------------------------------------------
 */

static quat key_rotation(const character_track *t, size_t key) {
    const float *v = t->values + 4 * key;
    return (quat){(double)v[0], (double)v[1], (double)v[2], (double)v[3]};
}

/* The last key at or before the time, and how far it is to the next. */
static size_t find_key(const character_track *t, double time, double *fraction) {
    size_t low = 0, high = t->keys;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if ((double)t->times[middle] <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    *fraction = 0.0;
    if (high < t->keys && time > (double)t->times[low]) {
        double from = (double)t->times[low], to = (double)t->times[high];
        *fraction = (time - from) / (to - from);
    }
    return low;
}

static void sample_track(const character_track *t, double time, transform *out) {
    double fraction;
    size_t key = find_key(t, time, &fraction), next = key + (fraction > 0.0);
    if (t->path == TRACK_ROTATION) {
        out->rotation =
            quat_normalize(quat_slerp(key_rotation(t, key), key_rotation(t, next), fraction));
        return;
    }
    double *value = t->path == TRACK_TRANSLATION ? out->translation : out->scale;
    for (size_t k = 0; k < 3; k++) {
        double a = (double)t->values[3 * key + k], b = (double)t->values[3 * next + k];
        value[k] = a + (b - a) * fraction;
    }
}

static void sample_joint(const character_clip *clip, int joint, double time, transform *out) {
    for (size_t t = 0; t < clip->track_count; t++) {
        if (clip->tracks[t].joint == joint) {
            sample_track(&clip->tracks[t], time, out);
        }
    }
}

static transform transform_after(const transform *a, const transform *b) {
    transform product = *b;
    quat_rotate(a->rotation, b->translation, product.translation);
    for (int k = 0; k < 3; k++) {
        product.translation[k] += a->translation[k];
    }
    product.rotation = quat_normalize(quat_multiply(a->rotation, b->rotation));
    return product;
}

static transform transform_inverse(const transform *a) {
    transform inverse = transform_identity;
    inverse.rotation = quat_conjugate(a->rotation);
    double back[3] = {-a->translation[0], -a->translation[1], -a->translation[2]};
    quat_rotate(inverse.rotation, back, inverse.translation);
    return inverse;
}

/* The root goes on from where the last round left it. */
static void add_rounds(const character *c, const character_clip *clip, int joint, double rounds,
                       transform *out) {
    transform first = c->skeleton[joint].rest, last = first;
    sample_joint(clip, joint, 0.0, &first);
    sample_joint(clip, joint, clip->length, &last);
    transform inverse = transform_inverse(&first);
    transform way = transform_after(&last, &inverse);
    for (int64_t round = 0; round < (int64_t)rounds; round++) {
        *out = transform_after(&way, out);
    }
}

void character_sample(const character *c, const character_clip *clip, double time, bool root_motion,
                      transform *locals) {
    for (size_t j = 0; j < c->joint_count; j++) {
        locals[j] = c->skeleton[j].rest;
    }
    if (!clip) {
        return;
    }
    double rounds = clip->loop && clip->length > 0.0 ? floor(time / clip->length) : 0.0;
    double within = time - rounds * clip->length;
    for (size_t t = 0; t < clip->track_count; t++) {
        const character_track *track = &clip->tracks[t];
        bool still = c->skeleton[track->joint].parent < 0 && !root_motion;
        sample_track(track, still ? 0.0 : within, &locals[track->joint]);
    }
    for (size_t j = 0; j < c->joint_count && root_motion && rounds > 0.0; j++) {
        if (c->skeleton[j].parent < 0) {
            add_rounds(c, clip, (int)j, rounds, &locals[j]);
        }
    }
}

/* ---- skinning -----------------------------------------------------------------------------------
 */

void character_skin_matrices(const character *c, const transform *locals, affine *out) {
    for (size_t j = 0; j < c->joint_count; j++) {
        affine local = affine_from_transform(&locals[j]);
        int parent = c->skeleton[j].parent;
        TOILE_ASSERT(parent < (int)j);
        out[j] = parent < 0 ? local : affine_multiply(&out[parent], &local);
    }
    for (size_t j = 0; j < c->joint_count; j++) {
        out[j] = affine_multiply(&out[j], &c->skeleton[j].inverse_bind);
    }
}

void character_skin(const character *c, const affine *matrices, float *out) {
    for (size_t v = 0; v < c->vertices; v++) {
        double at[3], sum[3] = {0.0, 0.0, 0.0};
        for (size_t k = 0; k < 3; k++) {
            at[k] = (double)c->positions[3 * v + k];
        }
        for (size_t i = CHARACTER_WEIGHTS * v; i < CHARACTER_WEIGHTS * (v + 1); i++) {
            double weight = (double)c->weights[i], moved[3];
            if (weight > 0.0) {
                affine_apply(&matrices[c->joints[i]], at, moved);
                for (int k = 0; k < 3; k++) {
                    sum[k] += weight * moved[k];
                }
            }
        }
        for (size_t k = 0; k < 3; k++) {
            out[3 * v + k] = (float)sum[k];
        }
    }
}
