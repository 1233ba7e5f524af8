/* What the mannequin can do: idle, walk, jog, sneak, turn, kick.
 *
 * The first four loop; turn and kick begin and end as idle does. Where a motion goes is in the
 * track of the root joint and nowhere else. */
#ifndef TOILE_FIGURE_MOTIONS_H
#define TOILE_FIGURE_MOTIONS_H

#include "figure/figure.h"
#include "figure/rig.h"
#include "model/character.h"
#include "toile/toile.h"

/* What a figure does at a time of a motion, in s. */
typedef void figure_motion_at(const figure *b, double time, double drop, posture *out);

typedef struct figure_motion {
    const char *name;
    double length; /* s */
    bool loop;
    figure_motion_at
        *at; /* drop: m that the hips are lowered by, so that the legs reach the feet */
} figure_motion;

enum { MOTION_COUNT = 6 };
extern const figure_motion motions[MOTION_COUNT];

/* Of figure/gait.c. */
enum { GAIT_WALK, GAIT_JOG, GAIT_SNEAK };
#define WALK_PERIOD  1.02 /* s from a footfall to the next of the same foot */
#define JOG_PERIOD   0.70
#define SNEAK_PERIOD 1.90
void gait_at(int kind, const figure *b, double time, double drop, posture *out);
/* Whether a foot carries weight, and where: for a foot that does, heel or ball stand still. */
bool gait_stands(int kind, int side, double time);

/* Adds all of them to a character whose skeleton is that of the body. */
toile_result motions_make(const figure *b, character *c);

#endif
