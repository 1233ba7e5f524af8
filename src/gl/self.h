/* Cloth against cloth on the gl device: a hash of cubes that is sorted in every substep. */
#ifndef TOILE_GL_SELF_H
#define TOILE_GL_SELF_H

#include "gl/cloth.h"

/* Makes room for so many cloths, those of the next steps. The context is current. */
toile_result gl_self_make(device_context *gl, device_cloth *const *cloths, const float *distances,
                          int count);
void gl_self_free(gl_self *self); /* zeroed is fine; likewise */

/* Room for at least so many springs that repel texels; what cloths have in the step is uploaded
 * again behind it. On failure it is as before. */
toile_result gl_self_grow(device_context *gl, int springs);

/* Once a step: what cloths have in it. */
toile_result gl_self_upload(device_context *gl, const step_plan *plan, device_cloth *const *cloths);

#endif
