/* All that a window knows while it is open. */
#ifndef TOILE_VIEW_SESSION_H
#define TOILE_VIEW_SESSION_H

#include "view/live.h"
#include "view/orbit.h"
#include "view/overlay.h"
#include "view/show.h"
#include "view/viewer.h"
#include "view/window.h"

typedef enum drag_kind { DRAG_NONE, DRAG_TURN, DRAG_PAN, DRAG_CLOTH } drag_kind;

/* Keys that work as long as they are down. */
typedef enum move_kind {
    MOVE_LEFT,
    MOVE_RIGHT,
    MOVE_AHEAD,
    MOVE_BACK,
    MOVE_UP,
    MOVE_DOWN,
    TURN_LEFT,
    TURN_RIGHT,
    TURN_UP,
    TURN_DOWN,
    MOVE_KINDS
} move_kind;

typedef struct session {
    viewer_def def;
    window window;
    show show;
    overlay overlay;
    live *live;
    live *next; /* that is being loaded; NULL: none */
    live_facts facts;

    orbit orbit;
    show_options options;
    bool help, details;
    bool follow;     /* the camera goes along with a character: */
    int led;         /* with this body, -1: none, */
    float middle[2]; /* m, whose middle was here, along x and z */
    int skin;

    float mouse[2]; /* pixels */
    drag_kind drag;
    float depth; /* m, of what the mouse holds */
    bool moving[MOVE_KINDS], tapped[MOVE_KINDS];
    bool touched;          /* something came from mouse, keys or the system */
    uint64_t drawn_change; /* of the facts that are written in the window */

    char notice[LIVE_MESSAGE]; /* shown for a while */
    double notice_until;       /* ms */
    char error[LIVE_MESSAGE];  /* shown until something works */
    double frame_ms;           /* from picture to picture, smoothed */
    double said_at;            /* ms, when the state was last said */
} session;

/* A message for a while, in place of an error. */
void session_notice(session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Says a line on stdout, when asked to. */
void session_say(const session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* viewer.c: loads a scene beside the one that plays. */
void session_load(session *s, const char *path);
void session_shoot(session *s);
void session_home(session *s);

/* hud.c: the animation of the body that is followed and its speed, such as "walk, 1.5 times". */
void session_describe_motion(const session *s, char *out, size_t size);

/* controls.c */
void controls_attach(session *s);
/* Lets what is held down go on for ms. */
void controls_update(session *s, double ms);
/* Where in the window a place is seen; false for one behind the camera. */
bool session_project(const session *s, const float place[3], float pixels[2]);

/* hud.c: writes over the picture. */
void hud_draw(session *s, double now);

#endif
