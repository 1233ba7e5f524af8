/* The steps of the fragment way. */
#ifndef TOILE_GL_FRAGMENT_RUN_H
#define TOILE_GL_FRAGMENT_RUN_H

#include "gl/fragment/cloth.h"

toile_result fragment_run(device_context *gl, step_plan *plan, device_cloth *const *cloths,
                          toile_profile *profile, device_solved *solved, device_failure *failure);

#endif
