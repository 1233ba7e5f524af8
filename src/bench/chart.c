#include "bench/chart.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/results.h"

void chart_add(chart_line *l, double x, double y) {
    if (l->count < CHART_POINTS) {
        l->x[l->count] = x;
        l->y[l->count++] = y;
    }
}

plot_series chart_series(const chart_line *l, const char *label) {
    return (plot_series){.label = label, .x = l->x, .y = l->y, .count = l->count};
}

toile_result chart_write(const char *folder, const char *bench, const char *name,
                         const plot_def *def) {
    char ending[64], *path = NULL;
    snprintf(ending, sizeof ending, "_%s.svg", name);
    toile_result result = results_path(folder, bench, ending, &path);
    if (result == TOILE_OK) {
        result = plot_write(def, path);
    }
    if (result == TOILE_OK) {
        printf("wrote %s\n", path);
    }
    free(path);
    return result;
}
