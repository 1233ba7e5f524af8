/* What the implicit solver keeps of a cloth on the gl device, and how many iterations it queues. */
#ifndef TOILE_GL_IMPLICIT_H
#define TOILE_GL_IMPLICIT_H

#include "gl/cloth.h"

toile_result gl_set_implicit(device_cloth *cloth, bool meshes);
void gl_implicit_free(gl_implicit *s); /* zeroed is fine; the context is current */

/* How many iterations to queue in each substep where nobody tells when they end (gl/watch.h), and
 * what comes of it. Only time depends on it. */
int gl_guess_iterations(const gl_guess *guess, const step_plan *plan);
int gl_more_iterations(int number, const step_plan *plan); /* when those were too few */
void gl_learn_iterations(gl_guess *guess, int wanted);
/* The same of conjugate gradients in an iteration of Newton's method. */
int gl_guess_gradients(const gl_guess *guess, const step_plan *plan);
int gl_more_gradients(int number, const step_plan *plan);

#endif
