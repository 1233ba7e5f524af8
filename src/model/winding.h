/* How often the surface of a solid goes around a point: its winding number. 0 outside, 1 inside, 2
 * where two parts of the solid overlap, as arms and trunk do in armpits. It is what measuring tells
 * inside from outside by, and shares nothing with solid_distance(), which the solvers use. */
#ifndef TOILE_MODEL_WINDING_H
#define TOILE_MODEL_WINDING_H

#include "model/solid.h"

/* The winding number of a point of a closed solid at a time of the step, 0 to 1. A point that is on
 * the surface but for rounding may get that of either side. May be called from many threads at
 * once; does not allocate. */
int solid_winding(const solid *s, v3 point, float time);

#endif
