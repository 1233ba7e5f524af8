/* Halving a set of things by where they are, over and over: what trees of boxes are built by. Each
 * axis is sorted once and keeps its order, so that all halvings together take n log n. */
#ifndef TOILE_BASE_HALVING_H
#define TOILE_BASE_HALVING_H

#include <stdbool.h>
#include <stdint.h>

#include "toile/toile.h"

typedef struct halving {
    const float *middles; /* 3 a thing, the caller's */
    uint32_t *sorted[3];  /* things by their middle along an axis; a part has the same range in each
                             of them */
    uint32_t *scratch;
    bool *second; /* whether a thing goes to the second part */
} halving;

/* what: named where memory is short. */
toile_result halving_create(halving *h, const float *middles, uint32_t count, const char *what);
void halving_free(halving *h); /* zeroed is fine */

/* Splits the part of `count` things, at least one, from `first` on: along its longest axis, the
 * lowest `left` of them first. */
void halving_split(halving *h, uint32_t first, uint32_t count, uint32_t left);

#endif
