/* From what a figure does, in words an animator uses, to the turns of its joints: feet are put
 * where they shall be and the legs follow (two-bone inverse kinematics), all else is angles.
 *
 * A foot is named by where it stands flat. It rolls over its heel, pitch below 0, or over its ball,
 * above; the heel or the ball then stays where it is to the last bit. */
#ifndef TOILE_FIGURE_RIG_H
#define TOILE_FIGURE_RIG_H

#include "figure/figure.h"
#include "figure/turn.h"
#include "figure/vec.h"
#include "model/character.h"

enum { RIG_LEFT, RIG_RIGHT, RIG_SIDES };

typedef struct rig_foot {
    vec ankle;        /* m, in the world */
    double yaw;       /* degrees in the world */
    double pitch;     /* degrees: toes down */
    double toe_pitch; /* degrees, of the toes in the world */
} rig_foot;

/* Degrees. All 0: the arm hangs, the palm to the thigh. */
typedef struct rig_arm {
    double swing;  /* forwards */
    double spread; /* sideways */
    double twist;  /* of the upper arm about itself: the bent forearm goes in front of the body */
    double elbow;  /* bent */
} rig_arm;

/* Yaw to the left, pitch forwards, roll to the right, in degrees against the heading. */
typedef struct rig_turn {
    double yaw, pitch, roll;
} rig_turn;

typedef struct posture {
    vec root;       /* m, in the world, on the floor */
    double heading; /* degrees in the world */
    vec hips;       /* m, against where they are at rest, in the frame of the root */
    rig_turn pelvis, chest, head;
    rig_foot feet[RIG_SIDES];
    rig_arm arms[RIG_SIDES];
} posture;

/* Where the ankle is of a foot that stands at `place` on the floor, y = 0, and is rolled. */
vec rig_ankle(const figure *b, int side, vec place, double yaw, double pitch);

/* A foot flat on the floor. */
rig_foot rig_flat_foot(const figure *b, int side, vec place, double yaw);

/* How far the hips have to come down for both legs to reach their feet, in m; below 0: to spare. */
double rig_overreach(const figure *b, const posture *p);

/* The joints against their parents. */
void rig_solve(const figure *b, const posture *p, transform locals[JOINT_COUNT]);

#endif
