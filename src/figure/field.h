/* Smoothly joined solids as a function of space: negative inside, zero on the surface, and near it
 * about the distance to it.
 *
 * A part is a sweep: a cross-section that changes along a straight axis. The field is the smooth
 * union of its parts, mirrored at the plane x = 0. Only + - * / and sqrt are used, so that every
 * machine finds the same bits. */
#ifndef TOILE_FIGURE_FIELD_H
#define TOILE_FIGURE_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#include "figure/vec.h"

enum { FIELD_STATIONS = 20, FIELD_PARTS = 40 };

/* What a cross-section is at one place of the axis: how far it reaches to the four sides, in m. */
enum { REACH_OUT, REACH_IN, REACH_FRONT, REACH_BACK, REACH_COUNT };

typedef struct station {
    double at; /* m along the axis */
    double reach[REACH_COUNT];
} station;

typedef struct part {
    vec origin;
    vec axis, out, front; /* unit, at right angles to each other */
    station stations[FIELD_STATIONS];
    size_t count;
    double cap[2];    /* m, how far it is rounded beyond the first and the last station */
    double roundness; /* 2: ellipses; less, down to 0: rounded rectangles */
    double blend;     /* m, how wide the joint with the parts before it is */
    unsigned group;   /* one bit, see field_distance */
    bool hollow;      /* it is taken away instead of added */

    /* filled in by field_add */
    double curve[FIELD_STATIONS][REACH_COUNT]; /* second derivatives of a cubic spline */
    vec center;                                /* a ball around it */
    double radius;
} part;

typedef struct field {
    part parts[FIELD_PARTS];
    size_t count;
    double floor; /* m: all that is below this height is cut off, with a rounded edge */
} field;

void field_add(field *f, const part *p);

/* An ellipsoid is a sweep of no length. Radii along x, y, z. */
part part_ellipsoid(vec center, vec radii);

/* Of the parts of the groups given. */
double field_distance(const field *f, vec at, unsigned groups);

/* The gradient by central differences; not of unit length. */
vec field_gradient(const field *f, vec at);

#endif
