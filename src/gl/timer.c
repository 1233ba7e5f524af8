#include "gl/timer.h"

static int timed_every(const gl_timer *t) {
    return (t->substeps + t->timed - 1) / t->timed;
}

void timer_open(gl_timer *t) {
    if (!t->queries[0]) {
        glGenQueries(TIMER_SPANS + 1, t->queries);
    }
}

void timer_close(gl_timer *t) {
    if (t->queries[0]) {
        glDeleteQueries(TIMER_SPANS + 1, t->queries);
    }
    t->queries[0] = 0;
}

void timer_begin(gl_timer *t, int substeps, int passes) {
    int fit = TIMER_SPANS / (passes + 2) - 2; /* what runs once needs room too */
    int timed = fit < 1 ? 1 : fit > TIMER_SUBSTEPS ? TIMER_SUBSTEPS : fit;
    t->count = 0;
    t->substeps = substeps;
    t->timed = timed < substeps ? timed : substeps;
    t->timed = (substeps + timed_every(t) - 1) / timed_every(t);
    t->on = false;
}

/* Ends the span that runs, and begins another. */
static void begin_span(gl_timer *t, gl_span span) {
    if (t->count < TIMER_SPANS) {
        glQueryCounter(t->queries[t->count], GL_TIMESTAMP);
        t->spans[t->count++] = span;
    }
}

void timer_substep(gl_timer *t, int s) {
    bool on = s < 0 || s % timed_every(t) == 0;
    if (t->on || on) {
        begin_span(t, (gl_span){.repeated = s >= 0, .idle = true});
    }
    t->on = on;
}

void timer_mark(gl_timer *t, toile_stage stage, int level) {
    const gl_span *last = &t->spans[t->count - 1];
    bool same = !last->idle && last->stage == stage && last->level == level;
    if (t->on && !same) {
        begin_span(t, (gl_span){stage, level, last->repeated, false});
    }
}

void timer_end(gl_timer *t, toile_profile *profile) {
    GLuint64 before = 0, now = 0;
    double times = (double)t->substeps / t->timed;
    glQueryCounter(t->queries[t->count], GL_TIMESTAMP);
    for (int i = 0; i <= t->count; i++, before = now) {
        glGetQueryObjectui64v(t->queries[i], GL_QUERY_RESULT, &now);
        const gl_span *span = &t->spans[i > 0 ? i - 1 : 0];
        if (i == 0 || span->idle || now < before) {
            continue;
        }
        double spent = (double)(now - before) * 1e-6 * (span->repeated ? times : 1.0);
        profile->stage_ms[span->stage] += spent;
        if (span->stage == TOILE_STAGE_SOLVE) {
            profile->level_ms[span->level] += spent;
        }
    }
}
