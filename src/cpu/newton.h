/* Newton's method on the CPU: passes over rows of all panels at once. They are compiled once for
 * each instruction set, as those of passes.h. */
#ifndef TOILE_CPU_NEWTON_H
#define TOILE_CPU_NEWTON_H

#include "cpu/meet.h"
#include "cpu/passes.h"
#include "cpu/self.h"
#include "device/newton_order.h"
#include "device/newton_state.h"
#include "kernel/newton.h"

/* Everything a pass over some rows of a level reads. */
typedef struct newton_args {
    newton_state *state;
    const pass_args *panels; /* what the cloth of each panel has */
    int depth;
    float *scratch;           /* of the thread */
    v3 *pulls;                /* of the thread: N, of a coupling on a texel of weight 1 */
    const newton_part *parts; /* of the thread */
    const self_table *self;   /* NULL: none */
    meet_table *meet;         /* NULL: cloth is not held apart by bounds */
} newton_args;

typedef void newton_rows(const newton_args *args, int row_begin, int row_end);

/* What some contacts of a level make of a vector. */
typedef void newton_contacts(const newton_args *args, equation_plane of, int begin, int end);

typedef struct newton_table {
    newton_rows *passes[NEWTON_PASSES]; /* NULL: not over rows */
    newton_contacts *meet_pull;
    meet_vectors meet;
} newton_table;

/* The factor of a part's coarsest matrix, and the solution with it. */
void newton_factor(const newton_args *args, int part);
void newton_exact(const newton_args *args, int part);

#ifdef CPU_ISA
newton_rows CPU_FN(newton_start), CPU_FN(newton_springs), CPU_FN(newton_stiffen),
    CPU_FN(newton_together), CPU_FN(newton_joined), CPU_FN(newton_forces), CPU_FN(newton_meet),
    CPU_FN(newton_local), CPU_FN(newton_coarsen), CPU_FN(newton_defect), CPU_FN(newton_down),
    CPU_FN(newton_up), CPU_FN(newton_sweep), CPU_FN(newton_direction), CPU_FN(newton_product),
    CPU_FN(newton_advance), CPU_FN(newton_move), CPU_FN(newton_pressed), CPU_FN(newton_end);

/* Bending of a level in N/m, its retardation in it. */
static inline float newton_bend(const newton_args *args, int panel) {
    const cloth_params *p = args->panels[panel].params;
    float bend = p->bend * (1.0f + p->bend_lag);
    for (int depth = 0; depth < args->depth; depth++) {
        bend *= NEWTON_KINK;
    }
    return bend;
}

static inline const newton_part *newton_part_of(const newton_args *args, int panel) {
    return &args->parts[args->state->equations.part_of[panel]];
}

/* A row of a pass is left out where its part needs nothing more. */
static inline bool newton_rests(const newton_args *args, const system_row *row) {
    const newton_part *part = newton_part_of(args, row->panel);
    return part->rests || part->solved;
}

/* Does nothing but bodies hold the panel, and what it is tied to? Then its texels are moved as a
 * whole, too. */
static inline bool newton_is_loose(const newton_args *args, int panel) {
    return newton_part_of(args, panel)->loose;
}

newton_contacts CPU_FN(newton_meet_pull);
meet_measure CPU_FN(meet_measure);
meet_locate CPU_FN(meet_locate);
meet_fit CPU_FN(meet_fit);

/* Contact of a row: newton_contact.c. */
void CPU_FN(newton_contact)(const newton_args *args, const system_row *row);
void CPU_FN(newton_press)(const newton_args *args, const system_row *row);
void CPU_FN(newton_rub)(const newton_args *args, const system_row *row);
/* What all couplings of a level do to these planes, or to places, at the start of a pass: each
 * thread finds it for itself, which takes less time than meeting. */
void CPU_FN(newton_couple_places)(const newton_args *args);
void CPU_FN(newton_couple_planes)(const newton_args *args, equation_plane of);
/* Couplings of a row, behind that: newton_couple.c. Their force on its texels, what they add to the
 * blocks that these are moved by, and their part of a product, which is in the scratch rows
 * ROW_OUT. */
void CPU_FN(newton_couple_forces)(const newton_args *args, const system_row *row);
void CPU_FN(newton_couple_inverses)(const newton_args *args, const system_row *row);
void CPU_FN(newton_couple_product)(const newton_args *args, const system_row *row);
/* Keeps what a sweep finds unbalanced, with the product in these rows, for NEWTON_JOINED. */
void CPU_FN(newton_couple_left)(const newton_args *args, const system_row *row);
/* Texels that are too near each other: newton_self.c. Their springs are listed at the start of a
 * substep. Does a row have any? What they do to its texels, and their part of a product. */
void CPU_FN(newton_self_list)(const newton_args *args, const system_row *row);
bool CPU_FN(newton_self_has)(const newton_args *args, const system_row *row);
void CPU_FN(newton_self_forces)(const newton_args *args, const system_row *row);
void CPU_FN(newton_self_product)(const newton_args *args, const system_row *row,
                                 const float *const of[3]);
/* Contacts of cloth with cloth within bounds, the same: newton_meet.c. What they add to the block
 * that a texel is moved by. Forces return whether there are any. */
bool CPU_FN(newton_meet_forces)(const newton_args *args, const system_row *row);
void CPU_FN(newton_meet_inverses)(const newton_args *args, const system_row *row);
void CPU_FN(newton_meet_product)(const newton_args *args, const system_row *row);
block CPU_FN(newton_meet_own)(const newton_args *args, uint32_t texel);
static inline column_range newton_touched(const newton_args *args, const system_row *row) {
    return args->panels[row->panel].implicit->row_touched[row->row];
}
#endif

#endif
