/* Passes over the levels of the multilevel solver. */
#ifndef TOILE_GL_LEVELS_H
#define TOILE_GL_LEVELS_H

#include "gl/dispatch.h"

/* What the next coarser level has changed, added to a level. */
void gl_run_upsample(gl_run_state *run, int depth);

/* The level's iterations, and, if that is done next, texels out of shapes. Returns whether it has
 * done the latter. */
bool gl_run_relax(gl_run_state *run, int depth, bool projects);

#endif
