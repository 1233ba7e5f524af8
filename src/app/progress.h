/* How far a long job is: one line that changes on a terminal, plain lines elsewhere, on stderr. */
#ifndef TOILE_APP_PROGRESS_H
#define TOILE_APP_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    const char *what; /* "frame" */
    uint32_t first, last;
    bool quiet;
    bool terminal;
    double start_ms;
    double shown_ms; /* when the line was last written */
    uint32_t tenths; /* of the job, already told about in plain lines */
    char cost[64];   /* what most of the time goes to, if that is worth a word; else "" */
} progress;

/* The steps of the job are first + 1 to last. */
void progress_start(progress *p, const char *what, uint32_t first, uint32_t last, bool quiet);
void progress_update(progress *p, uint32_t done);
/* Makes room for another message, or for the end. */
void progress_clear(const progress *p);

#endif
