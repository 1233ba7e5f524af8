/* How a run ended, as the report in its folder tells. */
#ifndef TOILE_APP_OUTCOME_H
#define TOILE_APP_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

#include "io/report.h"

typedef struct outcome {
    bool there; /* false: no report.json, and all else is zero, for the run did not end */
    uint32_t frames;
    bool complete;
    bool interrupted;
    struct json_t *reasons; /* array of strings */
} outcome;

/* A file that is there and no report is an error. */
toile_result outcome_read(const char *folder, outcome *out);
void outcome_free(outcome *o); /* zeroed is fine */

/* Adds what the run knew against itself to the verdict of a check, which has measured the frames
 * anew. samples: of the motion. */
void outcome_judge(const outcome *o, uint32_t samples, report *r);

#endif
