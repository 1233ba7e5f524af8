/* The steps of the gl device. */
#ifndef TOILE_GL_RUN_H
#define TOILE_GL_RUN_H

#include "gl/cloth.h"

toile_result gl_run(device_context *gl, step_plan *plan, device_cloth *const *cloths,
                    toile_profile *profile, device_solved *solved, device_failure *failure);

#endif
