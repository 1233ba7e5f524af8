/* Searches in the trees of bodies, for corrections in space. */
#ifndef TOILE_DEVICE_REFINE_SEARCH_H
#define TOILE_DEVICE_REFINE_SEARCH_H

#include "device/refine_scene.h"

/* Is a point inside a body at the end of the step? By winding numbers. */
bool refine_within(const refine_scene *s, v3 p);

/* Out of all bodies by the nearest surface that leads out of all of them; of those that face
 * `side`, if there are any. side: 0 for none. A point that is outside, and nearer to a surface than
 * the thickness, goes away from that one; one that no surface leads out stays. */
v3 refine_leave(const refine_scene *s, v3 p, v3 side, float thickness);

/* The end normal of the first triangle that a vertex met on its way from `before`, or 0. */
v3 refine_met_normal(const refine_scene *s, v3 before, v3 p);

#endif
