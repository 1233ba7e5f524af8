/* The outline of a panel as polygons. */
#ifndef TOILE_MODEL_OUTLINE_H
#define TOILE_MODEL_OUTLINE_H

#include <stdint.h>

#include "toile/toile.h"

/* Loops of points, one behind the other; the first runs counter-clockwise, holes clockwise. No two
 * points in a row are the same; the last one of a loop is joined to its first. */
typedef struct outline {
    double (*points)[2]; /* m */
    uint32_t point_count;
    uint32_t *loop_ends; /* one past the last point of each loop */
    int loop_count;
    double low[2], high[2]; /* m, box around all points */
    double area;            /* m^2, without the holes */
} outline;

/* Flattens curves so that no chord is further than `tolerance` metres from its curve, and checks:
 * loops closed, nothing crosses or touches, no duplicate points, no zero area, holes inside. The
 * message names loop and curve. */
toile_result outline_create(outline *o, const toile_outline *def, double tolerance);
toile_result outline_create_rectangle(outline *o, double width, double height);
void outline_free(outline *o); /* zeroed is fine */

/* Turns it by an angle about the origin, and moves it. Box and area are kept right. */
void outline_turn(outline *o, double degrees);
void outline_move(outline *o, double u, double v);

#endif
