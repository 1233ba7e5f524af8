/* Where a cloth can have got to, and whether it moved at all: what strain and penetration do not
 * tell of a cloth that flew off, or that hangs in the air as it was made. */
#ifndef TOILE_APP_COURSE_H
#define TOILE_APP_COURSE_H

#include "io/report.h"
#include "io/scene.h"

/* A cloth before its first step. */
typedef struct course {
    double middle[3];  /* m, mean of its texels */
    double coordinate; /* m, its largest one */
    double clearance;  /* m, that it can move before it touches a body; INFINITY without bodies */
    double free;       /* share of its texels that no pin holds */
} course;

/* One for each cloth of the scene, by its world as it was built. Freed with free(). */
toile_result courses_note(const scene *s, const toile_world *world, const scene_ids *ids,
                          course **out);

/* Adds a reason to the report for a cloth
 *   that has more energy than at its start, where nothing can give it any: no wind, and neither
 *   bodies nor pins that move;
 *   that no pin holds and that is farther away than gravity, wind and bodies can have taken it;
 *   that did not move though nothing but pins held it against gravity.
 * elapsed: s since the start. */
toile_result course_judge(const course *c, report *r, const scene *s, int index,
                          const toile_world *world, toile_cloth_id cloth,
                          const toile_metrics *metrics, double elapsed);

#endif
