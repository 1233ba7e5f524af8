/* Waiting awake for a moment, before going to sleep. */
#ifndef TOILE_BASE_SPIN_H
#define TOILE_BASE_SPIN_H

/* A tenth of a millisecond: more than a balanced pass differs by. A thread that waits awake for
 * longer keeps the one it waits for from running, on a machine that does something else as well: a
 * hundred times slower than one thread was seen. */
enum { SPINS = 8000 };

static inline void spin_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
