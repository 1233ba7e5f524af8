/* Couplings on the gl device: their lists, and what they are drawn to. */
#ifndef TOILE_GL_NEWTON_COUPLE_H
#define TOILE_GL_NEWTON_COUPLE_H

#include "gl/dispatch.h"

/* The lists of all levels, whose equations are there. */
toile_result gl_couplings_make(const machine *m, gl_newton *n);
/* Writes the plane of touched texels of a level, whose number this is. */
toile_result gl_couplings_mark(const gl_newton *n, int depth, int number);
/* What they are drawn to in all substeps of a plan. */
toile_result gl_couplings_aim(device_context *gl, const step_plan *plan);

#endif
