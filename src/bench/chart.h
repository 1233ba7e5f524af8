/* The charts of a benchmark: lines that grow point by point, and files beside its tables. */
#ifndef TOILE_BENCH_CHART_H
#define TOILE_BENCH_CHART_H

#include "bench/plot.h"

enum { CHART_POINTS = 16 };

/* A line while it is measured. */
typedef struct chart_line {
    double x[CHART_POINTS], y[CHART_POINTS];
    size_t count;
} chart_line;

void chart_add(chart_line *l, double x, double y);
/* As long as the line is there. */
plot_series chart_series(const chart_line *l, const char *label);

/* Writes FOLDER/BENCH_<machine>_NAME.svg and says so on the standard output. */
toile_result chart_write(const char *folder, const char *bench, const char *name,
                         const plot_def *def);

#endif
