/* Newton's method on the gl device: all panels of a world in the same planes. */
#ifndef TOILE_GL_NEWTON_H
#define TOILE_GL_NEWTON_H

#include "gl/dispatch.h"

/* Makes room for the equations of all cloths of a world; those before are gone. */
toile_result gl_set_equations(device_context *gl, device_cloth *const *cloths, int count,
                              const coupling_base *couplings, int coupling_count);
device_system gl_system(const device_context *gl); /* what they take */
void gl_newton_free(gl_newton *n);                 /* zeroed is fine; the context is current */

/* The numbers of a step. */
toile_result gl_newton_upload(device_context *gl, const step_plan *plan,
                              device_cloth *const *cloths);

/* Queues PASS_SOLVE of a substep, with as many iterations as the run has. */
void gl_newton_run(gl_run_state *run);

#endif
