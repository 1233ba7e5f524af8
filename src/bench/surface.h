/* `toile bench mapping --device gl`. */
#ifndef TOILE_BENCH_SURFACE_H
#define TOILE_BENCH_SURFACE_H

#include <stdbool.h>

#include "toile/toile.h"

/* quick: tiny panels, which measure nothing of use. */
toile_result bench_surface(bool quick);

#endif
