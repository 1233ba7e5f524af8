#include "figure/motions.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- idle ---------------------------------------------------------------------------------------
 */

/* m from the middle to a foot, and where it stands at a heading, in degrees. */
#define STANCE 0.085

static vec standing_place(const figure *b, int side, double heading) {
    double out = STANCE * b->scale;
    vec place = {side == RIG_LEFT ? out : -out, 0.0, b->joints[JOINT_LEFT_FOOT].z};
    return turned(turn_y(heading), place);
}

/* The arms of somebody who waits. */
static rig_arm hanging_arm(double swing) {
    return (rig_arm){.swing = 2.0 + swing, .spread = 10.0, .twist = 8.0, .elbow = 14.0};
}

static void stand(const figure *b, double drop, posture *out) {
    *out = (posture){.hips = {0.0, -drop, 0.0}, .chest = {.pitch = 1.0}};
    for (int side = 0; side < RIG_SIDES; side++) {
        out->feet[side] = rig_flat_foot(b, side, standing_place(b, side, 0.0), 0.0);
        out->arms[side] = hanging_arm(0.0);
    }
}

enum { IDLE_LENGTH = 4 };

/* A breath, and a little weight from foot to foot. */
static void idle_at(const figure *b, double time, double drop, posture *out) {
    double scale = b->scale;
    double breath = turn_cosine(time / (0.5 * IDLE_LENGTH)), shift = turn_sine(time / IDLE_LENGTH);
    stand(b, drop, out);
    out->hips.x = 0.008 * scale * shift;
    out->hips.y -= 0.002 * scale * (1.0 - breath);
    out->pelvis.roll = -0.8 * shift;
    out->chest = (rig_turn){1.2 * shift, 1.5 - 0.5 * breath, 0.5 * shift};
    out->head = (rig_turn){2.0 * shift, 0.5 * breath - 0.5, 0.0};
    for (int side = 0; side < RIG_SIDES; side++) {
        out->arms[side] = hanging_arm(0.6 * (1.0 - breath));
    }
}

/* Turn and kick begin and end as idle does. */
static void begin_idle(const figure *b, double drop, posture *out) {
    idle_at(b, 0.0, drop, out);
}

/* ---- turn ---------------------------------------------------------------------------------------
 */

typedef struct turning_step {
    int side;
    double from, to;      /* s */
    double heading, next; /* degrees that the foot has before and after */
} turning_step;

static const turning_step turning_steps[] = {{RIG_LEFT, 0.15, 0.55, 0, 45},
                                             {RIG_RIGHT, 0.55, 0.95, 0, 50},
                                             {RIG_LEFT, 0.95, 1.35, 45, 90},
                                             {RIG_RIGHT, 1.35, 1.75, 50, 90}};

#define TURN_LENGTH 2.0

static void step_foot(const figure *b, const turning_step *s, double time, posture *out) {
    double scale = b->scale, u = clamp((time - s->from) / (s->to - s->from), 0.0, 1.0);
    double eased = smooth_step(0.0, 1.0, u), bump = 16.0 * u * u * (1.0 - u) * (1.0 - u);
    double heading = s->heading + (s->next - s->heading) * eased;
    vec place = vec_lerp(standing_place(b, s->side, s->heading),
                         standing_place(b, s->side, s->next), eased);
    rig_foot *foot = &out->feet[s->side];
    *foot = rig_flat_foot(b, s->side, place, heading);
    foot->ankle.y += 0.06 * scale * bump;
    foot->pitch = foot->toe_pitch = 12.0 * bump;
    /* Weight goes to the other foot. */
    double away = s->side == RIG_LEFT ? -1.0 : 1.0;
    out->hips.x += away * 0.03 * scale * bump;
}

static void turn_at(const figure *b, double time, double drop, posture *out) {
    begin_idle(b, drop, out);
    double turning = smooth_step(0.1, 1.7, time);
    out->heading = 90.0 * turning;
    for (size_t i = 0; i < sizeof turning_steps / sizeof *turning_steps; i++) {
        if (time >= turning_steps[i].from || i < RIG_SIDES) {
            step_foot(b, &turning_steps[i], time, out);
        }
    }
    double ahead = 4.0 * turning * (1.0 - turning);
    out->head.yaw += 22.0 * ahead;
    out->chest.yaw += 8.0 * ahead;
    out->pelvis.yaw += 2.0 * ahead;
    out->arms[RIG_LEFT].swing -= 8.0 * ahead;
    out->arms[RIG_RIGHT].swing += 8.0 * ahead;
}

/* ---- kick ---------------------------------------------------------------------------------------
 */

#define KICK_LENGTH 1.8

/* Of the right foot: s, then its ankle against where it stands, in m, and degrees of pitch. */
typedef double kick_key[5];
static const kick_key kick_keys[] = {
    {0.00, 0.00, 0.00, 0.00, 0},  {0.20, 0.00, 0.00, 0.00, 0},   {0.42, 0.00, 0.05, -0.15, 50},
    {0.60, 0.02, 0.42, 0.08, 35}, {0.73, 0.05, 0.96, 0.80, -30}, {0.87, 0.02, 0.46, 0.20, 30},
    {1.08, 0.00, 0.13, 0.07, 15}, {1.32, 0.00, 0.00, 0.00, 0},   {1.80, 0.00, 0.00, 0.00, 0}};
enum { KICK_KEYS = sizeof kick_keys / sizeof *kick_keys };

/* Cubic through the keys, with the slope of its neighbours in each. */
static double kick_slope(size_t key, int value) {
    if (key == 0 || key + 1 >= KICK_KEYS || kick_keys[key][2] == 0.0) {
        return 0.0; /* on the floor */
    }
    const double *before = kick_keys[key - 1], *after = kick_keys[key + 1];
    return (after[value] - before[value]) / (after[0] - before[0]);
}

static double kick_value(double time, int value) {
    size_t key = 0;
    while (key + 2 < KICK_KEYS && kick_keys[key + 1][0] <= time) {
        key++;
    }
    const double *a = kick_keys[key], *b = kick_keys[key + 1];
    double h = b[0] - a[0], t = clamp((time - a[0]) / h, 0.0, 1.0), s = 1.0 - t;
    double v = kick_slope(key, value) * h, w = kick_slope(key + 1, value) * h;
    return a[value] * s * s * (1.0 + 2.0 * t) + v * s * s * t + b[value] * t * t * (1.0 + 2.0 * s) -
           w * t * t * s;
}

static double blend(double from, double to, double t) {
    return from + (to - from) * t;
}

static void kick_at(const figure *b, double time, double drop, posture *out) {
    begin_idle(b, drop, out);
    double scale = b->scale;
    double ready = smooth_step(0.0, 0.4, time) * smooth_step(1.75, 1.2, time);
    double thrust = smooth_step(0.5, 0.72, time) * smooth_step(1.05, 0.76, time);
    rig_foot *foot = &out->feet[RIG_RIGHT];
    foot->pitch = kick_value(time, 4);
    vec key = vec_make(kick_value(time, 1), kick_value(time, 2), kick_value(time, 3));
    vec rolled = rig_ankle(b, RIG_RIGHT, standing_place(b, RIG_RIGHT, 0.0), 0.0,
                           fmax(foot->pitch, 0.0)); /* it leaves over the ball */
    foot->ankle = vec_madd(rolled, key, scale);
    foot->toe_pitch = foot->pitch * smooth_step(0.3, 0.5, time);
    out->hips.x += 0.07 * scale * ready;
    out->hips.y -= 0.025 * scale * ready * (1.0 - 0.6 * thrust);
    out->hips.z += 0.03 * scale * thrust - 0.02 * scale * ready;
    out->pelvis.pitch += -6.0 * ready - 14.0 * thrust;
    out->pelvis.yaw += 12.0 * thrust;
    out->chest.pitch += 4.0 * ready - 14.0 * thrust;
    out->chest.yaw += -6.0 * thrust;
    out->chest.roll += -3.0 * ready;
    out->head.pitch += 4.0 * thrust;
    for (int side = 0; side < RIG_SIDES; side++) {
        rig_arm *arm = &out->arms[side];
        double back = side == RIG_RIGHT ? thrust : 0.3 * thrust;
        arm->swing = blend(arm->swing, 30.0 - 45.0 * back, ready);
        arm->spread = blend(arm->spread, 24.0 + 10.0 * back, ready);
        arm->twist = blend(arm->twist, 22.0 * (1.0 - back), ready);
        arm->elbow = blend(arm->elbow, 100.0 - 30.0 * back, ready);
    }
}

/* ---- gaits --------------------------------------------------------------------------------------
 */

static void walk_at(const figure *b, double time, double drop, posture *out) {
    gait_at(GAIT_WALK, b, time, drop, out);
}

static void jog_at(const figure *b, double time, double drop, posture *out) {
    gait_at(GAIT_JOG, b, time, drop, out);
}

static void sneak_at(const figure *b, double time, double drop, posture *out) {
    gait_at(GAIT_SNEAK, b, time, drop, out);
}

const figure_motion motions[MOTION_COUNT] = {
    {"idle", IDLE_LENGTH, true, idle_at},  {"walk", WALK_PERIOD, true, walk_at},
    {"jog", JOG_PERIOD, true, jog_at},     {"sneak", SNEAK_PERIOD, true, sneak_at},
    {"turn", TURN_LENGTH, false, turn_at}, {"kick", KICK_LENGTH, false, kick_at}};

/* ---- clips --------------------------------------------------------------------------------------
 */

enum {
    KEY_RATE = 60
}; /* per s: between keys that far apart, a foot that stands keeps still to 1 mm */

static size_t key_count(const figure_motion *m) {
    return (size_t)(m->length * KEY_RATE + 0.5) + 1;
}

static double key_time(const figure_motion *m, size_t key) {
    return m->length * (double)key / (double)(key_count(m) - 1);
}

/* How far the hips must come down so that no leg is too short at any time. Idle and what begins and
 * ends with it share one drop. */
static double find_drop(const figure *b, const figure_motion *m) {
    bool stays = m->at == idle_at || m->at == turn_at || m->at == kick_at;
    double drop = 0.0;
    for (int i = 0; i < MOTION_COUNT; i++) {
        const figure_motion *other = &motions[i];
        bool shared = other->at == idle_at || other->at == turn_at || other->at == kick_at;
        if (other != m && !(stays && shared)) {
            continue;
        }
        for (size_t key = 0; key < key_count(other); key++) {
            posture p;
            other->at(b, key_time(other, key), 0.0, &p);
            drop = fmax(drop, rig_overreach(b, &p));
        }
    }
    return drop;
}

static bool track_allocate(character_track *t, int joint, track_path path, size_t keys) {
    *t = (character_track){.joint = joint, .path = path, .keys = keys};
    t->times = memory_alloc(keys, sizeof *t->times, "a motion");
    t->values =
        memory_alloc(keys * (path == TRACK_ROTATION ? 4 : 3), sizeof *t->values, "a motion");
    return t->times && t->values;
}

/* q and -q are the same turn: the one nearer to the last key, for players that interpolate without
 * asking. */
static void set_rotation(character_track *t, size_t key, quat q) {
    float *now = t->values + 4 * key;
    double sign = 1.0;
    if (key > 0) {
        const float *last = now - 4;
        double dot = q.x * (double)last[0] + q.y * (double)last[1] + q.z * (double)last[2] +
                     q.w * (double)last[3];
        sign = dot < 0.0 ? -1.0 : 1.0;
    }
    memcpy(now,
           (float[4]){(float)(sign * q.x), (float)(sign * q.y), (float)(sign * q.z),
                      (float)(sign * q.w)},
           4 * sizeof *now);
}

static void set_key(character_clip *clip, size_t key, float time, const transform *locals) {
    for (size_t i = 0; i < clip->track_count; i++) {
        character_track *t = &clip->tracks[i];
        const transform *local = &locals[t->joint];
        t->times[key] = time;
        if (t->path == TRACK_ROTATION) {
            set_rotation(t, key, local->rotation);
            continue;
        }
        for (size_t k = 0; k < 3; k++) {
            t->values[3 * key + k] = (float)local->translation[k];
        }
    }
}

/* Rotations of all joints, and where root and hips are. */
static toile_result make_clip(const figure *b, const figure_motion *m, character_clip *clip) {
    size_t keys = key_count(m);
    clip->name = memory_string(m->name);
    clip->length = m->length;
    clip->loop = m->loop;
    clip->tracks = memory_alloc(JOINT_COUNT + 2, sizeof *clip->tracks, "a motion");
    if (!clip->name || !clip->tracks) {
        return TOILE_ERROR_MEMORY;
    }
    for (int i = 0; i < JOINT_COUNT + 2; i++) {
        bool moves = i >= JOINT_COUNT;
        character_track *t = &clip->tracks[clip->track_count++];
        if (!track_allocate(t, moves ? i - JOINT_COUNT : i,
                            moves ? TRACK_TRANSLATION : TRACK_ROTATION, keys)) {
            return TOILE_ERROR_MEMORY;
        }
    }
    double drop = find_drop(b, m);
    for (size_t key = 0; key < keys; key++) {
        posture p;
        transform locals[JOINT_COUNT];
        m->at(b, key_time(m, key), drop, &p);
        rig_solve(b, &p, locals);
        set_key(clip, key, (float)key_time(m, key), locals);
    }
    return TOILE_OK;
}

toile_result motions_make(const figure *b, character *c) {
    c->clips = memory_alloc(MOTION_COUNT, sizeof *c->clips, "motions");
    toile_result result = c->clips ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (int i = 0; i < MOTION_COUNT && result == TOILE_OK; i++) {
        result = make_clip(b, &motions[i], &c->clips[c->clip_count++]);
    }
    return result;
}
