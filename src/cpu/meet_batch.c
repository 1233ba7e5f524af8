/* Geometry of pairs, and boxes, in vectors. All lanes of a batch are done; those beyond its count
 * mean nothing. */
#include "cpu/meet_batch.h"
#include "cpu/newton.h"

#include <math.h>

__attribute__((always_inline)) static inline v3 corner(const float rows[3][MEET_BATCH], int i) {
    return v3_make(rows[0][i], rows[1][i], rows[2][i]);
}

__attribute__((always_inline)) static inline ccd_quad quad(const meet_batch *batch, int i) {
    return (ccd_quad){corner(batch->a, i), corner(batch->b, i), corner(batch->c, i),
                      corner(batch->d, i)};
}

void CPU_FN(meet_measure)(meet_batch *restrict batch) {
#pragma omp simd
    for (int i = 0; i < MEET_BATCH; i++) {
        v4 direction = ccd_direction(quad(batch, i));
        batch->normal[0][i] = direction.x;
        batch->normal[1][i] = direction.y;
        batch->normal[2][i] = direction.z;
        batch->distance[i] = direction.w;
    }
}

void CPU_FN(meet_locate)(meet_batch *restrict batch) {
#pragma omp simd
    for (int i = 0; i < MEET_BATCH; i++) {
        ccd_quad q = quad(batch, i);
        v4 abc = ccd_triangle_weights(q.a, q.b, q.c);
        v4 acd = ccd_triangle_weights(q.a, q.c, q.d);
        v3 at = ccd_edges_at(abc, acd);
        batch->at_triangle[0][i] = abc.x;
        batch->at_triangle[1][i] = abc.y;
        batch->at_triangle[2][i] = abc.z;
        batch->at_edges[0][i] = at.x;
        batch->at_edges[1][i] = at.y;
    }
}

/* One axis. */
static inline void fit_axis(tree_leaf *restrict leaf, meet_leaf *restrict own,
                            const float *restrict from, const float *restrict until, float grow,
                            int axis) {
#pragma omp simd
    for (int i = 0; i < TREE_LEAF; i++) {
        const bool there = leaf->vertices[0][i] != TREE_NO_VERTEX;
        const size_t a = there ? 3 * (size_t)leaf->vertices[0][i] : 0;
        const size_t b = there ? 3 * (size_t)leaf->vertices[1][i] : 0;
        const size_t c = there ? 3 * (size_t)leaf->vertices[2][i] : 0;
        const float *x = from + axis, *y = until + axis;
        const float low = k_min(x[a], k_min(x[b], x[c])), high = k_max(x[a], k_max(x[b], x[c]));
        const float end_low = k_min(y[a], k_min(y[b], y[c])),
                    end_high = k_max(y[a], k_max(y[b], y[c]));
        const float wa = y[a] - x[a], wb = y[b] - x[b], wc = y[c] - x[c];
        own->low[axis][i] = there ? low : INFINITY;
        own->high[axis][i] = there ? high : -INFINITY;
        own->way_low[axis][i] = k_min(wa, k_min(wb, wc));
        own->way_high[axis][i] = k_max(wa, k_max(wb, wc));
        leaf->low[axis][i] = there ? k_min(low, end_low) - grow : INFINITY;
        leaf->high[axis][i] = there ? k_max(high, end_high) + grow : -INFINITY;
    }
}

void CPU_FN(meet_fit)(tree_leaf *leaf, meet_leaf *own, const float *from, const float *until,
                      float grow) {
    for (int axis = 0; axis < 3; axis++) {
        fit_axis(leaf, own, from, until, grow, axis);
    }
}
