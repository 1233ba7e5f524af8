/* Searches in the trees of bodies, for corrections in space. */
#ifndef TOILE_DEVICE_REFINE_SEARCH_H
#define TOILE_DEVICE_REFINE_SEARCH_H

#include "device/refine_scene.h"

/* Out of all bodies by the nearest surface that leads out of all of them; of those that face
 * `side`, if there are any. side: 0 for none. A point that is outside stays, and so does one that
 * no surface leads out. */
v3 refine_leave(const refine_scene *s, v3 p, v3 side, float thickness);

/* The end normal of the first triangle that a vertex met on its way from `before`, or 0. */
v3 refine_met_normal(const refine_scene *s, v3 before, v3 p);

#endif
