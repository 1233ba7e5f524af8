/* The gradient of the bending energy at a texel, gathered from its twelve neighbours. PLACE is what
 * the shader names a texel by, and RIGHT the step to the next one of its row. */
#ifndef TOILE_GL_BENDING
#define TOILE_GL_BENDING

#include "kernel/bend.h"
#include "kernel/spring.h"

/* The shader's own: what is bent, ahead by its retardation, and the cells' coverage. */
vec3 bent_at(PLACE k);
float coverage_at(PLACE k);

/* As in cpu/bending.h: next is the step to the neighbour on the thread, side the step to the cell
 * on the other side of it. */
struct thread_weights {
    float before, after;
    float bend_before, bend_here, bend_after;
};

thread_weights weights_along(PLACE k, PLACE next, PLACE side) {
    float far_before = thread_weight(coverage_at(k - 2 * next), coverage_at(k - 2 * next - side));
    float before = thread_weight(coverage_at(k - next), coverage_at(k - next - side));
    float after = thread_weight(coverage_at(k), coverage_at(k - side));
    float far_after = thread_weight(coverage_at(k + next), coverage_at(k + next - side));
    return thread_weights(before, after, bend_weight(far_before, before),
                          bend_weight(before, after), bend_weight(after, far_after));
}

vec3 bend_thread(PLACE k, PLACE next, vec3 here, thread_weights w) {
    vec3 before2 = bent_at(k - 2 * next), before = bent_at(k - next);
    vec3 after = bent_at(k + next), after2 = bent_at(k + 2 * next);
    return bend_gradient(bend_along(before2, before, here), bend_along(before, here, after),
                         bend_along(here, after, after2), w.bend_before, w.bend_here,
                         w.bend_after);
}

vec3 twist_of(PLACE k, PLACE beside, PLACE above, vec3 here, float weight) {
    vec3 twist = bend_twist(here, bent_at(k + beside), bent_at(k + above),
                            bent_at(k + beside + above));
    return twist * weight;
}

vec3 bending_at(PLACE k, PLACE up, thread_weights wu, thread_weights wv) {
    vec3 here = bent_at(k);
    vec3 threads = bend_thread(k, RIGHT, here, wu) + bend_thread(k, up, here, wv);
    vec3 rising = twist_of(k, RIGHT, up, here, coverage_at(k)) +
                  twist_of(k, -RIGHT, -up, here, coverage_at(k - RIGHT - up));
    vec3 falling = twist_of(k, -RIGHT, up, here, coverage_at(k - RIGHT)) +
                   twist_of(k, RIGHT, -up, here, coverage_at(k - up));
    return threads + 2.0 * (rising + falling);
}

#endif
