/* The grids of the implicit solver on the gl device. */
#ifndef TOILE_GL_CYCLE_H
#define TOILE_GL_CYCLE_H

#include "gl/cloth.h"

toile_result gl_set_cycle(device_cloth *cloth, const multigrid *tables, bool meshes);
void gl_cycle_free(gl_cycle *cycle); /* zeroed is fine; the context is current */

/* The matrices, unless the device has those of this substep. */
toile_result gl_cycle_upload(device_cloth *cloth);

/* How many iterations to queue in each substep, and what comes of it. Only time depends on it. */
int gl_guess_iterations(const gl_guess *guess, const step_plan *plan);
int gl_more_iterations(int number, const step_plan *plan); /* when those were too few */
void gl_learn_iterations(gl_guess *guess, int wanted);
/* The same of conjugate gradients in an iteration of Newton's method. */
int gl_guess_gradients(const gl_guess *guess, const step_plan *plan);
int gl_more_gradients(int number, const step_plan *plan);

#endif
