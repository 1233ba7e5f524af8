/* What the host hands over for a step. */
#ifndef TOILE_GL_FRAGMENT_NUMBERS_H
#define TOILE_GL_FRAGMENT_NUMBERS_H

#include "gl/fragment/cloth.h"

/* Substeps whose bodies, pins and winds are uploaded at a time. */
enum { FRAGMENT_CHUNK = 64 };

/* Once a step: the block of a cloth, and its pinned texels. */
toile_result fragment_upload_cloth(device_cloth *cloth, const step_plan *plan, int index);

/* Where bodies and pins are and how the wind blows in some substeps, and what cloths have to do
 * with bodies. */
toile_result fragment_upload_numbers(device_context *gl, step_plan *plan, int begin, int end);

#endif
