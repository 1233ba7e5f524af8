/* What the tests of levels and of what runs on them share. */
#ifndef TOILE_TEST_LEVELS_H
#define TOILE_TEST_LEVELS_H

#include "worlds.h"

#include "cook/levels.h"

static unsigned seed = 1;

/* From 0 to 1. */
static inline double random_number(void) {
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / 16777216.0;
}

/* From -1 to 1. */
static inline float random_float(void) {
    return (float)(2.0 * random_number() - 1.0);
}

/* Of the edge at a texel or cell: steps to its ends. */
static const int ends[EDGE_KINDS][2][2] = {[EDGE_U] = {{0, 0}, {1, 0}},
                                           [EDGE_V] = {{0, 0}, {0, 1}},
                                           [EDGE_RISING] = {{0, 0}, {1, 1}},
                                           [EDGE_FALLING] = {{1, 0}, {0, 1}}};

static inline toile_world_def multilevel_def(int level_count, const toile_level_def *list) {
    toile_world_def def = test_world_def();
    def.solver.kind = TOILE_SOLVER_MULTILEVEL;
    def.solver.level_count = level_count;
    def.solver.levels = list;
    return def;
}

#endif
