/* Passes over the levels of the multilevel solver. */
#ifndef TOILE_GL_LEVELS_H
#define TOILE_GL_LEVELS_H

#include "gl/dispatch.h"

/* What the next coarser level has changed, added to a level. */
void gl_run_upsample(gl_run_state *run, int depth);

/* Where the finest level takes an even number of iterations of Jacobi: all but the last one, which
 * the end of the substep may go along with. Returns whether that is so. */
bool gl_run_but_last(gl_run_state *run);

/* The level's iterations, and, if that is done next, texels out of shapes. Returns whether it has
 * done the latter. */
bool gl_run_relax(gl_run_state *run, int depth, bool projects);

#endif
