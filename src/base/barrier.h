/* A barrier for the threads of a step. It waits awake for a moment (base/spin.h), then sleeps. */
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
