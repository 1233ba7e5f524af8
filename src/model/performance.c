#include "model/performance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct performer {
    performance_action action;
    const character_clip *clip;
    bool loop;
    transform *placement; /* of the roots, each in the frame of its parent: where it begins */
} performer;

struct performance {
    const character *character;
    performer *performers; /* in the order given */
    size_t count;
    bool root_motion;
    size_t *roots; /* joints that are roots and have tracks in some clip */
    size_t root_count;
    /* scratch */
    transform *locals;
    affine *matrices;
    double *weights; /* of targets */
    float *sampled;  /* of targets */
};

performance_action performance_action_default(void) {
    return (performance_action){.weight = 1.0, .speed = 1.0, .end = INFINITY};
}

double performance_presence(const performance_action *a, double time) {
    if (time < a->begin || time > a->end) {
        return 0.0;
    }
    double rise = a->fade_in > 0.0 ? fmin((time - a->begin) / a->fade_in, 1.0) : 1.0;
    double fall = a->fade_out > 0.0 ? fmin((a->end - time) / a->fade_out, 1.0) : 1.0;
    return rise * fall;
}

static double share_of(const performer *f, double time) {
    return f->action.weight * performance_presence(&f->action, time);
}

static double clip_time(const performer *f, double time) {
    return f->action.start + f->action.speed * (time - f->action.begin);
}

/* ---- mixing -------------------------------------------------------------------------------------
 */

/* Sums start from zero, also rotations. The first rotation says which hemisphere. */
static void add_transform(transform *sum, double share, const transform *t) {
    quat *q = &sum->rotation;
    const quat *r = &t->rotation;
    double sign = q->x * r->x + q->y * r->y + q->z * r->z + q->w * r->w < 0.0 ? -share : share;
    q->x += sign * r->x;
    q->y += sign * r->y;
    q->z += sign * r->z;
    q->w += sign * r->w;
    for (int k = 0; k < 3; k++) {
        sum->translation[k] += share * t->translation[k];
        sum->scale[k] += share * t->scale[k];
    }
}

/* The transforms of an action of the base, each root moved to where the action begins. */
static void sample_performer(performance *p, const performer *f, double time) {
    clip_moment at = clip_moment_at(f->clip, clip_time(f, time), f->loop);
    character_sample_moment(p->character, f->clip, at, p->root_motion, p->locals, p->sampled);
    for (size_t r = 0; p->root_motion && r < p->root_count; r++) {
        transform *root = &p->locals[p->roots[r]];
        *root = transform_after(&f->placement[r], root);
    }
}

static void add_pose(performance *p, double share, const transform *joints, const float *targets,
                     transform *locals) {
    for (size_t j = 0; j < p->character->joint_count; j++) {
        add_transform(&locals[j], share, &joints[j]);
    }
    for (size_t t = 0; t < p->character->target_count; t++) {
        p->weights[t] += share * (double)targets[t];
    }
}

static void add_rest(performance *p, double share, transform *locals) {
    const character *c = p->character;
    for (size_t j = 0; j < c->joint_count; j++) {
        p->locals[j] = c->skeleton[j].rest;
    }
    for (size_t t = 0; t < c->target_count; t++) {
        p->sampled[t] = c->targets[t].weight;
    }
    add_pose(p, share, p->locals, p->sampled, locals);
}

static void mix_base(performance *p, double time, transform *locals) {
    const character *c = p->character;
    double total = 0.0, present = 0.0;
    for (size_t i = 0; i < p->count; i++) {
        const performer *f = &p->performers[i];
        double share = f->action.on_top ? 0.0 : share_of(f, time);
        total += share;
        present += share > 0.0 ? performance_presence(&f->action, time) : 0.0;
    }
    present = total > 0.0 ? fmin(present, 1.0) : 0.0;
    memset(locals, 0, c->joint_count * sizeof *locals);
    memset(p->weights, 0, c->target_count * sizeof *p->weights);
    for (size_t i = 0; i < p->count; i++) {
        const performer *f = &p->performers[i];
        double share = f->action.on_top ? 0.0 : share_of(f, time);
        if (share > 0.0) {
            sample_performer(p, f, time);
            add_pose(p, present * share / total, p->locals, p->sampled, locals);
        }
    }
    if (present < 1.0) {
        add_rest(p, 1.0 - present, locals);
    }
    for (size_t j = 0; j < c->joint_count; j++) {
        locals[j].rotation = quat_normalize(locals[j].rotation);
    }
}

/* ---- on top -------------------------------------------------------------------------------------
 */

static void blend_track(const character_track *t, double time, double share, transform *local) {
    transform there = *local, mix = {.rotation = {0.0, 0.0, 0.0, 0.0}};
    track_sample_joint(t, time, &there);
    add_transform(&mix, 1.0 - share, local);
    add_transform(&mix, share, &there);
    if (t->path == TRACK_ROTATION) {
        local->rotation = quat_normalize(mix.rotation);
    } else if (t->path == TRACK_TRANSLATION) {
        memcpy(local->translation, mix.translation, sizeof mix.translation);
    } else {
        memcpy(local->scale, mix.scale, sizeof mix.scale);
    }
}

static void lay_on_top(performance *p, const performer *f, double time, transform *locals) {
    double share = fmin(share_of(f, time), 1.0);
    double within = clip_moment_at(f->clip, clip_time(f, time), f->loop).within;
    for (size_t i = 0; share > 0.0 && i < f->clip->track_count; i++) {
        const character_track *t = &f->clip->tracks[i];
        if (t->path != TRACK_WEIGHTS) {
            blend_track(t, within, share, &locals[t->joint]);
            continue;
        }
        track_sample_weights(t, within, p->sampled);
        for (size_t k = 0; k < t->targets; k++) {
            double *weight = &p->weights[(size_t)t->joint + k];
            *weight = (1.0 - share) * *weight + share * (double)p->sampled[k];
        }
    }
}

void performance_sample(performance *p, double time, transform *locals, float *weights) {
    mix_base(p, time, locals);
    for (size_t i = 0; i < p->count; i++) {
        if (p->performers[i].action.on_top) {
            lay_on_top(p, &p->performers[i], time, locals);
        }
    }
    for (size_t t = 0; weights && t < p->character->target_count; t++) {
        weights[t] = (float)p->weights[t];
    }
}

static bool is_finite(const skin_rows *m) {
    const float sum = m->x.x + m->x.y + m->x.z + m->x.w + m->y.x + m->y.y + m->y.z + m->y.w +
                      m->z.x + m->z.y + m->z.z + m->z.w;
    return isfinite(sum);
}

toile_result performance_pose(performance *p, double time, skin_rows *matrices, float *weights) {
    const character *c = p->character;
    transform *locals = p->locals + c->joint_count;
    performance_sample(p, time, locals, weights);
    character_skin_matrices(c, locals, p->matrices);
    skin_rows_from_affine(p->matrices, c->joint_count, matrices);
    for (size_t j = 0; j < c->joint_count; j++) {
        if (!is_finite(&matrices[j])) {
            return error_set(TOILE_ERROR_INVALID,
                             "joint %zu \"%s\" has a place that is not finite at %g s", j,
                             c->skeleton[j].name, time);
        }
    }
    for (size_t t = 0; weights && t < c->target_count; t++) {
        if (!isfinite(weights[t])) {
            return error_set(TOILE_ERROR_INVALID,
                             "morph target %zu has a weight that is not finite at %g s", t, time);
        }
    }
    return TOILE_OK;
}

/* ---- where actions begin ------------------------------------------------------------------------
 */

/* The vertical in the frame of a joint's parent, at rest. */
static void find_up(const character *c, size_t joint, double up[3]) {
    quat turn = quat_identity;
    for (int j = c->skeleton[joint].parent; j >= 0; j = c->skeleton[j].parent) {
        turn = quat_multiply(c->skeleton[j].rest.rotation, turn);
    }
    const double y[3] = {0.0, 1.0, 0.0};
    quat_rotate(quat_conjugate(turn), y, up);
}

/* Of a way only what leads along the ground and turns about the vertical. */
static transform along_ground(const transform *way, const double up[3]) {
    const double *t = way->translation;
    const quat *q = &way->rotation;
    double climb = t[0] * up[0] + t[1] * up[1] + t[2] * up[2];
    double twist = q->x * up[0] + q->y * up[1] + q->z * up[2];
    transform ground = transform_identity;
    for (int k = 0; k < 3; k++) {
        ground.translation[k] = t[k] - climb * up[k];
    }
    ground.rotation = quat_normalize((quat){twist * up[0], twist * up[1], twist * up[2], q->w});
    return ground;
}

/* How far the clip of an action has brought the root at a time, as if it went evenly. */
static transform way_at(const performance *p, const performer *f, size_t root, double time) {
    double up[3];
    find_up(p->character, root, up);
    transform way = clip_way(p->character, f->clip, root), round = along_ground(&way, up);
    clip_moment at = clip_moment_at(f->clip, clip_time(f, time), f->loop);
    double part = f->clip->length > 0.0 ? at.within / f->clip->length : 0.0;
    transform rest = transform_identity, rounds = transform_power(&round, at.rounds);
    rest.rotation = quat_slerp(quat_identity, round.rotation, part);
    for (int k = 0; k < 3; k++) {
        rest.translation[k] = part * round.translation[k];
    }
    return transform_after(&rounds, &rest);
}

/* Where the actions of the base that began before have brought the root at the begin of this one:
 * the mean of them by their shares. */
static transform find_placement(const performance *p, const performer *f, size_t r) {
    transform sum = {.rotation = {0.0, 0.0, 0.0, 0.0}};
    double total = 0.0, time = f->action.begin;
    for (size_t i = 0; i < p->count; i++) {
        const performer *other = &p->performers[i];
        if (other->action.on_top || !(other->action.begin < time)) {
            continue;
        }
        /* One that has ended still counts when no other does: the character stays there. */
        double until = fmin(time, other->action.end);
        double share = share_of(other, time) + 1e-12 * other->action.weight;
        transform way = way_at(p, other, p->roots[r], until);
        way = transform_after(&other->placement[r], &way);
        add_transform(&sum, share, &way);
        total += share;
    }
    if (!(total > 0.0)) {
        return transform_identity;
    }
    transform mean = transform_identity;
    mean.rotation = quat_normalize(sum.rotation);
    for (int k = 0; k < 3; k++) {
        mean.translation[k] = sum.translation[k] / total;
    }
    transform own = way_at(p, f, p->roots[r], time), back = transform_inverse(&own);
    return transform_after(&mean, &back);
}

/* Earlier ones first, for later ones go on from them. */
static void find_placements(performance *p, size_t *order) {
    for (size_t i = 0; i < p->count; i++) {
        size_t at = i;
        for (; at > 0 && p->performers[order[at - 1]].action.begin > p->performers[i].action.begin;
             at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
    for (size_t i = 0; i < p->count; i++) {
        performer *f = &p->performers[order[i]];
        for (size_t r = 0; r < p->root_count; r++) {
            f->placement[r] =
                f->action.on_top || !p->root_motion ? transform_identity : find_placement(p, f, r);
        }
    }
}

/* ---- making -------------------------------------------------------------------------------------
 */

static toile_result no_such_clip(const character *c, const char *name) {
    char list[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < c->clip_count && used < sizeof list; i++) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "",
                                 c->clips[i].name);
    }
    return error_set(TOILE_ERROR_INVALID, "there is no animation \"%s\"%s%s", name,
                     c->clip_count > 0 ? ", only " : "; there are none", list);
}

static toile_result check_range(const char *animation, const char *what, double value, double low,
                                double high) {
    if (value >= low && value <= high) {
        return TOILE_OK;
    }
    return error_set(TOILE_ERROR_INVALID, "animation \"%s\": %s: expected %g to %g, found %g",
                     animation, what, low, high, value);
}

static toile_result check_action(const performance_action *a) {
    const struct {
        const char *what;
        double value, low, high;
    } numbers[] = {
        {"weight", a->weight, 0.0, 1e6},     {"speed", a->speed, -100.0, 100.0},
        {"start", a->start, 0.0, 1e6},       {"begin", a->begin, -1e6, 1e6},
        {"end", a->end, a->begin, INFINITY}, {"fade_in", a->fade_in, 0.0, 1e6},
        {"fade_out", a->fade_out, 0.0, 1e6},
    };
    toile_result result = TOILE_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && result == TOILE_OK; i++) {
        result = check_range(a->animation, numbers[i].what, numbers[i].value, numbers[i].low,
                             numbers[i].high);
    }
    return result;
}

static toile_result add_performer(performance *p, const performance_action *a) {
    performer *f = &p->performers[p->count];
    const character_clip *clip = character_find_clip(p->character, a->animation);
    if (!clip) {
        return no_such_clip(p->character, a->animation);
    }
    toile_result result = check_action(a);
    if (result != TOILE_OK) {
        return result;
    }
    *f = (performer){.action = *a, .clip = clip};
    f->action.animation = clip->name; /* the caller's name may go */
    f->loop = a->loop == PERFORMANCE_LOOP || (a->loop == PERFORMANCE_LOOP_AS_CLIP && clip->loop);
    f->placement = memory_alloc(p->root_count, sizeof *f->placement, "an animation");
    p->count++;
    return f->placement ? TOILE_OK : TOILE_ERROR_MEMORY;
}

static toile_result find_roots(performance *p) {
    const character *c = p->character;
    bool *tracked = memory_alloc(c->joint_count, sizeof *tracked, "joints");
    p->roots = memory_alloc(c->joint_count, sizeof *p->roots, "joints");
    if (!tracked || !p->roots) {
        free(tracked);
        return TOILE_ERROR_MEMORY;
    }
    for (size_t i = 0; i < c->clip_count; i++) {
        for (size_t t = 0; t < c->clips[i].track_count; t++) {
            const character_track *track = &c->clips[i].tracks[t];
            if (track->path != TRACK_WEIGHTS) {
                tracked[track->joint] = true;
            }
        }
    }
    for (size_t j = 0; j < c->joint_count; j++) {
        if (tracked[j] && character_is_root(c, j)) {
            p->roots[p->root_count++] = j;
        }
    }
    free(tracked);
    return TOILE_OK;
}

/* Room for so many actions; there is none yet. */
static toile_result make_room(const character *c, size_t count, bool root_motion,
                              performance **out) {
    performance *p = memory_alloc(1, sizeof *p, "a performance");
    if (!p) {
        return TOILE_ERROR_MEMORY;
    }
    p->character = c;
    p->root_motion = root_motion;
    p->performers = memory_alloc(count, sizeof *p->performers, "animations");
    p->locals = memory_alloc(2 * c->joint_count, sizeof *p->locals, "joints");
    p->matrices = memory_alloc(c->joint_count, sizeof *p->matrices, "joints");
    p->weights = memory_alloc(c->target_count, sizeof *p->weights, "morph targets");
    p->sampled = memory_alloc(c->target_count, sizeof *p->sampled, "morph targets");
    toile_result result = p->performers && p->locals && p->matrices && p->weights && p->sampled
                              ? find_roots(p)
                              : TOILE_ERROR_MEMORY;
    if (result != TOILE_OK) {
        performance_destroy(p);
        return result;
    }
    *out = p;
    return TOILE_OK;
}

toile_result performance_create(const character *c, const performance_action *actions, size_t count,
                                bool root_motion, performance **out) {
    performance *p;
    toile_result result = make_room(c, count, root_motion, &p);
    if (result != TOILE_OK) {
        return result;
    }
    size_t *order = memory_alloc(count, sizeof *order, "animations");
    result = order ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t i = 0; i < count && result == TOILE_OK; i++) {
        result = add_performer(p, &actions[i]);
    }
    if (result == TOILE_OK) {
        find_placements(p, order);
    }
    free(order);
    if (result != TOILE_OK) {
        performance_destroy(p);
        return result;
    }
    *out = p;
    return TOILE_OK;
}

/* ---- turning to another action ------------------------------------------------------------------
 */

static bool is_present(const performance_action *a, double time) {
    return a->begin <= time && time <= a->end;
}

/* Does it matter after a turn? */
static bool goes_on(const performance_action *a, double time) {
    return a->end > time && (a->on_top || a->begin <= time);
}

/* Lets an action of the base end after `fade` seconds. One that is fading out already goes on from
 * as far as it is. */
static void fade_away(performance_action *a, double time, double fade) {
    if (a->on_top || a->end <= time + fade) {
        return;
    }
    double fall = a->fade_out > 0.0 ? fmin((a->end - time) / a->fade_out, 1.0) : 1.0;
    a->end = time + fade;
    a->fade_out = fade / fall;
}

static toile_result keep_performer(performance *p, const performer *f, double time, double fade) {
    performance_action action = f->action;
    fade_away(&action, time, fade);
    toile_result result = add_performer(p, &action);
    if (result == TOILE_OK) {
        memcpy(p->performers[p->count - 1].placement, f->placement,
               p->root_count * sizeof *f->placement);
    }
    return result;
}

static double base_weight(const performance *p, double time) {
    double sum = 0.0;
    for (size_t i = 0; i < p->count; i++) {
        sum += p->performers[i].action.on_top ? 0.0 : share_of(&p->performers[i], time);
    }
    return fmin(sum, 1e6);
}

toile_result performance_turn(const performance *p, double time, const performance_action *next,
                              performance **out) {
    performance *turned;
    toile_result result = make_room(p->character, p->count + 1, p->root_motion, &turned);
    if (result != TOILE_OK) {
        return result;
    }
    performance_action action = *next;
    double weight = base_weight(p, time);
    action.begin = time;
    action.weight = weight > 0.0 ? weight : action.weight;
    for (size_t i = 0; i < p->count && result == TOILE_OK; i++) {
        if (goes_on(&p->performers[i].action, time)) {
            result = keep_performer(turned, &p->performers[i], time, action.fade_in);
        }
    }
    if (result == TOILE_OK) {
        result = add_performer(turned, &action);
    }
    for (size_t r = 0; r < p->root_count && result == TOILE_OK; r++) {
        /* What was dropped still says where the new one begins. */
        performer *last = &turned->performers[turned->count - 1];
        last->placement[r] = p->root_motion ? find_placement(p, last, r) : transform_identity;
    }
    if (result != TOILE_OK) {
        performance_destroy(turned);
        return result;
    }
    *out = turned;
    return TOILE_OK;
}

const char *performance_leading(const performance *p, double time) {
    const performance_action *last = NULL;
    for (size_t i = 0; i < p->count; i++) {
        const performance_action *a = &p->performers[i].action;
        if (!a->on_top && is_present(a, time) && (!last || a->begin >= last->begin)) {
            last = a;
        }
    }
    return last ? last->animation : NULL;
}

void performance_destroy(performance *p) {
    if (!p) {
        return;
    }
    for (size_t i = 0; i < p->count; i++) {
        free(p->performers[i].placement);
    }
    free(p->performers);
    free(p->roots);
    free(p->locals);
    free(p->matrices);
    free(p->weights);
    free(p->sampled);
    free(p);
}
