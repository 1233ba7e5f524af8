/* What can be seen of a play at one moment. */
#ifndef TOILE_VIEW_MOMENT_H
#define TOILE_VIEW_MOMENT_H

#include "view/texels.h"

typedef struct moment {
    double time;       /* s, simulated */
    int skin;          /* that positions are of */
    float **positions; /* a cloth each; room for the largest skin */
    uint16_t **marks;  /* the same, of `refine`; NULL: another solver */
    bool on_device;    /* positions are not filled in: they are those of the next, */
    texel_copies after, before;
    float share; /* so far on the way from the one to the other; 1 but for what is between two */
    toile_pose *poses; /* a body each */
    float **vertices;  /* a body each: in the world, of those that deform; else NULL */
    float (*pins)[3];  /* texels that are pinned, m */
    size_t pin_count, pin_capacity;
    bool held;     /* by the hand, */
    float hand[3]; /* m, which is here: the texel it took */
} moment;

/* between: room for what moment_between fills in. */
toile_result moment_make(moment *m, const play *p, bool between);
void moment_free(moment *m, const play *p); /* zeroed is fine */
toile_result moment_read(moment *m, const play *p, int which);

/* What is between two moments of a play: share is 0 to 1. Where they show different skins, it is
 * the later one. m was made for the same play. */
toile_result moment_between(moment *m, const moment *before, const moment *after, float share,
                            const play *p);

#endif
