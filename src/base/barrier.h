/* A barrier for the threads of a step.
 *
 * OpenMP's own spins for milliseconds before it sleeps. On a machine that does something else as
 * well, the partner that is waited for is then kept from running by the thread that waits for it: a
 * hundred times slower than one thread was seen. This one spins for a tenth of a millisecond, more
 * than a balanced pass differs by, and sleeps. */
#ifndef TOILE_BASE_BARRIER_H
#define TOILE_BASE_BARRIER_H

#include <pthread.h>
#include <stdatomic.h>

typedef struct barrier {
    int threads;
    atomic_int arrived;
    atomic_uint phase;
    pthread_mutex_t lock; /* for those that sleep */
    pthread_cond_t passed;
} barrier;

void barrier_create(barrier *b, int threads);
void barrier_destroy(barrier *b);

/* Returns when all threads have called it; what they wrote before is visible after. */
void barrier_wait(barrier *b);

#endif
