/* The scene that simulators are compared on, scenes/bench/hang.json: 1 m square of 0.2 kg, held at
 * two corners, that starts level and swings down over a sphere. Built through the API, for an
 * installed command has no scenes. */
#ifndef TOILE_BENCH_HANG_H
#define TOILE_BENCH_HANG_H

#include <stdbool.h>

#include "toile/toile.h"

enum { HANG_FRAMES = 300 };

typedef struct hang_def {
    int size;           /* texels along an edge, at least 2 */
    const char *device; /* as in toile_world_def; "cpu" */
    int threads;        /* likewise */
    int frames;         /* at least 2 */
    int first;          /* the late frames are this one, 1 to frames, and those behind it: strain
                           is measured after each of them */
    float time_step;    /* s */
    int settle;         /* frames behind those, for what is measured at rest; 0: none */
    double budget; /* s; a run that would take longer is given up after a few frames; 0: none */
    toile_solver_def solver;
} hang_def;

/* 300 frames at 60 a second, late from the 60th on; the default solver. */
hang_def hang_default_def(int size);

/* How far a cloth has come. */
typedef struct hang_rest {
    double lowest;  /* m, along y */
    double kinetic; /* J, of free texels */
} hang_rest;

typedef struct hang_result {
    bool given_up; /* all but particles, substeps and ms is zero then */
    size_t particles;
    int substeps, levels, iterations, gradients; /* as in toile_solver_info, of the last frame */
    double bytes;                                /* memory of the solver, a particle */
    double ms;                   /* a frame; median without the first one, which makes the tables */
    double ms_mean;              /* likewise */
    double late_ms, late_p99_ms; /* of late frames: median and 99th percentile */
    double stage_ms[TOILE_STAGE_COUNT]; /* likewise, mean */
    toile_strain end;                   /* in the last frame */
    toile_strain peak;                  /* of each figure by itself, over the late frames */
    toile_strain mean;                  /* likewise */
    hang_rest last;                     /* in the last frame */
    hang_rest settled;                  /* behind it; zero if it need not settle */
} hang_result;

toile_result hang_create(const hang_def *def, toile_world **world, toile_cloth_id *cloth);
toile_result hang_run(const hang_def *def, hang_result *out);

#endif
