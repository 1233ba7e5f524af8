/* Percentiles. */
#ifndef TOILE_APP_RANK_H
#define TOILE_APP_RANK_H

#include <stddef.h>

/* Sorts values, smallest first. */
void rank_sort(double *values, size_t count);

/* The value that a share of the sorted values, at least one, does not exceed. */
double rank_get(const double *sorted, size_t count, double share);

double rank_mean(const double *values, size_t count);

#endif
