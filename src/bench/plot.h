/* Charts as SVG: lines with markers over linear or logarithmic axes. */
#ifndef TOILE_BENCH_PLOT_H
#define TOILE_BENCH_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "toile/toile.h"

/* The largest value that an axis takes, and one by it the smallest of a logarithmic axis. */
#define PLOT_LARGEST 1e100

/* Points that no axis takes, such as NaN and on a logarithmic axis zero, are left out and interrupt
 * the line. */
typedef struct plot_series {
    const char *label;
    const double *x, *y;
    size_t count;
} plot_series;

typedef struct plot_axis {
    const char *title; /* with the unit */
    bool logarithmic;
} plot_axis;

typedef struct plot_def {
    const char *title;
    plot_axis x, y;
    const plot_series *series;
    size_t series_count;
    const char *reference_label; /* of a horizontal line; NULL: none */
    double reference;            /* y of that line; left out like a point */
} plot_def;

/* Writes an 800 x 500 picture. Text is UTF-8. The axes take in all points and the reference. */
toile_result plot_write(const plot_def *def, const char *path);

#endif
