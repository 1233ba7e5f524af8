/* The points of the charts of `toile bench schmitt`: runs of the hanging cloth under a solver that
 * is set up level by level, alone or until the strain is low enough. */
#ifndef TOILE_BENCH_TRIAL_H
#define TOILE_BENCH_TRIAL_H

#include "bench/hang.h"
#include "bench/results.h"
#include "bench/search.h"

/* How levels are relaxed. */
typedef enum trial_mix {
    TRIAL_GAUSS_SEIDEL,
    TRIAL_JACOBI,
    TRIAL_MIXED, /* Jacobi on the finest two, Gauss-Seidel on the others: Schmitt 2013, section 6 */
    TRIAL_MIXES
} trial_mix;

/* The figure of a frame's strains that trials are compared by. */
typedef enum trial_measure {
    TRIAL_MEAN,
    TRIAL_P99,
    TRIAL_P999,
    TRIAL_MAX,
    TRIAL_MEASURES
} trial_measure;

typedef struct trial {
    const char *part, *series; /* what it belongs to in the tables */
    hang_def def;
    trial_mix mix;
    int levels;     /* 0: the library chooses levels and iterations */
    int iterations; /* on every level */
    trial_measure measure;
    bool reached; /* false: a search ended without success, and the rest is its last try */
    hang_result result;
} trial;

/* What all trials of a benchmark share. */
typedef struct trials {
    results_file kept;
    const char *folder;
    const char *device; /* NULL: the CPU */
    int threads;
    bool quick;
    trial_measure measure; /* of the trials of the paper's solver */
} trials;

const char *trial_mix_name(trial_mix mix);
const char *trial_measure_name(trial_measure measure); /* as --measure takes it */

/* The paper's solver as it is: stiffness 1, one step a frame, one cycle. Two seconds, of which the
 * last third of a second is measured. */
trial trial_paper(const trials *c, const char *part, const char *series, int size);
/* The library's defaults, over all 300 frames, by their 99.9th percentile. */
trial trial_default(const trials *c, const char *part, const char *series, int size);

/* The mean over the measured frames of what it measures. */
double trial_strain(const trial *t);

/* Runs it, and puts it into the tables. */
toile_result trial_run(trials *c, trial *t);

/* Finds the least iterations, or where levels and iterations are given the least substeps, with a
 * strain of at most the limit, and puts that run into the tables. */
typedef enum trial_variable { TRIAL_ITERATIONS, TRIAL_SUBSTEPS } trial_variable;
toile_result trial_search(trials *c, trial *t, trial_variable variable, double limit, int guess);

/* The heading of a part of the tables on the standard output. */
void trial_print_head(const char *title, trial_measure limited);
void trial_write_head(trials *c);

#endif
