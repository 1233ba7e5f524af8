/* What the host hands over for a step. */
#ifndef TOILE_GL_UPLOAD_H
#define TOILE_GL_UPLOAD_H

#include "gl/cloth.h"

/* Once a step: numbers, contacts and pinned texels of a cloth. */
toile_result upload_cloth(device_cloth *cloth, const step_plan *plan, int index);

/* Where bodies and pins are and how the wind blows in some substeps. */
toile_result upload_moments(device_context *gl, step_plan *plan, int begin, int end);

/* Where a level's numbers are in the cloth's; grids of the implicit solver come behind the levels.
 */
GLintptr upload_level_offset(const device_cloth *cloth, int depth);

#endif
