/* The grids of the implicit solver on the gl device. */
#ifndef TOILE_GL_CYCLE_H
#define TOILE_GL_CYCLE_H

#include "gl/cloth.h"

toile_result gl_set_cycle(device_cloth *cloth, const multigrid *tables, bool meshes);
void gl_cycle_free(gl_cycle *cycle); /* zeroed is fine; the context is current */

/* The matrices, unless the device has those of this substep. */
toile_result gl_cycle_upload(device_cloth *cloth, float substep);

/* Friction, and with second order the change of velocities, before a step and back after a failure.
 */
void gl_cycle_backup(const device_cloth *cloth);
void gl_cycle_restore(const device_cloth *cloth);

#endif
