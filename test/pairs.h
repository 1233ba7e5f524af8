/* Two worlds that should do the same. */
#ifndef TOILE_TEST_PAIRS_H
#define TOILE_TEST_PAIRS_H

#include "worlds.h"

/* The largest distance of two worlds' texels, all cloths. */
static inline double apart(const toile_world *a, const toile_world *b) {
    toile_cloth_id ids[8];
    double most = 0.0;
    int cloths = toile_world_get_cloths(a, ids, 8);
    assert_true(cloths <= 8);
    for (int c = 0; c < cloths; c++) {
        float *x = texel_positions(a, ids[c]), *y = texel_positions(b, ids[c]);
        size_t count = 3 * toile_cloth_get_info(a, ids[c]).texels;
        for (size_t i = 0; i < count; i++) {
            most = fmax(most, fabs((double)x[i] - (double)y[i]));
        }
        free(x);
        free(y);
    }
    return most;
}

static inline void copy_world(const toile_world *from, toile_world *to) {
    size_t size = toile_world_state_size(from);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_ok(toile_world_save_state(from, bytes, size));
    assert_ok(toile_world_load_state(to, bytes, size));
    free(bytes);
}

#endif
