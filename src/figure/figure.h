/* The human figure as a field and a skeleton.
 *
 * Heights of joints and landmarks are fractions of the stature: Drillis and Contini, Body Segment
 * Parameters, 1966 (ankle 0.039, knee 0.285, hip 0.530, shoulder 0.818, upper arm 0.186, forearm
 * 0.146, hand 0.108, foot 0.152), and the means of Gordon et al., 2012 Anthropometric Survey of
 * U.S. Army Personnel, 2014 (crotch 0.47, seat 0.50, waist 0.61, chest 0.72, seventh vertebra of
 * the neck 0.86). Cross-sections between them are drawn by hand.
 *
 * The figure stands on y = 0 and looks along +z; its left is +x. */
#ifndef TOILE_FIGURE_FIGURE_H
#define TOILE_FIGURE_FIGURE_H

#include "figure/field.h"
#include "figure/vec.h"

typedef enum figure_joint {
    JOINT_ROOT, /* on the floor: carries the way that a motion goes */
    JOINT_HIPS,
    JOINT_SPINE,
    JOINT_CHEST,
    JOINT_NECK,
    JOINT_HEAD,
    JOINT_LEFT_CLAVICLE,
    JOINT_LEFT_UPPER_ARM,
    JOINT_LEFT_FOREARM,
    JOINT_LEFT_HAND,
    JOINT_LEFT_THIGH,
    JOINT_LEFT_SHIN,
    JOINT_LEFT_FOOT,
    JOINT_LEFT_TOES,
    JOINT_RIGHT_CLAVICLE,
    JOINT_RIGHT_UPPER_ARM,
    JOINT_RIGHT_FOREARM,
    JOINT_RIGHT_HAND,
    JOINT_RIGHT_THIGH,
    JOINT_RIGHT_SHIN,
    JOINT_RIGHT_FOOT,
    JOINT_RIGHT_TOES,
    JOINT_COUNT
} figure_joint;

enum { FIGURE_INFLUENCES = 4 }; /* joints per vertex at most */

/* From a joint of the left side to that of the right. */
enum { JOINT_MIRROR = JOINT_RIGHT_CLAVICLE - JOINT_LEFT_CLAVICLE };

extern const char *const figure_joint_names[JOINT_COUNT];
extern const int figure_joint_parents[JOINT_COUNT]; /* -1: none */

/* Groups of parts, see field_distance. */
enum { GROUP_TRUNK = 1, GROUP_ARM = 2, GROUP_LEG = 4, GROUP_HEAD = 8 };

/* What a figure is made from. Factors of 1 are the figure as it was drawn. */
typedef struct figure_shape {
    double height;            /* m */
    double chest, waist, hip; /* factors of the cross-sections */
    double arm[2];            /* sine and cosine of the angle between arms and vertical */
} figure_shape;

typedef struct figure {
    figure_shape shape;
    double scale; /* of its lengths: against the figure as it was drawn, 1.72 m tall */
    double unit;  /* m per millimetre of the drawing */
    field field;
    vec joints[JOINT_COUNT];  /* m, in the rest pose; all frames stand along the axes there */
    vec fingertip, toe, heel; /* m, of the left side */
    vec arm, leg;             /* unit: down those of the left side */
} figure;

void figure_make(figure *b, const figure_shape *shape);

#endif
