/* A hand that takes hold of the cloth of a world: with a pin of its own, or by a pin that is
 * there. */
#ifndef TOILE_VIEW_HOLD_H
#define TOILE_VIEW_HOLD_H

#include "toile/toile.h"

/* A pin and where the middle of its texels was when it was made: toile_world_move_pin counts from
 * there. */
typedef struct held_pin {
    toile_pin_id id;
    float start[3];
} held_pin;

/* Cloth ties the hand to a texel that is pinned: it gives way no farther than its length. */
typedef struct tether {
    uint32_t texel;
    float length; /* m */
} tether;

typedef struct hold {
    held_pin *pins; /* all of the world's */
    int pin_count;
    /* The hand. */
    bool closed;
    bool own;     /* the pin is the hand's, and goes with it */
    held_pin pin; /* in it */
    toile_cloth_id cloth;
    uint32_t texel;  /* of the pin, where the hand closed */
    float taken[3];  /* m, where the hand closed */
    float offset[3]; /* m, that the pin had moved before */
    float way[3];    /* m, that the hand has gone since */
    float aim[3];    /* m, that it shall go */
    float reach;     /* m, of the cloth held; how large things are */
    float radius;    /* m, of what is between the fingers */
    tether *tethers;
    size_t tether_count, tether_capacity;
    float *positions; /* of the cloth's texels */
    size_t texels;
} hold;

/* For a world as it was built; forgets what there was. */
toile_result hold_begin(hold *h, const toile_world *world);
void hold_free(hold *h); /* zeroed is fine */

/* Closes the hand about a point of the flat cloth that is at `place`. Nothing happens where a pin
 * is moved by keyframes or a body. */
toile_result hold_take(hold *h, toile_world *world, toile_cloth_id cloth, const float point[2],
                       const float place[3]);
/* Where what is held shall be. */
void hold_aim(hold *h, const float place[3]);
/* Before each step: moves the pin on. The hand lags a little, so that cloth is not torn by jumps of
 * the mouse, goes no farther than the cloth reaches from its pins, and stays out of bodies. */
toile_result hold_move(hold *h, toile_world *world, float time_step);
/* What is let go flies on. */
void hold_drop(hold *h, toile_world *world);

/* Pins the cloth at a point, or removes the pin that is there. pinned says which. */
toile_result hold_pin(hold *h, toile_world *world, toile_cloth_id cloth, const float point[2],
                      bool *pinned);

#endif
