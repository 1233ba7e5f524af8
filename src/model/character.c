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

double affine_determinant(const affine *a) {
    const double(*m)[4] = a->row;
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
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
    for (size_t t = 0; t < c->target_count; t++) {
        free(c->targets[t].vertices);
        free(c->targets[t].deltas);
    }
    free(c->targets);
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

/* ---- tracks -------------------------------------------------------------------------------------
 */

size_t track_width(const character_track *t) {
    return t->path == TRACK_WEIGHTS ? t->targets : t->path == TRACK_ROTATION ? 4 : 3;
}

/* The value of a key; its tangents stand before and behind. */
static const float *key_value(const character_track *t, size_t key) {
    size_t width = track_width(t);
    return t->interpolation == TRACK_CUBIC ? t->values + width * (3 * key + 1)
                                           : t->values + width * key;
}

static quat key_rotation(const character_track *t, size_t key) {
    const float *v = key_value(t, key);
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
    if (t->interpolation != TRACK_STEP && high < t->keys && time > (double)t->times[low]) {
        double from = (double)t->times[low], to = (double)t->times[high];
        *fraction = (time - from) / (to - from);
    }
    return low;
}

/* Number k of the track between a key and the next. Splines as in appendix C of the specification
 * of glTF 2.0; the tangents are slopes per second. */
static double between_keys(const character_track *t, size_t key, double fraction, size_t k) {
    const float *now = key_value(t, key);
    if (fraction == 0.0) {
        return (double)now[k];
    }
    const float *next = key_value(t, key + 1);
    double a = (double)now[k], b = (double)next[k], u = fraction, uu = u * u, uuu = uu * u;
    if (t->interpolation == TRACK_LINEAR) {
        return a + (b - a) * u;
    }
    size_t width = track_width(t);
    double span = (double)t->times[key + 1] - (double)t->times[key];
    double out_slope = span * (double)now[width + k], in_slope = span * (double)(next - width)[k];
    return (2.0 * uuu - 3.0 * uu + 1.0) * a + (uuu - 2.0 * uu + u) * out_slope +
           (3.0 * uu - 2.0 * uuu) * b + (uuu - uu) * in_slope;
}

void track_sample_joint(const character_track *t, double time, transform *out) {
    double fraction;
    size_t key = find_key(t, time, &fraction), next = key + (fraction > 0.0);
    if (t->path == TRACK_ROTATION && t->interpolation == TRACK_CUBIC) {
        double q[4];
        for (size_t k = 0; k < 4; k++) {
            q[k] = between_keys(t, key, fraction, k);
        }
        out->rotation = quat_normalize((quat){q[0], q[1], q[2], q[3]});
        return;
    }
    if (t->path == TRACK_ROTATION) {
        out->rotation =
            quat_normalize(quat_slerp(key_rotation(t, key), key_rotation(t, next), fraction));
        return;
    }
    double *value = t->path == TRACK_TRANSLATION ? out->translation : out->scale;
    for (size_t k = 0; k < 3; k++) {
        value[k] = between_keys(t, key, fraction, k);
    }
}

void track_sample_weights(const character_track *t, double time, float *out) {
    double fraction;
    size_t key = find_key(t, time, &fraction);
    for (size_t k = 0; k < t->targets; k++) {
        out[k] = (float)between_keys(t, key, fraction, k);
    }
}

/* ---- ways of roots ------------------------------------------------------------------------------
 */

transform transform_after(const transform *a, const transform *b) {
    transform product = *b;
    quat_rotate(a->rotation, b->translation, product.translation);
    for (int k = 0; k < 3; k++) {
        product.translation[k] += a->translation[k];
    }
    product.rotation = quat_normalize(quat_multiply(a->rotation, b->rotation));
    return product;
}

transform transform_inverse(const transform *a) {
    transform inverse = transform_identity;
    inverse.rotation = quat_conjugate(a->rotation);
    double back[3] = {-a->translation[0], -a->translation[1], -a->translation[2]};
    quat_rotate(inverse.rotation, back, inverse.translation);
    return inverse;
}

/* Squares, so that a year of rounds takes no longer than a few. */
transform transform_power(const transform *way, double times) {
    transform square = times < 0.0 ? transform_inverse(way) : *way, power = transform_identity;
    for (double left = floor(fabs(times)); left >= 1.0; left = floor(0.5 * left)) {
        if (fmod(left, 2.0) != 0.0) {
            power = transform_after(&square, &power);
        }
        square = transform_after(&square, &square);
    }
    return power;
}

static void sample_joint(const character_clip *clip, size_t joint, double time, transform *out) {
    for (size_t t = 0; t < clip->track_count; t++) {
        const character_track *track = &clip->tracks[t];
        if (track->path != TRACK_WEIGHTS && track->joint == (int)joint) {
            track_sample_joint(track, time, out);
        }
    }
}

transform clip_way(const character *c, const character_clip *clip, size_t joint) {
    transform first = c->skeleton[joint].rest, last = first;
    sample_joint(clip, joint, 0.0, &first);
    sample_joint(clip, joint, clip->length, &last);
    transform inverse = transform_inverse(&first);
    return transform_after(&last, &inverse);
}

bool character_is_root(const character *c, size_t joint) {
    return c->skeleton[joint].parent < 0 || c->skeleton[joint].root;
}

/* ---- sampling -----------------------------------------------------------------------------------
 */

clip_moment clip_moment_at(const character_clip *clip, double time, bool loop) {
    clip_moment at = {time, 0.0};
    if (loop && clip->length > 0.0) {
        at.rounds = floor(time / clip->length);
        at.within = time - at.rounds * clip->length;
    }
    at.within = fmin(fmax(at.within, 0.0), clip->length);
    return at;
}

void character_sample_moment(const character *c, const character_clip *clip, clip_moment at,
                             bool root_motion, transform *locals, float *weights) {
    for (size_t j = 0; j < c->joint_count; j++) {
        locals[j] = c->skeleton[j].rest;
    }
    for (size_t t = 0; weights && t < c->target_count; t++) {
        weights[t] = c->targets[t].weight;
    }
    for (size_t t = 0; t < clip->track_count; t++) {
        const character_track *track = &clip->tracks[t];
        if (track->path == TRACK_WEIGHTS) {
            if (weights) {
                track_sample_weights(track, at.within, weights + track->joint);
            }
            continue;
        }
        bool still = !root_motion && character_is_root(c, (size_t)track->joint);
        track_sample_joint(track, still ? 0.0 : at.within, &locals[track->joint]);
    }
    for (size_t j = 0; j < c->joint_count && root_motion && at.rounds != 0.0; j++) {
        if (character_is_root(c, j)) {
            transform way = clip_way(c, clip, j), rounds = transform_power(&way, at.rounds);
            locals[j] = transform_after(&rounds, &locals[j]);
        }
    }
}

void character_sample(const character *c, const character_clip *clip, double time, bool root_motion,
                      transform *locals) {
    if (clip) {
        clip_moment at = clip_moment_at(clip, time, clip->loop);
        character_sample_moment(c, clip, at, root_motion, locals, NULL);
        return;
    }
    for (size_t j = 0; j < c->joint_count; j++) {
        locals[j] = c->skeleton[j].rest;
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
