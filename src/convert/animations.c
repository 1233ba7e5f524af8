#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "convert/conversion.h"
#include "io/glb_plan.h"

/* Of files that do not say: what Assimp's own viewer takes. */
static const double DEFAULT_TICKS = 25.0; /* per second */

/* One property of one node, as it is read. */
typedef struct track {
    const char *path; /* "translation" ... */
    size_t width;
    size_t count;
    float *times;  /* s */
    float *values; /* width per key */
} track;

typedef struct clock {
    double ticks; /* per second */
    double first; /* tick that is 0 s: glTF has no times before it */
} clock;

/* Keys that are not behind the one before are no motion: one at the same time replaces it, one
 * before it goes. */
static void add_key(track *t, const clock *k, double tick, const float *value) {
    float time = (float)((tick - k->first) / k->ticks);
    if (!isfinite(time) || (t->count > 0 && time < t->times[t->count - 1])) {
        return;
    }
    size_t at = t->count > 0 && time == t->times[t->count - 1] ? t->count - 1 : t->count;
    t->times[at] = time;
    memcpy(t->values + t->width * at, value, t->width * sizeof *value);
    t->count = at + 1;
}

static bool make_room(track *t, size_t keys) {
    t->times = memory_alloc(keys, sizeof *t->times, "an animation");
    t->values = memory_alloc(t->width * keys, sizeof *t->values, "an animation");
    return t->times && t->values;
}

static bool read_vectors(const struct aiVectorKey *keys, size_t count, const clock *k, track *t) {
    if (!make_room(t, count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        add_key(t, k, keys[i].mTime,
                (float[]){keys[i].mValue.x, keys[i].mValue.y, keys[i].mValue.z});
    }
    return true;
}

static bool read_rotations(const struct aiQuatKey *keys, size_t count, const clock *k, track *t) {
    if (!make_room(t, count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct aiQuaternion *q = &keys[i].mValue;
        float unit[4];
        glb_unit_rotation((float[]){q->x, q->y, q->z, q->w}, unit);
        add_key(t, k, keys[i].mTime, unit);
    }
    return true;
}

/* ---- channels -----------------------------------------------------------------------------------
 */

typedef struct animation {
    json_t *samplers, *channels;
    clock clock;
    bool *seen; /* nodes that have their channels */
} animation;

static void write_track(conversion *c, animation *a, size_t node, const track *t) {
    json_int_t times = glb_builder_add(&c->out, glb_floats(t->times, t->count, 1, 0), true);
    json_int_t values =
        glb_builder_add(&c->out, glb_floats(t->values, t->count, t->width, 0), false);
    json_int_t sampler = (json_int_t)json_array_size(a->samplers);
    json_array_append_new(a->samplers, json_pack("{s:I, s:I}", "input", times, "output", values));
    json_array_append_new(a->channels,
                          json_pack("{s:I, s:{s:I, s:s}}", "sampler", sampler, "target", "node",
                                    (json_int_t)node, "path", t->path));
}

static toile_result finish_track(conversion *c, animation *a, size_t node, track *t, bool read) {
    double scale = 1.0;
    if (strcmp(t->path, "translation") == 0) {
        scale = node == 0 ? c->place.outside : c->place.inside;
    }
    toile_result result = read ? conversion_scale(c, t->values, t->width * t->count, scale, t->path,
                                                  c->tree.nodes[node]->mName.data)
                               : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK && t->count > 0) {
        write_track(c, a, node, t);
    }
    free(t->times);
    free(t->values);
    return result;
}

static toile_result add_channels(conversion *c, animation *a, const struct aiNodeAnim *keys) {
    size_t node = tree_find(&c->tree, &keys->mNodeName);
    if (node == TREE_NONE || a->seen[node]) {
        return TOILE_OK;
    }
    a->seen[node] = true;
    track t = {.path = "translation", .width = 3};
    bool read = read_vectors(keys->mPositionKeys, keys->mNumPositionKeys, &a->clock, &t);
    toile_result result = finish_track(c, a, node, &t, read);
    if (result == TOILE_OK) {
        t = (track){.path = "rotation", .width = 4};
        read = read_rotations(keys->mRotationKeys, keys->mNumRotationKeys, &a->clock, &t);
        result = finish_track(c, a, node, &t, read);
    }
    if (result == TOILE_OK) {
        t = (track){.path = "scale", .width = 3};
        read = read_vectors(keys->mScalingKeys, keys->mNumScalingKeys, &a->clock, &t);
        result = finish_track(c, a, node, &t, read);
    }
    return result;
}

/* ---- animations ---------------------------------------------------------------------------------
 */

static clock find_clock(const struct aiAnimation *a) {
    clock k = {.ticks = a->mTicksPerSecond > 0.0 ? a->mTicksPerSecond : DEFAULT_TICKS};
    for (unsigned i = 0; i < a->mNumChannels; i++) {
        const struct aiNodeAnim *keys = a->mChannels[i];
        if (keys->mNumPositionKeys > 0) {
            k.first = fmin(k.first, keys->mPositionKeys[0].mTime);
        }
        if (keys->mNumRotationKeys > 0) {
            k.first = fmin(k.first, keys->mRotationKeys[0].mTime);
        }
        if (keys->mNumScalingKeys > 0) {
            k.first = fmin(k.first, keys->mScalingKeys[0].mTime);
        }
    }
    return k;
}

static toile_result add_animation(conversion *c, const struct aiAnimation *from, json_t *list) {
    animation a = {json_array(), json_array(), find_clock(from),
                   memory_alloc(c->tree.count, sizeof(bool), "an animation")};
    toile_result result = a.seen ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (unsigned i = 0; i < from->mNumChannels && result == TOILE_OK; i++) {
        result = add_channels(c, &a, from->mChannels[i]);
    }
    if (json_array_size(a.channels) > 0) {
        json_array_append_new(list,
                              json_pack("{s:o, s:O, s:O}", "name", conversion_name(&from->mName),
                                        "samplers", a.samplers, "channels", a.channels));
    }
    json_decref(a.samplers);
    json_decref(a.channels);
    free(a.seen);
    return result;
}

toile_result conversion_animations(conversion *c) {
    json_t *list = json_array();
    toile_result result = TOILE_OK;
    for (unsigned i = 0; i < c->scene->mNumAnimations && result == TOILE_OK; i++) {
        result = add_animation(c, c->scene->mAnimations[i], list);
    }
    glb_builder_set(&c->out, "animations", list);
    return result;
}
