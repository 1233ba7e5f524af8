/* Times of stages, by the clock of the GPU. Timestamps are queued between passes and read when all
 * is done. Each costs about as much as a short pass, so only some of many substeps are timed, and
 * stand for the others. */
#ifndef TOILE_GL_TIMER_H
#define TOILE_GL_TIMER_H

#include <epoxy/gl.h>

#include "toile/toile.h"

enum { TIMER_SPANS = 1024, TIMER_SUBSTEPS = 2 };

/* From one timestamp to the next. */
typedef struct gl_span {
    toile_stage stage;
    int level;
    bool repeated; /* stands for substeps that are not timed, too */
    bool idle;     /* belongs to no stage */
} gl_span;

typedef struct gl_timer {
    GLuint queries[TIMER_SPANS + 1]; /* made when first used */
    gl_span spans[TIMER_SPANS];
    int count; /* of spans */
    bool on;
    int substeps, timed; /* of the step, and how many of them are timed */
} gl_timer;

void timer_open(gl_timer *t);
void timer_close(gl_timer *t); /* zeroed is fine */

/* A step of so many substeps begins; a list of passes has that length. */
void timer_begin(gl_timer *t, int substeps, int passes);
/* Substep s begins; -1 for what is done once. Returns whether it is timed. */
void timer_substep(gl_timer *t, int s);
/* What follows belongs to a stage. */
void timer_mark(gl_timer *t, toile_stage stage, int level);
/* Waits for all of it, and adds it up. */
void timer_end(gl_timer *t, toile_profile *profile);

#endif
