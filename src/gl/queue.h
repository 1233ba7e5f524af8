/* How far the host is ahead of the GPU. A step that may be stopped must not be queued as a whole:
 * what is queued is done. */
#ifndef TOILE_GL_QUEUE_H
#define TOILE_GL_QUEUE_H

#include <epoxy/gl.h>

#include "device/plan.h"

/* Substeps that are queued or running. The GPU always has the next one: it does not wait for the
 * host. */
enum { QUEUE_LENGTH = 4 };

typedef struct gl_queue {
    GLsync ends[QUEUE_LENGTH]; /* of the last substeps, NULL for none */
} gl_queue;                    /* zeroed */

/* A substep was queued. Waits until there is room for another one, and returns whether there is to
 * be none. Does nothing in a plan that is never stopped. */
bool queue_substep(gl_queue *q, const step_plan *plan, int substep);
void queue_close(gl_queue *q);

#endif
