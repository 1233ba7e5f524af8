/* The gradient of the bending energy at a texel, gathered from its twelve neighbours. */
#ifndef TOILE_CPU_BENDING_H
#define TOILE_CPU_BENDING_H

#include "cpu/passes.h"
#include "kernel/bend.h"
#include "kernel/spring.h"

/* Weights of the threads and second differences around a texel along one direction. next is the
 * step to the neighbour on the thread, side the step to the cell on the other side of it. */
typedef struct thread_weights {
    float before, after;                      /* springs to the neighbours */
    float bend_before, bend_here, bend_after; /* second differences at them and here */
} thread_weights;

__attribute__((always_inline)) static inline thread_weights
weights_along(const float *restrict c, ptrdiff_t k, ptrdiff_t next, ptrdiff_t side) {
    float far_before = thread_weight(c[k - 2 * next], c[k - 2 * next - side]);
    float before = thread_weight(c[k - next], c[k - next - side]);
    float after = thread_weight(c[k], c[k - side]);
    float far_after = thread_weight(c[k + next], c[k + next - side]);
    thread_weights w = {before, after, bend_weight(far_before, before), bend_weight(before, after),
                        bend_weight(after, far_after)};
    return w;
}

/* What is bent: positions ahead by the retardation time, which damps. How far that is follows from
 * velocities, or from where texels were a substep ago. */
typedef enum bent_kind { BENT_BY_VELOCITY, BENT_SINCE_START } bent_kind;

typedef struct bent_field {
    field x, other;    /* other: velocities, or earlier positions */
    float retardation; /* s, or substeps */
    bent_kind kind;
} bent_field;

__attribute__((always_inline)) static inline v3 bent_at(bent_field f, ptrdiff_t k) {
    v3 x = field_at(f.x, k);
    v3 other = field_at(f.other, k);
    return v3_madd(x, f.kind == BENT_SINCE_START ? v3_sub(x, other) : other, f.retardation);
}

/* Gradient along a thread direction, before the constant. */
__attribute__((always_inline)) static inline v3
bend_thread(bent_field f, ptrdiff_t k, ptrdiff_t next, v3 here, thread_weights w) {
    v3 before2 = bent_at(f, k - 2 * next), before = bent_at(f, k - next);
    v3 after = bent_at(f, k + next), after2 = bent_at(f, k + 2 * next);
    return bend_gradient(bend_along(before2, before, here), bend_along(before, here, after),
                         bend_along(here, after, after2), w.bend_before, w.bend_here, w.bend_after);
}

__attribute__((always_inline)) static inline v3
twist_of(bent_field f, ptrdiff_t k, ptrdiff_t beside, ptrdiff_t above, v3 here, float weight) {
    v3 twist = bend_twist(here, bent_at(f, k + beside), bent_at(f, k + above),
                          bent_at(f, k + beside + above));
    return v3_scale(twist, weight);
}

/* The gradient at a texel, before the constant. Inlined whatever it costs, for a loop with a call
 * has no vectors. */
__attribute__((always_inline)) static inline v3 bending_at(bent_field f, const float *restrict c,
                                                           ptrdiff_t k, ptrdiff_t up,
                                                           thread_weights wu, thread_weights wv) {
    v3 here = bent_at(f, k);
    v3 threads = v3_add(bend_thread(f, k, 1, here, wu), bend_thread(f, k, up, here, wv));
    v3 rising =
        v3_add(twist_of(f, k, 1, up, here, c[k]), twist_of(f, k, -1, -up, here, c[k - 1 - up]));
    v3 falling =
        v3_add(twist_of(f, k, -1, up, here, c[k - 1]), twist_of(f, k, 1, -up, here, c[k - up]));
    return v3_add(threads, v3_scale(v3_add(rising, falling), 2.0f));
}

#endif
