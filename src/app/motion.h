/* The whole motion of a run as one .glb file. */
#ifndef TOILE_APP_MOTION_H
#define TOILE_APP_MOTION_H

#include <stdint.h>

#include "app/meshes.h"
#include "io/pc2.h"
#include "io/scene.h"

/* Refuses what would be too large, before anything is simulated. */
toile_result motion_check_size(const scene *s, const meshes *m, uint32_t samples);

/* motions: one a cloth. */
toile_result motion_write(const char *path, const scene *s, const meshes *m, pc2_reader **motions,
                          uint32_t samples);

#endif
