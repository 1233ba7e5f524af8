#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/character_parts.h"

/* Keys of rotations as units, for arcs are measured between them; the keys of a spline stay, with
 * which their tangents belong together. */
static void make_units(character_track *t) {
    for (size_t key = 0; key < t->keys; key++) {
        float *v = t->values + 4 * key;
        quat q = quat_normalize((quat){(double)v[0], (double)v[1], (double)v[2], (double)v[3]});
        v[0] = (float)q.x;
        v[1] = (float)q.y;
        v[2] = (float)q.z;
        v[3] = (float)q.w;
    }
}

static toile_result copy_channel(const gltf_channel *channel, int joint, double scale,
                                 character_track *t) {
    static const track_path paths[] = {[GLTF_TRANSLATION] = TRACK_TRANSLATION,
                                       [GLTF_ROTATION] = TRACK_ROTATION,
                                       [GLTF_SCALE] = TRACK_SCALE,
                                       [GLTF_WEIGHTS] = TRACK_WEIGHTS};
    static const track_interpolation kinds[] = {
        [GLTF_LINEAR] = TRACK_LINEAR, [GLTF_STEP] = TRACK_STEP, [GLTF_CUBIC_SPLINE] = TRACK_CUBIC};
    *t = (character_track){.joint = joint,
                           .path = paths[channel->path],
                           .interpolation = kinds[channel->interpolation],
                           .keys = channel->key_count,
                           .targets = channel->path == GLTF_WEIGHTS ? channel->width : 0};
    size_t numbers = channel->width * t->keys * (t->interpolation == TRACK_CUBIC ? 3 : 1);
    t->times = memory_alloc(t->keys, sizeof *t->times, "an animation");
    t->values = memory_alloc(numbers, sizeof *t->values, "an animation");
    if (!t->times || !t->values) {
        return TOILE_ERROR_MEMORY;
    }
    memcpy(t->times, channel->times, t->keys * sizeof *t->times);
    memcpy(t->values, channel->values, numbers * sizeof *t->values);
    for (size_t i = 0; t->path == TRACK_TRANSLATION && i < numbers; i++) {
        t->values[i] = (float)(scale * (double)t->values[i]);
    }
    if (t->path == TRACK_ROTATION && t->interpolation != TRACK_CUBIC) {
        make_units(t);
    }
    return TOILE_OK;
}

static toile_result add_clip(const gltf_animation *a, size_t number, const character_places *places,
                             double scale, character_clip *clip) {
    char name[32];
    snprintf(name, sizeof name, "animation %zu", number);
    clip->name = memory_string(a->name[0] ? a->name : name);
    clip->length = (double)a->duration;
    clip->loop = a->cycle;
    clip->tracks = memory_alloc(a->channel_count, sizeof *clip->tracks, "an animation");
    toile_result result = clip->name && clip->tracks ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t i = 0; i < a->channel_count && result == TOILE_OK; i++) {
        const gltf_channel *channel = &a->channels[i];
        bool weights = channel->path == GLTF_WEIGHTS;
        if (weights ? places->targets[channel->node] == GLTF_NONE
                    : places->joints[channel->node] < 0) {
            continue;
        }
        int at = weights ? (int)places->targets[channel->node] : places->joints[channel->node];
        result = copy_channel(channel, at, scale, &clip->tracks[clip->track_count++]);
    }
    return result;
}

/* A root is a joint with tracks that has none with tracks above it. */
static toile_result find_roots(character *c) {
    bool *moves = memory_alloc(c->joint_count, sizeof *moves, "joints");
    if (!moves) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t i = 0; i < c->clip_count; i++) {
        for (size_t k = 0; k < c->clips[i].track_count; k++) {
            const character_track *t = &c->clips[i].tracks[k];
            if (t->path != TRACK_WEIGHTS) {
                moves[t->joint] = true;
            }
        }
    }
    for (size_t j = 0; j < c->joint_count; j++) {
        int parent = c->skeleton[j].parent;
        bool carried = parent >= 0 && moves[parent];
        c->skeleton[j].root = moves[j] && !carried;
        moves[j] = moves[j] || carried;
    }
    free(moves);
    return TOILE_OK;
}

toile_result character_add_clips(const gltf *g, const character_places *places, double scale,
                                 character *c) {
    c->clips = memory_alloc(g->animation_count, sizeof *c->clips, "animations");
    toile_result result = c->clips ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t i = 0; i < g->animation_count && result == TOILE_OK; i++) {
        result = add_clip(&g->animations[i], i, places, scale, &c->clips[c->clip_count++]);
    }
    return result == TOILE_OK ? find_roots(c) : result;
}
