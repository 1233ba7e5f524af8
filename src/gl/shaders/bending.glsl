/* The gradient of the bending energy at a texel, gathered from its twelve neighbours. */
#ifndef TOILE_GL_BENDING
#define TOILE_GL_BENDING

#include "kernel/bend.h"
#include "kernel/spring.h"

/* The shader's own: what is bent, ahead by its retardation, and the cells' coverage. */
vec3 bent_at(int k);
float coverage_at(int k);

/* As in cpu/bending.h: next is the step to the neighbour on the thread, side the step to the cell
 * on the other side of it. */
struct thread_weights {
    float before, after;
    float bend_before, bend_here, bend_after;
};

thread_weights weights_along(int k, int next, int side) {
    float far_before = thread_weight(coverage_at(k - 2 * next), coverage_at(k - 2 * next - side));
    float before = thread_weight(coverage_at(k - next), coverage_at(k - next - side));
    float after = thread_weight(coverage_at(k), coverage_at(k - side));
    float far_after = thread_weight(coverage_at(k + next), coverage_at(k + next - side));
    return thread_weights(before, after, bend_weight(far_before, before),
                          bend_weight(before, after), bend_weight(after, far_after));
}

vec3 bend_thread(int k, int next, vec3 here, thread_weights w) {
    vec3 before2 = bent_at(k - 2 * next), before = bent_at(k - next);
    vec3 after = bent_at(k + next), after2 = bent_at(k + 2 * next);
    return bend_gradient(bend_along(before2, before, here), bend_along(before, here, after),
                         bend_along(here, after, after2), w.bend_before, w.bend_here,
                         w.bend_after);
}

vec3 twist_of(int k, int beside, int above, vec3 here, float weight) {
    vec3 twist = bend_twist(here, bent_at(k + beside), bent_at(k + above),
                            bent_at(k + beside + above));
    return twist * weight;
}

vec3 bending_at(int k, int up, thread_weights wu, thread_weights wv) {
    vec3 here = bent_at(k);
    vec3 threads = bend_thread(k, 1, here, wu) + bend_thread(k, up, here, wv);
    vec3 rising = twist_of(k, 1, up, here, coverage_at(k)) +
                  twist_of(k, -1, -up, here, coverage_at(k - 1 - up));
    vec3 falling = twist_of(k, -1, up, here, coverage_at(k - 1)) +
                   twist_of(k, 1, -up, here, coverage_at(k - up));
    return threads + 2.0 * (rising + falling);
}

#endif
