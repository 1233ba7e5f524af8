/* The order of the passes of a Newton step, for all devices. A device says how one is run and when
 * an iteration was the last one. */
#ifndef TOILE_DEVICE_NEWTON_ORDER_H
#define TOILE_DEVICE_NEWTON_ORDER_H

#include <stdbool.h>

/* All that a pass reads of other texels is written by passes before it. */
typedef enum newton_pass {
    NEWTON_START,     /* the force of bending that does not change in the substep */
    NEWTON_SPRINGS,   /* directions and pulls of springs */
    NEWTON_STIFFEN,   /* how stiff couplings are in the substep, on a level */
    NEWTON_FORCES,    /* unbalanced forces, contact, blocks and their inverses, the first sweep */
    NEWTON_MEET,      /* cloth against cloth */
    NEWTON_LOCAL,     /* every texel by itself, half of the way */
    NEWTON_COARSEN,   /* the matrix of a level from that of the finer one */
    NEWTON_FACTOR,    /* that of a part's coarsest level */
    NEWTON_TOGETHER,  /* the first sweep of texels that couplings touch */
    NEWTON_DEFECT,    /* what the first sweep of a level has left */
    NEWTON_DOWN,      /* that on the next coarser level, and its first sweep */
    NEWTON_EXACT,     /* the solution on a part's coarsest level */
    NEWTON_UP,        /* what a level gains from the coarser one */
    NEWTON_SWEEP,     /* the last sweep of a level */
    NEWTON_JOINED,    /* that of texels that couplings touch */
    NEWTON_DIRECTION, /* of conjugate gradients */
    NEWTON_PRODUCT,   /* the matrix times that */
    NEWTON_ADVANCE,   /* along it, and the first sweep of the next cycle */
    NEWTON_MOVE,      /* all of it onto positions */
    NEWTON_PRESS,     /* the pressure of bodies there */
    NEWTON_END,       /* friction, for the next substep */
    NEWTON_PASSES
} newton_pass;

typedef struct newton_device {
    void *user;
    int levels;
    bool coupled; /* are there couplings? */
    void (*run)(void *user, newton_pass which, int depth);
    /* Is another iteration needed after so many: of conjugate gradients, of Newton's method? */
    bool (*draws_on)(void *user, int done);
    bool (*goes_on)(void *user, int done);
} newton_device;

void newton_order(const newton_device *d);

#endif
