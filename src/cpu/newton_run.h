/* The threads of Newton's method on the CPU. */
#ifndef TOILE_CPU_NEWTON_RUN_H
#define TOILE_CPU_NEWTON_RUN_H

#include <stdatomic.h>

#include "base/barrier.h"
#include "cpu/newton.h"

/* What the threads of a solve share. */
typedef struct newton_run {
    newton_state *state;
    const newton_table *table;
    const pass_args *panels;
    const step_plan *plan;
    const self_table *self; /* NULL: none */
    meet_table *meet;       /* NULL: cloth is not held apart by bounds */
    barrier *barrier;
    void (*timed)(void *user, int depth); /* thread 0 has done a pass */
    void (*ask)(void *user);              /* thread 0: does the caller want to stop? */
    const atomic_bool *stopped;           /* what it found */
    void *user;
} newton_run;

/* What a solve has left. */
typedef struct newton_left {
    int iterations;
    int gradients;  /* iterations of conjugate gradients in all of them, of the part with most */
    float longest;  /* m, that the last one moved a texel */
    bool converged; /* it was less than what was asked for */
} newton_left;

/* One thread's part of the solve of a substep; all find the same. */
newton_left newton_solve(const newton_run *run, int thread);

#endif
