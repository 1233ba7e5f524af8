/* A scene that plays on a thread of its own, in step with the clock. The window asks and looks; it
 * never waits for a step. */
#ifndef TOILE_VIEW_LIVE_H
#define TOILE_VIEW_LIVE_H

#include "view/moment.h"

typedef struct live live;

typedef struct live_def {
    const char *path;
    const char *device; /* NULL: as the scene says */
    int threads;        /* 0: all there are */
    bool paused;        /* from the start */
    /* The window's context, which is current, as in play_def. */
    EGLDisplay display;
    EGLContext window;
} live_def;

typedef enum live_phase { LIVE_LOADING, LIVE_PLAYING, LIVE_FAILED } live_phase;

enum { LIVE_MESSAGE = 1024 };

/* Starts the thread, which loads the scene first. */
toile_result live_open(const live_def *def, live **out);
void live_close(live *l); /* NULL is fine */

/* How loading went. message, when it failed, says why; result is that of the error. */
live_phase live_get_phase(live *l, toile_result *result, char message[LIVE_MESSAGE]);

/* From LIVE_PLAYING on: what does not change. */
const scene *live_scene(const live *l);
const skins *live_skins(const live *l);
const char *live_path(const live *l);
/* Texels are drawn where the device has them. */
bool live_is_on_device(const live *l);

/* What the window asks for; it happens between two steps, in the order of asking. */
typedef enum live_wish_kind {
    LIVE_PAUSE, /* on */
    LIVE_STEP,  /* one, while paused */
    LIVE_RESET,
    LIVE_WIND, /* on, along vector where the scene has none */
    LIVE_SKIN, /* number */
    LIVE_TAKE, /* point of cloth `number`, at vector */
    LIVE_AIM,  /* vector */
    LIVE_DROP,
    LIVE_PIN, /* point of cloth `number`: or unpin */
    /* Of body `number`; see view/player.h. */
    LIVE_CHOOSE, /* the next animation, or by as many */
    LIVE_HURRY,  /* by steps of speed */
    LIVE_STOP,   /* or let go on */
} live_wish_kind;

typedef struct live_wish {
    live_wish_kind kind;
    bool on;
    int number;
    int by;
    float point[2];
    float vector[3];
} live_wish;

void live_ask(live *l, live_wish wish);

typedef struct live_facts {
    double time; /* s, simulated */
    uint64_t steps;
    uint64_t change; /* another number whenever there is something new to see */
    size_t particles;
    toile_profile profile; /* smoothed */
    toile_solver_info solver;
    toile_strain strain;
    double speed; /* simulated s a s; 1 is real time */
    bool slow;    /* the machine cannot keep up, and time is slowed */
    bool paused, wind;
    size_t pins;
    player_facts player;
    char message[LIVE_MESSAGE]; /* why it stopped, or what could not be done; "": nothing */
} live_facts;

live_facts live_get_facts(live *l);

/* For live_look. What draws is the window's thread, with its context current. */
toile_result live_make_moment(const live *l, moment *m);
void live_free_moment(const live *l, moment *m); /* zeroed is fine */

/* Fills in what is seen at `now` (clock_ms): between the last two states. look becomes another
 * number when that differs from what the last call saw. */
toile_result live_look(live *l, double now, moment *m, uint64_t *look);

#endif
