#include "base/barrier.h"

#include "base/spin.h"

void barrier_create(barrier *b, int threads) {
    b->threads = threads;
    atomic_init(&b->arrived, 0);
    atomic_init(&b->phase, 0);
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->passed, NULL);
}

void barrier_destroy(barrier *b) {
    pthread_cond_destroy(&b->passed);
    pthread_mutex_destroy(&b->lock);
}

static void open_next_phase(barrier *b) {
    atomic_store_explicit(&b->arrived, 0, memory_order_relaxed);
    pthread_mutex_lock(&b->lock);
    atomic_fetch_add_explicit(&b->phase, 1, memory_order_release);
    pthread_cond_broadcast(&b->passed);
    pthread_mutex_unlock(&b->lock);
}

void barrier_wait(barrier *b) {
    if (b->threads == 1) {
        return;
    }
    unsigned phase = atomic_load_explicit(&b->phase, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&b->arrived, 1, memory_order_acq_rel) == b->threads - 1) {
        open_next_phase(b);
        return;
    }
    for (int spin = 0; spin < SPINS; spin++) {
        if (atomic_load_explicit(&b->phase, memory_order_acquire) != phase) {
            return;
        }
        spin_pause();
    }
    pthread_mutex_lock(&b->lock);
    while (atomic_load_explicit(&b->phase, memory_order_acquire) == phase) {
        pthread_cond_wait(&b->passed, &b->lock);
    }
    pthread_mutex_unlock(&b->lock);
}
