/* Between which passes threads have to meet.
 *
 * Threads own rows, and most passes read and write those of their thread alone. So they meet in
 * front of a pass that reads of other rows what was written since they met, or writes what was read
 * of other rows since then. What a pass does to its own rows needs no meeting. */
#ifndef TOILE_CPU_BETWEEN_H
#define TOILE_CPU_BETWEEN_H

#include "device/plan.h"

/* What passes have gone over since threads met; each thread finds the same. Bits of data. */
typedef struct since_met {
    uint32_t written;
    uint32_t read; /* of other rows */
} since_met;

/* Do threads meet in front of a call? They do nothing but that, then, before it. */
bool meets_before(const since_met *since, const step_plan *plan, pass_call call);
/* It is done, or others are at it. */
void note_call(since_met *since, const step_plan *plan, pass_call call);

#endif
