/* Cloths that start inside bodies. */
#ifndef TOILE_IO_SCENE_ENCOUNTER_H
#define TOILE_IO_SCENE_ENCOUNTER_H

#include "io/scene.h"

/* Refuses a world that was built from a scene, before its first step, where a cloth is inside a
 * body: names both and the depth. A body between the texels of a flat cloth counts; of a cloth that
 * starts as a mesh only the texels do. */
toile_result scene_check_encounters(const scene *s, const toile_world *world, const scene_ids *ids);

#endif
