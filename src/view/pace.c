#include "view/pace.h"

#include <math.h>

/* Steps that are made up for when they come late. */
static const double MADE_UP = 1.5;
/* How fast the interval follows, and how fast the beat is pulled towards the states. */
static const double FOLLOW = 0.15;
static const double PULL = 0.1;
/* An interval this much longer than the step is slow motion, once it lasts. */
static const double SLOW = 1.08;

void pace_start(pace *p, double step) {
    *p = (pace){.step = step, .interval = step, .resting = true};
}

double pace_due(pace *p, double now) {
    if (p->resting) {
        p->due = p->last = p->beat = now;
        p->interval = p->step;
        p->late = 0.0;
        p->resting = false;
    }
    if (p->due < now - MADE_UP * p->step) {
        p->due = now;
    }
    return p->due;
}

void pace_arrive(pace *p, double now) {
    p->due += p->step;
    p->beat += p->interval;
    if (!p->resting) {
        p->interval += FOLLOW * (now - p->last - p->interval);
        p->late += FOLLOW * ((p->interval > SLOW * p->step ? 1.0 : 0.0) - p->late);
    }
    double off = now - p->beat;
    p->beat = p->resting || fabs(off) > 2.0 * p->interval ? now : p->beat + PULL * off;
    p->last = now;
}

void pace_rest(pace *p) {
    p->resting = true;
}

double pace_share(const pace *p, double now) {
    return fmin(fmax((now - p->beat) / p->interval, 0.0), 1.0);
}

double pace_speed(const pace *p) {
    return fmin(p->step / p->interval, 1.0);
}

bool pace_is_slow(const pace *p) {
    return p->late > 0.5;
}
