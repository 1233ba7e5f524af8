/* Searches in the trees of bodies, for corrections in space. */
#ifndef TOILE_CPU_REFINE_SEARCH_H
#define TOILE_CPU_REFINE_SEARCH_H

#include "device/refine_scene.h"

/* How often a body winds around a point at the end of the step: not 0 inside. */
int refine_winding(const refine_scene *s, const refine_body *b, v3 p);

/* Out of all bodies that are kept, by the nearest surface; the first one must face `side`, unless
 * that is 0. A point that is outside stays. */
v3 refine_leave(const refine_scene *s, v3 p, v3 side, float thickness);

/* The end normal of the first triangle that a vertex met on its way from `before`, or 0. */
v3 refine_met_normal(const refine_scene *s, v3 before, v3 p);

#endif
