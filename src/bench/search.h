/* Finding out how much work it takes until something is good enough. */
#ifndef TOILE_BENCH_SEARCH_H
#define TOILE_BENCH_SEARCH_H

#include <stdbool.h>

#include "toile/toile.h"

/* Tries a count and says how bad the result is. NAN: the count is more than can be tried. */
typedef toile_result search_try(void *user, int count, double *value);

typedef struct search_result {
    bool found;
    int count; /* found: the least; else: the largest that was tried and not good enough, or 0 */
} search_result;

/* The least count from 1 to cap whose value is at most the limit, for a value that falls with the
 * count: doubling from a guess, then halving the interval until it is a sixteenth of the count, for
 * every try may take seconds. A count of up to 16 is exact. */
toile_result search_least(search_try *attempt, void *user, double limit, int guess, int cap,
                          search_result *out);

#endif
