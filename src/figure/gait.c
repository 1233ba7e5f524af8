/* Walking and its kin: footfalls are planned, and all else follows their rhythm.
 *
 * Shares and angles are those of Perry, Gait Analysis, 1992: a foot stands for 60 % of a walking
 * stride, strikes with the heel at 20 degrees, is flat from an eighth of the stance on, and leaves
 * over the ball; the pelvis turns by 4 degrees to each side and sinks by as much; arms go with the
 * leg of the other side. Running, stance is below half, and the body is lowest in the middle of it.
 */
#include "figure/motions.h"

typedef struct gait {
    double period; /* s from a heel strike to the next of the same foot */
    double speed;  /* m/s, for the drawn height */
    double duty;   /* part of the period that a foot stands */
    double width;  /* m between the feet */
    double bias;   /* m that footfalls lie ahead of the body's middle */
    double strike; /* degrees of the foot as it lands: below 0 on the heel, above on the ball */
    double push;   /* degrees as it leaves */
    double flat,
        rise; /* parts of the stance: where the foot has become flat, where the heel leaves */
    double lift, kick;           /* m that a foot is lifted on its way, in the middle and early */
    double sway, bob, bob_phase; /* m sideways and up; highest at this part of a step */
    double crouch;               /* m that the hips are lower than they need be */
    double pelvis_yaw, pelvis_roll, pelvis_pitch, chest_yaw, chest_pitch, head_pitch; /* degrees */
    double arm_swing, arm_ahead, arm_spread, arm_twist, elbow, elbow_swing;           /* degrees */
} gait;

static const gait gaits[] = {
    [GAIT_WALK] = {.period = WALK_PERIOD,
                   .speed = 1.3,
                   .duty = 0.60,
                   .width = 0.13,
                   .bias = -0.07,
                   .strike = -20,
                   .push = 58,
                   .flat = 0.16,
                   .rise = 0.46,
                   .lift = 0.025,
                   .kick = 0.05,
                   .sway = 0.018,
                   .bob = 0.02,
                   .bob_phase = 0.60,
                   .crouch = 0.0,
                   .pelvis_yaw = 5,
                   .pelvis_roll = 3.5,
                   .pelvis_pitch = 1,
                   .chest_yaw = 6,
                   .chest_pitch = 2,
                   .arm_swing = 21,
                   .arm_ahead = 1,
                   .arm_spread = 10,
                   .arm_twist = 6,
                   .elbow = 16,
                   .elbow_swing = 9},
    [GAIT_JOG] = {.period = JOG_PERIOD,
                  .speed = 2.5,
                  .duty = 0.36,
                  .width = 0.11,
                  .bias = -0.085,
                  .strike = -10,
                  .push = 62,
                  .flat = 0.2,
                  .rise = 0.5,
                  .lift = 0.05,
                  .kick = 0.26,
                  .sway = 0.01,
                  .bob = 0.03,
                  .bob_phase = 0.86,
                  .crouch = 0.01,
                  .pelvis_yaw = 7,
                  .pelvis_roll = 4,
                  .pelvis_pitch = 5,
                  .chest_yaw = 9,
                  .chest_pitch = 8,
                  .head_pitch = 2,
                  .arm_swing = 28,
                  .arm_ahead = 6,
                  .arm_spread = 20,
                  .arm_twist = 6,
                  .elbow = 92,
                  .elbow_swing = 4},
    [GAIT_SNEAK] = {.period = SNEAK_PERIOD,
                    .speed = 0.55,
                    .duty = 0.68,
                    .width = 0.20,
                    .bias = -0.02,
                    .strike = 12,
                    .push = 32,
                    .flat = 0.2,
                    .rise = 0.7,
                    .lift = 0.10,
                    .kick = 0.10,
                    .sway = 0.035,
                    .bob = 0.012,
                    .bob_phase = 0.68,
                    .crouch = 0.13,
                    .pelvis_yaw = 5,
                    .pelvis_roll = 2,
                    .pelvis_pitch = 14,
                    .chest_yaw = 4,
                    .chest_pitch = 30,
                    .head_pitch = 8,
                    .arm_swing = 10,
                    .arm_ahead = 22,
                    .arm_spread = 24,
                    .arm_twist = 15,
                    .elbow = 72,
                    .elbow_swing = 8},
};

/* Long legs take long steps. */
static double gait_speed(const gait *g, const figure *b) {
    return g->speed * b->scale;
}

/* Of a foot: the number of its footfall and the part of the period since. */
static double footfall(const gait *g, int side, double time, double *phase) {
    double periods = time / g->period - (side == RIG_RIGHT ? 0.5 : 0.0);
    *phase = periods - floor(periods);
    return floor(periods);
}

/* The places that a foot has stood on and will stand on. */
static vec place_of(const gait *g, const figure *b, int side, double number) {
    double speed = gait_speed(g, b), scale = b->scale;
    double when = (number + (side == RIG_RIGHT ? 0.5 : 0.0)) * g->period;
    double ahead = 0.5 * speed * g->period * g->duty + g->bias * scale;
    double sideways = 0.5 * g->width * scale;
    vec ankle = b->joints[JOINT_LEFT_FOOT];
    return vec_make(side == RIG_LEFT ? sideways : -sideways, 0.0, speed * when + ahead + ankle.z);
}

/* How a foot rolls while it stands: s from 0, when it lands, to 1. */
static double stance_pitch(const gait *g, double s) {
    double land = clamp(1.0 - s / g->flat, 0.0, 1.0),
           leave = clamp((s - g->rise) / (1.0 - g->rise), 0.0, 1.0);
    return g->strike * land * land + g->push * leave * leave;
}

static vec stance_ankle(const gait *g, const figure *b, int side, double number, double s) {
    return rig_ankle(b, side, place_of(g, b, side, number), 0.0, stance_pitch(g, s));
}

static double hermite(double p, double v, double q, double w, double t) {
    double s = 1.0 - t;
    return p * s * s * (1.0 + 2.0 * t) + v * s * s * t + q * t * t * (1.0 + 2.0 * s) -
           w * t * t * s;
}

/* In the air: from how the foot left to how it lands, places and speeds. */
static rig_foot swing_foot(const gait *g, const figure *b, int side, double number, double u) {
    const double step = 1e-3;
    double stretch = (1.0 - g->duty) / (g->duty * step); /* speeds of the stance, per swing */
    vec from = stance_ankle(g, b, side, number, 1.0),
        before = stance_ankle(g, b, side, number, 1.0 - step),
        to = stance_ankle(g, b, side, number + 1.0, 0.0),
        after = stance_ankle(g, b, side, number + 1.0, step);
    vec v = vec_scale(vec_sub(from, before), stretch), w = vec_scale(vec_sub(after, to), stretch);
    rig_foot foot = {0};
    foot.ankle.x = hermite(from.x, v.x, to.x, w.x, u);
    foot.ankle.y = hermite(from.y, v.y, to.y, w.y, u);
    foot.ankle.z = hermite(from.z, v.z, to.z, w.z, u);
    double scale = b->scale, r = 1.0 - u;
    foot.ankle.y += scale * (g->lift * 16.0 * u * u * r * r + g->kick * 28.935 * u * u * r * r * r);
    double leaving = (stance_pitch(g, 1.0) - stance_pitch(g, 1.0 - step)) * stretch,
           landing = (stance_pitch(g, step) - stance_pitch(g, 0.0)) * stretch;
    foot.pitch = hermite(g->push, leaving, g->strike, landing, u);
    foot.toe_pitch = foot.pitch - g->push * smooth_step(0.3, 0.0, u); /* they straighten */
    if (g->strike > 0.0) {
        foot.toe_pitch *= smooth_step(1.0, 0.6, u);
    }
    return foot;
}

static rig_foot foot_at(const gait *g, const figure *b, int side, double time) {
    double phase, number = footfall(g, side, time, &phase);
    if (phase >= g->duty) {
        return swing_foot(g, b, side, number, (phase - g->duty) / (1.0 - g->duty));
    }
    double s = phase / g->duty, pitch = stance_pitch(g, s);
    /* On the heel the toes are up with the foot; on the ball they lie flat. */
    return (rig_foot){.ankle = stance_ankle(g, b, side, number, s),
                      .pitch = pitch,
                      .toe_pitch = fmin(pitch, 0.0)};
}

bool gait_stands(int kind, int side, double time) {
    double phase;
    footfall(&gaits[kind], side, time, &phase);
    return phase < gaits[kind].duty;
}

void gait_at(int kind, const figure *b, double time, double drop, posture *out) {
    const gait *g = &gaits[kind];
    double scale = b->scale, t = time / g->period, middle = 0.5 * g->duty;
    double stride = turn_cosine(t), lean = turn_cosine(t - middle);
    *out = (posture){.root = {0.0, 0.0, gait_speed(g, b) * time}};
    out->hips.x = g->sway * scale * lean;
    out->hips.y = g->bob * scale * turn_cosine(2.0 * t - g->bob_phase) - g->crouch * scale - drop;
    out->pelvis = (rig_turn){-g->pelvis_yaw * stride, g->pelvis_pitch, -g->pelvis_roll * lean};
    out->chest = (rig_turn){g->chest_yaw * stride, g->chest_pitch, 0.4 * g->pelvis_roll * lean};
    out->head = (rig_turn){0.15 * g->chest_yaw * stride, g->head_pitch, 0.0};
    for (int side = 0; side < RIG_SIDES; side++) {
        double forward = side == RIG_LEFT ? -stride : stride;
        out->feet[side] = foot_at(g, b, side, time);
        out->arms[side] = (rig_arm){.swing = g->arm_ahead + g->arm_swing * forward + g->chest_pitch,
                                    .spread = g->arm_spread,
                                    .twist = g->arm_twist,
                                    .elbow = g->elbow + g->elbow_swing * forward};
    }
}
