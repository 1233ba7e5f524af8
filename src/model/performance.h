/* What a character does over time: any number of its clips at the same time, faded in and out,
 * mixed and put on top of each other (Wang 2005 section 7.1; W3).
 *
 * A performance is a pure function of time: nothing is stepped, so a run that is resumed, or looked
 * at in any order, is the same to the bit.
 *
 * - The presence of an action rises from 0 to 1 in the fade_in seconds after its begin, and falls
 *   to 0 in the fade_out seconds before its end. One that fades out while another fades in over the
 *   same time is a cross-fade.
 * - Actions that are not on top are the base. They are mixed in proportion to weight times
 *   presence: translations and scales linearly, rotations by the sum of quaternions in one
 *   hemisphere, made a unit. Joints that a clip has no tracks for are at rest in it. Where the
 *   presences sum to less than 1, the rest pose makes up for what is missing, so that nothing jumps
 *   when the first fades in or the last one out.
 * - Actions on top are laid over that one after the other: what their clip has tracks for, and
 *   nothing else, is moved to where the clip has it by weight times presence, 1 at most.
 * - With root motion, an action of the base that begins later than the first goes on from where
 *   those before it have brought the character: the way along the ground and the turn about the
 *   vertical, +y. Bobbing and swaying are not carried on. */
#ifndef TOILE_MODEL_PERFORMANCE_H
#define TOILE_MODEL_PERFORMANCE_H

#include "model/skinning.h"

typedef enum performance_loop {
    PERFORMANCE_LOOP_AS_CLIP, /* as the clip says it does */
    PERFORMANCE_LOOP,
    PERFORMANCE_HOLD /* stays at its end, or, backwards, at its beginning */
} performance_loop;

typedef struct performance_action {
    const char *animation;    /* name of a clip; needed by performance_create only */
    double weight;            /* 0 to 1e6 */
    double speed;             /* seconds of the clip per second, -100 to 100; backwards below 0 */
    double start;             /* s, the time within the clip at which it begins, 0 to 1e6 */
    double begin, end;        /* s, when; the end may be INFINITY */
    double fade_in, fade_out; /* s, at least 0 */
    performance_loop loop;
    bool on_top;
} performance_action;

/* No animation; weight and speed 1, from 0 to INFINITY. */
performance_action performance_action_default(void);

typedef struct performance performance;

/* Refuses animations that the character does not have, by a message with those it has, and numbers
 * out of range. The character must outlive the performance. No actions: the rest pose. */
toile_result performance_create(const character *c, const performance_action *actions, size_t count,
                                bool root_motion, performance **out);
void performance_destroy(performance *p); /* NULL is fine */

/* One that goes on from another at a time and turns to another action of the base, which begins
 * there and fades in, with the weight of all that is in the base. Those fade out in as many
 * seconds. What would begin later in the base is left out, and what has ended is dropped, so that
 * any number of turns takes no more memory. At that time both have the same pose, and with root
 * motion the character goes on from where it is. The one before stays as it is. */
toile_result performance_turn(const performance *p, double time, const performance_action *next,
                              performance **out);

/* The animation of the base that began last of those that are present at a time; NULL: none. */
const char *performance_leading(const performance *p, double time);

/* 0 to 1: how far an action is faded in at a time. */
double performance_presence(const performance_action *a, double time);

/* Transforms of all joints against their parents, and, unless NULL, the weights of all morph
 * targets. A performance has scratch memory: one thread at a time. */
void performance_sample(performance *p, double time, transform *locals, float *weights);

/* What takes a bound vertex to where its joint has it: one matrix per joint. weights as above. An
 * error when one is not finite, which animations with absurd numbers can make. */
toile_result performance_pose(performance *p, double time, skin_rows *matrices, float *weights);

#endif
