/* The panels that mapping is measured on: about 1 m, 225 texels across. */
#ifndef TOILE_BENCH_PANELS_H
#define TOILE_BENCH_PANELS_H

#include "toile/toile.h"

enum { BENCH_PANELS = 3 };

#define BENCH_SPACING (1.0 / 224.0) /* m */

typedef struct bench_panel {
    const char *name;
    toile_outline outline;
    double edge; /* m, for 1000 to 1300 vertices */
} bench_panel;

extern const bench_panel bench_panels[BENCH_PANELS];

#endif
