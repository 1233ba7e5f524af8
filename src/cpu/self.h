/* Cloth against cloth on the CPU: which texels are near each other, found by a spatial hash, and
 * what they do to each other. The formulas are in kernel/self.h.
 *
 * Texels of all cloths are numbered together. They are sorted by cell of a grid of cubes, and each
 * lists the partners that are nearer than its distance and a margin. Lists are made anew in every
 * step, and within it when two texels may have come nearer by the margin.
 * Each class of cloths has a grid of its own: device/self_classes.h. */
#ifndef TOILE_CPU_SELF_H
#define TOILE_CPU_SELF_H

#include <stdbool.h>
#include <stdint.h>

#include "device/hierarchy.h"
#include "device/plan.h"
#include "device/self_classes.h"

/* A texel that has more partners looks them up in the hash each time. */
enum { SELF_LISTED = 16 };

/* A cloth as its texels are numbered: row by row, absent ones included, and SELF_GAP numbers left
 * out between rows, so that the difference of two numbers tells whether they share a cell. */
enum { SELF_GAP = 2 };

typedef struct self_cloth {
    uint32_t first;     /* texel */
    uint32_t first_row; /* of all rows */
    int columns, rows;
    uint32_t stride;     /* numbers from a row to the next */
    const uint8_t *mask; /* a texel of the cloth */
    float spacing;       /* m; begin */
    self_member member;  /* its distance, and its class; arrange */
    float friction;      /* begin */
    bool hidden;         /* it sleeps: no texel sees it; begin */
    bool plain;          /* distance is the same for all texels of this cloth */
} self_cloth;

/* A texel in the order of the cells. */
typedef struct self_entry {
    float at[3];
    uint32_t texel;
} self_entry;

/* A texel that has partners, as they see it during the push. */
typedef struct self_texel {
    v3 after;
    float inverse_mass;
    v3 before;
    uint32_t cloth;
} self_texel;

/* A spring that keeps a texel from another one, in the implicit solver: kernel/self.h. */
typedef struct self_repel {
    uint32_t partner; /* in planes of the system */
    uint32_t cloth;   /* of the partner */
    v3 direction;
    float rest;      /* m, along it */
    float stiffness; /* N/m, */
    float acting;    /* and in this iteration: 0 where they are far enough from each other */
} self_repel;

typedef struct self_table {
    self_cloth *cloths;
    int cloth_count;
    uint32_t texels; /* numbers given */
    uint32_t rows;
    self_classes classes; /* arrange */
    int shares;           /* most threads */
    uint32_t *owners;     /* a texel: its cloth */
    bool *tied;           /* a texel: is it at a tie? */
    uint32_t *keys;       /* slots: a texel, and guests behind them; key */
    uint32_t *starts;     /* a slot: its first entry, and one more; sort */
    uint32_t *totals;     /* a thread: entries in its slots; count */
    self_entry *entries;  /* sort */
    float *listed_at[3];  /* a texel: where it was when the lists were made; key */
    row_box *moved;       /* a row: a box around the ways of its texels from there; moved */
    uint32_t *partners;   /* a texel: SELF_LISTED of them; list */
    uint8_t *counts;      /* a texel: how many, SELF_LISTED + 1 for more than that; list */
    self_texel *seen;     /* a texel; load */
    uint16_t *meets;      /* a texel: partners that it is too near to; meet */
    bool *mixed;          /* a row: is one of them of another cloth? meet */
    float substep;        /* s; begin */
    self_repel *repels;   /* those of one row after the other, by texel; the solve */
    size_t repel_room;    /* that there is memory for */
    size_t *row_repels;   /* a row: how many it has; meet. Then its first one; place */
    uint32_t *repel_from; /* a texel: its first one, among those of its row; the solve */
} self_table;

/* Room for a number of cloths, whose numbers are then given one after the other; with the last of
 * them the classes are arranged. Returns NULL with an error message. */
self_table *self_create(int cloths, uint64_t numbers, uint64_t rows, int threads);
uint64_t self_numbers(const grid *g); /* that the texels of a grid take */
void self_add_cloth(self_table *t, const grid *g, const uint8_t *mask, float distance);
/* A texel of a cloth is tied to something: what lies around both ends does not see each other, for
 * ties draw together what self-collision would keep apart. */
void self_tie(self_table *t, int cloth, int column, int row);
toile_result self_arrange(self_table *t);
void self_free(self_table *t); /* NULL is fine */

/* Once a step: what else cloths have in it. */
void self_begin(self_table *t, const step_plan *plan);

/* One of PASS_SELF_MOVED, _KEY, _LIST, _LOAD, _PUSH, _MEET, _REPEL and _STOP, over rows of a cloth.
 */
void self_rows(self_table *t, pass p, int cloth, cloth_state *state, const level_state *finest,
               int row_begin, int row_end);

/* PASS_SELF_FORGET: how velocities have changed, where texels have met. */
void self_forget(const self_table *t, int cloth, const grid *g, float *const change[3],
                 int row_begin, int row_end);

/* PASS_SELF_COUNT and _SORT: threads own slots, so that entries are in the same order for any
 * number of them. */
void self_count(self_table *t, int share, int shares);
void self_sort(self_table *t, int share, int shares);

/* Behind PASS_SELF_MEET: where the springs of each row begin. Their array grows where it must,
 * which is the only memory that a step may ask for. False, with an error message and no springs:
 * there is not enough. */
bool self_place_repels(self_table *t);

/* Behind PASS_SELF_MEET: calls what is given with two cloths that are too near each other, again
 * for each pair of texels. */
void self_visit_mixed(const self_table *t, void (*meet_cloths)(void *user, int one, int other),
                      void *user);

/* Have texels moved so far from each other that lists may lack a partner? */
bool self_is_stale(const self_table *t);

#endif
