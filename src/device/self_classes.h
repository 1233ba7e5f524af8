/* Cloths in classes by the distance that their texels keep, for self-collision.
 *
 * A spatial hash whose cells are as large as the longest distance would hold thousands of texels of
 * a fine cloth in a cell as soon as there is a coarse one somewhere. So cloths whose distances
 * differ by less than a factor of two form a class, which has a grid of its own. Texels of finer
 * classes are in it too, as guests, in slots of their own: a texel finds partners of its class and
 * of finer ones in the grid of its class, and those of a coarser class in that one's grid, without
 * its guests. */
#ifndef TOILE_DEVICE_SELF_CLASSES_H
#define TOILE_DEVICE_SELF_CLASSES_H

#include <stdint.h>

/* A part of the slots of a hash. */
typedef struct self_slots {
    uint32_t first;
    uint32_t count; /* a power of two; 0: holds nothing */
} self_slots;

typedef struct self_class {
    float distance;                /* m, the longest of its cloths */
    float margin;                  /* m, how much farther away partners are looked for */
    float reach;                   /* m, both */
    double inverse_cell, farthest; /* 1/m, m: of its cells, and how far away they end */
    self_slots own;                /* texels of its cloths */
    self_slots guests;             /* those of all finer classes */
} self_class;

/* A cloth. */
typedef struct self_member {
    float distance;       /* m, that its texels keep; given */
    uint32_t numbers;     /* of its texels; given */
    int class;            /* index of its class */
    uint64_t first_guest; /* key of its first texel among the guests of class 0; those of class 1
                             are behind them, and so on up to its own */
} self_member;

/* From the smallest distance to the largest, they double 24 times; what were too many would be with
 * the finest. */
enum { SELF_CLASSES = 24 };

typedef struct self_classes {
    self_class list[SELF_CLASSES]; /* the coarsest first */
    int count;
    uint32_t slots; /* of all classes */
    uint64_t keys;  /* a texel, and a guest behind them */
} self_classes;

void self_classes_arrange(self_classes *c, self_member *members, int count);

#endif
