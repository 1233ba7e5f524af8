/* Bodies that are meshes, on the device. Those that deform are moved there: the host hands over
 * their vertices at the end of the step; corners and boxes are found by the device. */
#ifndef TOILE_GL_SOLIDS_H
#define TOILE_GL_SOLIDS_H

#include "gl/cloth.h"

/* All that a step needs of them, and of those that do not deform what the device does not have yet.
 */
toile_result gl_solids_upload(device_context *gl, const step_plan *plan);
void gl_solids_free(device_context *gl);

#endif
