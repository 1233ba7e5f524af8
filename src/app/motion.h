/* The whole motion of a run as one .glb file. */
#ifndef TOILE_APP_MOTION_H
#define TOILE_APP_MOTION_H

#include <stdbool.h>
#include <stdint.h>

#include "app/meshes.h"
#include "io/pc2.h"
#include "io/scene.h"

/* Whether a body is not in the file: one that deforms without joints. */
bool motion_leaves_out(const scene *s, int body);

/* Refuses what would be too large, before anything is simulated. */
toile_result motion_check_size(const scene *s, const meshes *m, uint32_t samples);

/* motions: one a cloth. */
toile_result motion_write(const char *path, const scene *s, const meshes *m, pc2_reader **motions,
                          uint32_t samples);

#endif
