/* Running a scene from its start, or from a checkpoint, to its end. */
#ifndef TOILE_APP_SIMULATION_H
#define TOILE_APP_SIMULATION_H

#include "app/recording.h"
#include "io/report.h"

typedef struct simulation_def {
    const char *folder;
    unsigned formats;
    bool glb_may_miss;      /* where it would be too large, a note says so instead of an error */
    const char *checkpoint; /* file that the state goes to at the end; NULL: only on an interrupt,
                               and to the folder */
    int every;              /* frames between checkpoints while running; 0: none */
    const char *report;     /* file for a second copy of the report; may be NULL */
    const char *resume;     /* file to go on from; NULL: from the start */
    bool quiet;
} simulation_def;

typedef struct simulation_end {
    report report;    /* judged */
    unsigned formats; /* that were written */
    uint32_t frame;   /* the last good one */
    bool interrupted;
    bool keeps_earlier; /* results of earlier runs stay until one is complete */
} simulation_end;

/* TOILE_ERROR_NUMERICAL leaves a whole recording and a report of what was good, as TOILE_OK does;
 * other errors leave the motion up to the last frame that was written. */
toile_result simulate(const scene *s, const simulation_def *def, simulation_end *end);

#endif
