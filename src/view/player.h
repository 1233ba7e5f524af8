/* What the bodies of a scene that deform do while it is played with. Each has a clock of its own,
 * which can be slowed, sped up and stopped, and a character can turn to another of its animations
 * at any time. As long as nothing was asked for, all is as in the scene's file, to the bit. */
#ifndef TOILE_VIEW_PLAYER_H
#define TOILE_VIEW_PLAYER_H

#include "io/scene.h"

typedef struct player_part {
    bool moves;   /* it is a character, or a sequence of more than one frame */
    bool stopped; /* its clock stands still, whatever the speed */
    double speed; /* s of its clock per s of the world */
    double time;  /* s of its clock, */
    double since; /* s of the world, when it got its speed */
    int chosen;   /* the animation that was asked for last; -1: none */
} player_part;

typedef struct player {
    const scene *scene;
    player_part *parts; /* a body each */
    int followed;       /* the body that was last asked for something, else the first that moves;
                           -1: none does */
    unsigned turns;     /* how often something was asked for */
} player;

/* What is told of the body that is followed. */
typedef struct player_facts {
    int body;      /* -1: none */
    int animation; /* of the character; -1: none, or it is a sequence */
    double speed;
    bool stopped;
    unsigned turns;
} player_facts;

toile_result player_make(player *p, const scene *s);
void player_free(player *p); /* zeroed is fine */
void player_restart(player *p);

/* The clock of a body at a time of the world. */
double player_time(const player *p, int body, double time);
/* Tells the bodies where they shall be at the end of the next step, which is at a time. */
toile_result player_drive(const player *p, toile_world *world, const scene_ids *ids, double time);
player_facts player_get_facts(const player *p, double time);

/* All from a time of the world on. Bodies that do not move stay as they are.
 *
 * Turns a character to the animation `by` places after the one it does now, or before it, around
 * the list of its file, with a cross-fade. */
toile_result player_choose(player *p, int body, int by, double time);
/* Faster or slower by so many steps of 0 to 3 times the speed of the file. */
void player_hurry(player *p, int body, int by, double time);
/* Stops a body where it is, or lets it go on. */
void player_stop(player *p, int body, double time);

#endif
