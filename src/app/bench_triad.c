#include "app/bench_triad.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/rank.h"
#include "base/clock.h"

enum { ROUNDS = 7 };

double triad_measure(int threads) {
    const int team = threads > 0 ? threads : (int)sysconf(_SC_NPROCESSORS_ONLN);
    (void)team; /* without OpenMP */
    const ptrdiff_t count = 1 << 25;
    float *a = malloc((size_t)count * sizeof *a), *b = malloc((size_t)count * sizeof *b),
          *c = malloc((size_t)count * sizeof *c);
    double seconds[ROUNDS];
    for (int round = -1; a && b && c && round < ROUNDS; round++) {
        double start = clock_ms();
#pragma omp parallel for simd num_threads(team) schedule(static)
        for (ptrdiff_t i = 0; i < count; i++) {
            if (round < 0) {
                b[i] = 1.0f;
                c[i] = 2.0f;
            }
            a[i] = b[i] + 3.0f * c[i];
        }
        if (round >= 0) {
            seconds[round] = (clock_ms() - start) * 1e-3;
        }
    }
    bool done = a && b && c && a[count - 1] == 7.0f;
    free(a);
    free(b);
    free(c);
    if (!done) {
        return NAN;
    }
    rank_sort(seconds, ROUNDS);
    return 3.0 * sizeof(float) * (double)count / rank_get(seconds, ROUNDS, 0.5);
}
