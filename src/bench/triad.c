#include "bench/triad.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "app/rank.h"
#include "base/clock.h"
#include "base/team.h"

enum { ROUNDS = 7 };
static const int64_t COUNT = 1 << 25;

typedef struct arrays {
    float *a, *b, *c;
    bool fill; /* by the member that reads it later, so that it lies near its processor */
} arrays;

static void add(void *argument, int member, int members) {
    const arrays *x = argument;
    const int64_t begin = COUNT * member / members, end = COUNT * (member + 1) / members;
    for (int64_t i = begin; x->fill && i < end; i++) {
        x->b[i] = 1.0f;
        x->c[i] = 2.0f;
    }
    float *restrict a = x->a;
    const float *b = x->b, *c = x->c;
    for (int64_t i = begin; i < end; i++) {
        a[i] = b[i] + 3.0f * c[i];
    }
}

double triad_measure(int threads) {
    const size_t bytes = (size_t)COUNT * sizeof(float);
    arrays x = {malloc(bytes), malloc(bytes), malloc(bytes), false};
    team *members = team_create(threads);
    double seconds[ROUNDS];
    bool whole = x.a && x.b && x.c && members;
    for (int round = -1; whole && round < ROUNDS; round++) {
        double start = clock_ms();
        x.fill = round < 0;
        team_run(members, team_size(members), add, &x);
        if (round >= 0) {
            seconds[round] = (clock_ms() - start) * 1e-3;
        }
    }
    whole = whole && x.a[COUNT - 1] == 7.0f;
    team_destroy(members);
    free(x.a);
    free(x.b);
    free(x.c);
    if (!whole) {
        return NAN;
    }
    rank_sort(seconds, ROUNDS);
    return 3.0 * (double)bytes / rank_get(seconds, ROUNDS, 0.5);
}
