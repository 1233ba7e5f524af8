/* Bodies of a scene that deform: characters and mannequins with what they perform, and mesh
 * sequences. What they do is a pure function of time. */
#ifndef TOILE_IO_ACTOR_H
#define TOILE_IO_ACTOR_H

#include "io/scene.h"

typedef struct actor actor;

/* Reads or makes the actors of all bodies that have one, and fills in shape, mesh and skin of their
 * definitions, as they are at time 0. Their files were found; meshes of others were read. */
toile_result actors_load(scene *s);
void actors_free(scene *s);

/* Tells the world where the body shall be at the end of its next step, which is at a time. One
 * thread at a time, as for the next two. */
toile_result actor_drive(actor *a, toile_world *world, toile_body_id body, double time);

/* Where the vertices are at a time, in the body's own frame: 3 each, as many as its mesh has. */
toile_result actor_vertices(actor *a, double time, float *out);

/* The same in the world, for a pose of the body. */
toile_result actor_place(actor *a, double time, const toile_pose *where, float *out);

/* The character of one that hangs on joints and has no morph targets, else NULL, and the transforms
 * of its joints against their parents at a time. */
const character *actor_character(const actor *a);
void actor_joints(actor *a, double time, transform *locals);

/* For those who choose what it does while it plays (src/view). Animations are those of a character;
 * a sequence has none. */
size_t actor_animation_count(const actor *a);
const char *actor_animation(const actor *a, size_t number);
/* The number of the one that leads at a time, as in performance_leading; -1: none. */
int actor_leading(const actor *a, double time);
/* From a time on, another animation: the one before fades out, while it fades in. On error nothing
 * has changed. Not for sequences. */
toile_result actor_turn(actor *a, double time, const performance_action *next);
/* What the scene's file says. */
void actor_restart(actor *a);
/* It never moves as long as it is not turned to something else. */
bool actor_is_still(const actor *a);

#endif
