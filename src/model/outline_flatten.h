/* The curves of an outline as points. */
#ifndef TOILE_MODEL_OUTLINE_FLATTEN_H
#define TOILE_MODEL_OUTLINE_FLATTEN_H

#include "model/outline.h"

#define OUTLINE_LARGEST 1e4 /* m, of coordinates and sizes */

/* A share of the size of a loop: what is closer is at the same place. Floats of a metre are 6e-8 m
 * apart. */
#define OUTLINE_SAME_PLACE 1e-6

/* Fills the points and loops of an outline that is zeroed, as they run in the definition; box and
 * area are left. Refuses numbers that are none, open loops, curves without length, and too many
 * points. *curves: of each point, the curve that begins at it or runs through it. Whatever the
 * result, both are to be freed. */
toile_result outline_flatten(outline *o, const toile_outline *def, double tolerance,
                             uint32_t **curves);

#endif
