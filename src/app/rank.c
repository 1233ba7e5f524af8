#include "app/rank.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void rank_sort(double *values, size_t count) {
    qsort(values, count, sizeof *values, compare);
}

double rank_get(const double *sorted, size_t count, double share) {
    size_t rank = (size_t)ceil(share * (double)count);
    return sorted[rank > 0 ? rank - 1 : 0];
}

double rank_mean(const double *values, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
    }
    return count > 0 ? sum / (double)count : 0.0;
}
