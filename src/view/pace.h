/* Keeping steps of a fixed length in time with the clock, and pictures between them. All times are
 * ms. */
#ifndef TOILE_VIEW_PACE_H
#define TOILE_VIEW_PACE_H

#include <stdbool.h>

typedef struct pace {
    double step;     /* that is simulated at a time */
    double due;      /* when the next step should begin */
    double interval; /* from a state to the next one, smoothed */
    double last;     /* when the last state came */
    double beat;     /* the same, evenly */
    double late;     /* 0: in time, 1: has been late for long */
    bool resting;    /* no states come, or came yet */
} pace;

void pace_start(pace *p, double step);

/* When the next step should begin. What was missed by more than a step or two is not made up for:
 * time is slowed instead. */
double pace_due(pace *p, double now);
/* A step is done. */
void pace_arrive(pace *p, double now);
/* None will come for a while. */
void pace_rest(pace *p);

/* How far, 0 to 1, a picture is on its way from the last state but one to the last. */
double pace_share(const pace *p, double now);
/* Simulated time over time: 1 is real time. */
double pace_speed(const pace *p);
bool pace_is_slow(const pace *p);

#endif
