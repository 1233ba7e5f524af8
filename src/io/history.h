/* What was measured in the frames of a run so far: what its verdict and its report are made from.
 * Checkpoints carry it, so that a run that goes on is judged as one that never stopped. */
#ifndef TOILE_IO_HISTORY_H
#define TOILE_IO_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "toile/toile.h"

/* Measures of which the worst frame is kept. */
typedef enum measure_kind {
    MEASURE_STRAIN_P999,
    MEASURE_STRAIN_MAX,
    MEASURE_STRAIN_PINNED,
    MEASURE_DEPTH,          /* m, penetration.max_depth_m */
    MEASURE_CROSSING_DEPTH, /* m, penetration.crossing_depth_m */
    MEASURE_SELF,           /* self_intersections; counts from here on */
    MEASURE_OTHERS,         /* cloth_intersections */
    MEASURE_CROSSINGS,      /* penetration.crossings */
    MEASURE_CAUGHT,         /* penetration.caught */
    MEASURE_COUNT
} measure_kind;

/* All numbers here have 8 bytes: checkpoints hold the structs as they are. */
typedef struct worst_frame {
    double value; /* 0 before the first frame */
    uint64_t frame;
} worst_frame;

typedef struct cloth_history {
    toile_metrics last; /* of the last frame that was measured */
    worst_frame worst[MEASURE_COUNT];
    toile_place deepest,
        farthest; /* of MEASURE_DEPTH and MEASURE_CROSSING_DEPTH, in those frames */
} cloth_history;

/* What the implicit solver took and what it left, in the frames that it had something to solve in:
 * not in those in which all cloth slept. */
typedef struct history_solve {
    uint64_t frames, substeps, iterations, gradients; /* of them, in all */
    uint64_t unconverged;                             /* frames with a substep that was cut short */
    worst_frame most_iterations, most_gradients;      /* per substep, mean of a frame */
    worst_frame last_move;                            /* m */
} history_solve;

typedef struct history_total {
    uint64_t frames;           /* that were measured */
    uint64_t last_frame;       /* of them */
    uint64_t energy_frame;     /* that the energies of the last metrics are of; UINT64_MAX: none */
    toile_metrics last;        /* all cloths together */
    worst_frame crossings;     /* pairs of triangles of all cloths */
    worst_frame caught;        /* vertices of all cloths */
    uint64_t ambiguous_texels; /* the most of any frame, as of the next two */
    uint64_t inside_texels, caught_texels;
    uint64_t dropped_contacts; /* from here on, of the last step */
    uint64_t substeps, levels, iterations, gradients, converged, asleep;
    double last_move, stable_substep, true_substep, stretch_scale, shear_scale, bend_scale,
        stretch_damping, bend_damping;
    history_solve solve;
} history_total;

typedef struct history {
    history_total total;
    cloth_history *cloths;
    size_t cloth_count;
} history;

toile_result history_create(history *h, size_t cloths);
void history_free(history *h); /* zeroed is fine */

/* Measures what verdicts look at, and remembers the worst of it. */
toile_result history_measure(history *h, const toile_world *world, uint32_t frame);
/* Adds the energies of that frame to the last metrics, unless they are there. */
toile_result history_measure_energy(history *h, const toile_world *world, uint32_t frame);
/* Remembers what the solver says of the step that made a frame. */
void history_note_solver(history *h, const toile_solver_info *info, uint32_t frame);
/* The same as it was noted, of a world that has made no step since. */
toile_solver_info history_get_solver(const history *h, const toile_world *world);

/* As bytes. Reading wants exactly history_size(), of a history of as many cloths. */
size_t history_size(const history *h);
void history_write(const history *h, void *bytes);
void history_read(history *h, const void *bytes);

#endif
