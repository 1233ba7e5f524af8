#include "base/halving.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct sort_key {
    float middle;
    uint32_t thing;
} sort_key;

static int compare_keys(const void *left, const void *right) {
    const sort_key *a = left, *b = right;
    if (a->middle != b->middle) {
        return a->middle < b->middle ? -1 : 1;
    }
    return (a->thing > b->thing) - (a->thing < b->thing);
}

toile_result halving_create(halving *h, const float *middles, uint32_t count, const char *what) {
    *h = (halving){.middles = middles};
    sort_key *keys = memory_alloc(count, sizeof *keys, what);
    h->scratch = memory_alloc(count, sizeof *h->scratch, what);
    h->second = memory_alloc(count, sizeof *h->second, what);
    bool good = keys && h->scratch && h->second;
    for (int axis = 0; axis < 3 && good; axis++) {
        h->sorted[axis] = memory_alloc(count, sizeof *h->sorted[axis], what);
        good = h->sorted[axis];
        for (uint32_t i = 0; good && i < count; i++) {
            keys[i] = (sort_key){middles[3 * (size_t)i + (size_t)axis], i};
        }
        if (good) {
            qsort(keys, count, sizeof *keys, compare_keys);
        }
        for (uint32_t i = 0; good && i < count; i++) {
            h->sorted[axis][i] = keys[i].thing;
        }
    }
    free(keys);
    return good ? TOILE_OK : TOILE_ERROR_MEMORY;
}

void halving_free(halving *h) {
    for (int axis = 0; axis < 3; axis++) {
        free(h->sorted[axis]);
    }
    free(h->scratch);
    free(h->second);
    *h = (halving){0};
}

static int longest_axis(const halving *h, uint32_t first, uint32_t count) {
    int longest = 0;
    float most = -1.0f;
    for (int axis = 0; axis < 3; axis++) {
        const uint32_t *sorted = h->sorted[axis] + first;
        const float *middles = h->middles + axis;
        float extent = middles[3 * (size_t)sorted[count - 1]] - middles[3 * (size_t)sorted[0]];
        if (extent > most) {
            most = extent;
            longest = axis;
        }
    }
    return longest;
}

/* Keeps the order on both sides. */
static void partition(halving *h, int axis, uint32_t first, uint32_t count) {
    uint32_t *sorted = h->sorted[axis] + first;
    uint32_t left = 0, right = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (h->second[sorted[i]]) {
            h->scratch[right++] = sorted[i];
        } else {
            sorted[left++] = sorted[i];
        }
    }
    memcpy(sorted + left, h->scratch, right * sizeof *sorted);
}

void halving_split(halving *h, uint32_t first, uint32_t count, uint32_t left) {
    int axis = longest_axis(h, first, count);
    for (uint32_t i = 0; i < count; i++) {
        h->second[h->sorted[axis][first + i]] = i >= left;
    }
    for (int other = 0; other < 3; other++) {
        if (other != axis) {
            partition(h, other, first, count);
        }
    }
}
