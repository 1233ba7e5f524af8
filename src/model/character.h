/* Characters: a mesh that hangs on joints, and the motions of the joints. Plain data, however it
 * was made: by src/figure or from a file. */
#ifndef TOILE_MODEL_CHARACTER_H
#define TOILE_MODEL_CHARACTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/rotation.h"
#include "toile/toile.h"

/* Of a joint against its parent: scaled first, then turned, then moved. */
typedef struct transform {
    double translation[3]; /* m */
    quat rotation;
    double scale[3];
} transform;

static const transform transform_identity = {
    {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 1.0}, {1.0, 1.0, 1.0}};

/* Rows of a 3 x 4 matrix that points, as columns with a 1 below, are multiplied by. */
typedef struct affine {
    double row[3][4];
} affine;

affine affine_from_transform(const transform *t);
affine affine_multiply(const affine *a, const affine *b); /* b first, then a */
void affine_apply(const affine *a, const double in[3], double out[3]);

typedef struct character_joint {
    char *name;
    int parent; /* a joint before this one, or -1 */
    transform rest;
    affine inverse_bind; /* from where the mesh was bound to the joint's frame */
} character_joint;

typedef enum track_path { TRACK_TRANSLATION, TRACK_ROTATION, TRACK_SCALE } track_path;

/* What a joint does over time. Between two keys values are interpolated linearly, rotations along
 * the shorter arc at constant speed; before the first and after the last key they stay. */
typedef struct character_track {
    int joint;
    track_path path;
    size_t keys;   /* at least 1 */
    float *times;  /* s, ascending */
    float *values; /* 3 per key, or 4: x y z w */
} character_track;

typedef struct character_clip {
    char *name;
    double length; /* s */
    bool loop;     /* its end leads into its beginning, but for the way of the root */
    character_track *tracks;
    size_t track_count;
} character_clip;

enum { CHARACTER_WEIGHTS = 4 }; /* joints per vertex at most */

typedef struct character {
    size_t vertices, triangles;
    float *positions;  /* m, 3 per vertex, where the mesh was bound */
    uint32_t *indices; /* 3 per triangle, counter-clockwise from outside */
    uint16_t *joints;  /* CHARACTER_WEIGHTS per vertex */
    float *weights;    /* as many; they sum to 1 */

    character_joint *skeleton;
    size_t joint_count;
    character_clip *clips;
    size_t clip_count;
} character;

void character_free(character *c); /* zeroed is fine */

/* The clip of that name, or NULL. */
const character_clip *character_find_clip(const character *c, const char *name);

/* The transforms of all joints against their parents at a time of a clip; those without a track are
 * at rest. A clip that loops goes on for ever: its time is wrapped, and the way of a joint that has
 * no parent, which is where the last key leaves it, is added up. Without root motion such joints
 * stay where the clip begins. clip NULL: the rest pose. */
void character_sample(const character *c, const character_clip *clip, double time, bool root_motion,
                      transform *locals);

/* What takes a bound vertex to where the joint has it now: one matrix per joint. */
void character_skin_matrices(const character *c, const transform *locals, affine *out);

/* Linear blend skinning: every vertex by the mean of its matrices. out: 3 per vertex. */
void character_skin(const character *c, const affine *matrices, float *out);

#endif
