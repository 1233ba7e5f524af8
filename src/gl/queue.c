#include "gl/queue.h"

static void forget(gl_queue *q, int place) {
    if (q->ends[place]) {
        glDeleteSync(q->ends[place]);
        q->ends[place] = NULL;
    }
}

bool queue_substep(gl_queue *q, const step_plan *plan, int substep) {
    if (!plan->stop || substep + 1 == plan->substeps) {
        return false;
    }
    q->ends[substep % QUEUE_LENGTH] = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    const int oldest = (substep + 1) % QUEUE_LENGTH;
    if (q->ends[oldest]) {
        glClientWaitSync(q->ends[oldest], GL_SYNC_FLUSH_COMMANDS_BIT, GL_TIMEOUT_IGNORED);
    }
    forget(q, oldest);
    return plan_stops(plan);
}

void queue_close(gl_queue *q) {
    for (int place = 0; place < QUEUE_LENGTH; place++) {
        forget(q, place);
    }
}
