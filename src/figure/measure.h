/* The measurements of a standing body, as a tailor takes them, from any triangle mesh.
 *
 * The body stands along +y. Girths are the lengths of a tape around a horizontal slice: of its
 * convex hull, for a tape does not follow hollows. Levels are looked for where fractions of the
 * stature say they are (see figure/figure.h): the chest is the largest girth below the armpits, the
 * waist the smallest between ribs and hips, the hip the largest around the seat (EN 13402-1). */
#ifndef TOILE_FIGURE_MEASURE_H
#define TOILE_FIGURE_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#include "figure/vec.h"
#include "toile/toile.h"

typedef struct measures {
    double height;            /* m, all of them; 0: could not be found */
    double chest, waist, hip; /* girths */
    double inseam;            /* from the crotch to the floor */
    double arm; /* from the tip of the shoulder to the wrist: to the fingertip, less a hand of 0.108
                   of the stature */
    double chest_level, waist_level, hip_level; /* heights above the floor */
} measures;

/* The range of heights, as fractions of the stature, in which a girth is looked for. */
typedef struct girth_range {
    double low, high;
    double sign; /* 1: the largest, -1: the smallest */
} girth_range;

extern const girth_range chest_range, waist_range, hip_range;

enum { GIRTH_LEVELS = 24 }; /* heights that are tried within a range */

/* The length of the convex hull of points, whose y does not count; sorts them. */
double hull_length(vec *points, size_t count);

toile_result measure_body(const float *positions, size_t vertices, const uint32_t *indices,
                          size_t triangles, measures *out);

#endif
