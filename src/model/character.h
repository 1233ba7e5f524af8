/* Characters: a mesh that hangs on joints, and the motions of the joints. Plain data, however it
 * was made: by src/figure or from a file (io/character_read.h). What a character does over time is
 * model/performance.h; where its vertices are then, model/skinning.h. */
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
double affine_determinant(const affine *a);

/* Without scale: b first, then a. The scale is that of b. */
transform transform_after(const transform *a, const transform *b);
transform transform_inverse(const transform *a); /* scale not looked at */

typedef struct character_joint {
    char *name;
    int parent; /* a joint before this one, or -1 */
    transform rest;
    affine inverse_bind; /* from where the mesh was bound to the joint's frame */
    bool root; /* its motion is that of the whole: no joint above it moves. Without a parent, too */
} character_joint;

typedef enum track_path {
    TRACK_TRANSLATION,
    TRACK_ROTATION,
    TRACK_SCALE,
    TRACK_WEIGHTS /* of morph targets */
} track_path;

/* Between two keys, as glTF has it: linear, rotations along the shorter arc at constant speed; the
 * earlier key; or a cubic Hermite spline, whose rotations are made units. Before the first and
 * after the last key, values stay. */
typedef enum track_interpolation { TRACK_LINEAR, TRACK_STEP, TRACK_CUBIC } track_interpolation;

/* What a joint, or the weights of some morph targets, do over time. */
typedef struct character_track {
    int joint; /* of TRACK_WEIGHTS: the first target */
    track_path path;
    size_t keys;   /* at least 1; of TRACK_CUBIC 2 */
    float *times;  /* s, ascending */
    float *values; /* width per key, 4 being x y z w; of TRACK_CUBIC in-tangent, value, out-tangent
                      per key */
    track_interpolation interpolation;
    size_t targets; /* of TRACK_WEIGHTS: how many, from the first on */
} character_track;

typedef struct character_clip {
    char *name;
    double length; /* s */
    bool loop;     /* its end leads into its beginning, but for the way of the root */
    character_track *tracks;
    size_t track_count;
} character_clip;

/* What a weight of one adds to some vertices, where the mesh is bound. */
typedef struct character_target {
    float weight; /* by default */
    size_t count;
    uint32_t *vertices; /* ascending */
    float *deltas;      /* m, 3 per vertex of those */
} character_target;

typedef struct character {
    size_t vertices, triangles;
    size_t influences; /* joints per vertex at most; at least 1 */
    float *positions;  /* m, 3 per vertex, where the mesh was bound */
    uint32_t *indices; /* 3 per triangle, counter-clockwise from outside */
    uint16_t *joints;  /* influences per vertex */
    float *weights;    /* as many, the largest first; they sum to 1, and behind a 0 all are 0 */

    character_joint *skeleton;
    size_t joint_count;
    character_clip *clips;
    size_t clip_count;
    character_target *targets;
    size_t target_count;
} character;

void character_free(character *c); /* zeroed is fine */

/* The clip of that name, or NULL. */
const character_clip *character_find_clip(const character *c, const char *name);

/* Numbers that a key of a track has, tangents not counted: 3, 4, or as many as it has targets. */
size_t track_width(const character_track *t);

/* The value of a track at a time: that of the joint it is for, or of its targets. */
void track_sample_joint(const character_track *t, double time, transform *out);
void track_sample_weights(const character_track *t, double time, float *out);

/* When a clip is looked at: a time within it, and whole rounds of a loop before that. */
typedef struct clip_moment {
    double within; /* s, 0 to the length */
    double rounds; /* whole; less than 0 where time runs backwards */
} clip_moment;

/* A clip that loops goes on for ever, both ways; one that does not stays at its ends. */
clip_moment clip_moment_at(const character_clip *clip, double time, bool loop);

/* The way that the root joint goes in a round, which is how the last key differs from the first.
 * The power takes it so many times, less than 0 backwards. */
transform clip_way(const character *c, const character_clip *clip, size_t joint);
transform transform_power(const transform *way, double times);

bool character_is_root(const character *c, size_t joint);

/* The transforms of all joints against their parents at a moment of a clip; those without a track
 * are at rest. Rounds are added up: a root goes on from where the last one left it. Without root
 * motion roots stay where the clip begins. weights: of the morph targets; NULL: not wanted. */
void character_sample_moment(const character *c, const character_clip *clip, clip_moment at,
                             bool root_motion, transform *locals, float *weights);

/* The same at a time, the clip looping as it says it does. clip NULL: the rest pose. */
void character_sample(const character *c, const character_clip *clip, double time, bool root_motion,
                      transform *locals);

/* What takes a bound vertex to where the joint has it now: one matrix per joint. */
void character_skin_matrices(const character *c, const transform *locals, affine *out);

#endif
