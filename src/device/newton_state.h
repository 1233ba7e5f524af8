/* The arrays of Newton's method on the CPU, each listed once. */
#ifndef TOILE_DEVICE_NEWTON_STATE_H
#define TOILE_DEVICE_NEWTON_STATE_H

#include "cook/system.h"
#include "device/plan.h"
#include "kernel/block.h"

/*  X(name, planes, where, unit, meaning and the passes that fill it)
 *
 *  ALL levels have it, only the FINEST, or only COARSE ones. Vectors are x, y, z, and blocks xx,
 * yy, zz, yz, xz, xy. Nothing of it is state: it lives within a substep. */
#define EQUATION_PLANES(X)                                                                         \
    X(residual, 3, ALL, "N", "force left; forces, advance, down")                                  \
    X(guess, 3, ALL, "m", "first sweep over it, with what coarser levels add; forces, down, up")   \
    X(result, 3, ALL, "N or m", "what the first sweep left; defect; then the last sweep")          \
    X(inverse, 6, ALL, "m/N", "of the texel's own block, bending in it; forces, coarsen")          \
    X(east, 6, COARSE, "N/m", "block of the texel and the one to its right; coarsen")              \
    X(north, 6, COARSE, "N/m", "the one above it")                                                 \
    X(rise, 6, COARSE, "N/m", "the one up and right")                                              \
    X(left, 6, COARSE, "N/m", "the one up and left")                                               \
    X(block, 6, COARSE, "N/m", "its own")                                                          \
    X(springs, 16, FINEST, "(N/m)^1/2, N/m", "east, north, rise, left: kernel/newton.h; springs")  \
    X(own, 6, FINEST, "N/m", "the texel's own block; forces")                                      \
    X(contact, 6, FINEST, "N/m", "the part of it that bodies make; forces")                        \
    X(inertia, 1, FINEST, "N/m", "mass / substep^2, 0 where absent or pinned; start")              \
    X(lag, 3, FINEST, "m", "bending of the places at the start of the substep; start")             \
    X(move, 3, FINEST, "m", "what conjugate gradients have found; advance")                        \
    X(direction, 3, FINEST, "m", "where they go; direction")                                       \
    X(product, 3, FINEST, "N", "the matrix times that; product")

typedef enum equation_plane {
#define X(name, planes, where, unit, meaning) EQ_##name, EQ_##name##_last = EQ_##name + (planes)-1,
    EQUATION_PLANES(X)
#undef X
        EQ_COUNT
} equation_plane;

/* Sums over a row of a loose part: the force that is left, the block of a move that all texels make
 * alike, and inertia times the ways of texels in the substep. */
typedef enum newton_sum { SUM_FORCE, SUM_BLOCK = 3, SUM_WAY = 9, SUMS = 12 } newton_sum;

/* How a texel that couplings touch moves together with others. */
typedef struct coupled_way {
    v3 force; /* N, that is left on it */
    v3 step;  /* m, of Chebyshev's iteration (kernel/coupling.h) */
} coupled_way;

typedef struct newton_level {
    const system_level *table;
    float *plane[EQ_COUNT];
    double *row_dot;     /* a row: product of two vectors; sweep, product */
    double *row_motion;  /* a row of the finest: twice the kinetic energy of the substep; forces */
    float *row_moved;    /* a row of the finest: the longest move, m; move */
    double *row_inertia; /* a row of the finest: its inertia, N/m; start */
    double *row_sums;    /* SUMS a row of the finest; forces, advance */
    block *stiffness;    /* N/m, a coupling; stiffen */
    coupled_way *way;    /* a texel that couplings touch; sweep, together */
} newton_level;

/* What a part is at in conjugate gradients: each has its own numbers, so that it does the same
 * whatever others do. */
typedef struct newton_part {
    double before; /* J, of the last iteration; direction */
    double now;
    float beta, alpha;
    v3 shift;      /* m, of the whole part; move */
    double step;   /* J, twice what the last iteration of conjugate gradients took; advance */
    double gain;   /* J, all of them together; advance */
    double motion; /* J, twice the kinetic energy that this is a share of; advance */
    int gradients; /* iterations of conjugate gradients in the substep */
    int iterations;
    float longest;  /* m, that the last one moved a texel; move */
    bool converged; /* it took, or moved, as little as was asked for */
    bool loose;     /* does nothing but bodies hold it? */
    bool solved;    /* needs no more iterations of conjugate gradients in this one of Newton's */
    bool rests;     /* nor of Newton's in the substep */
} newton_part;

/* What a coupling is drawn to in a substep, and how hard. */
typedef struct coupling_aim {
    v3 place;        /* m; 0 for ties */
    v3 along;        /* as in plan_coupling */
    float stiffness; /* N/m; 0: relative, below 0: it has let go */
} coupling_aim;

typedef struct newton_state {
    equations equations;
    newton_level level[SYSTEM_LEVELS];
    double *factors;    /* of the coarsest matrices, one part after the other */
    size_t *first;      /* a part: where its factor begins */
    newton_part *parts; /* a part and a thread: each thread finds the same, and writes its own */
    int *lead;          /* a part: the first one of its island; newton_join */
    int *next_part;     /* a part: the next one of its island, NO_PART: none; newton_join */
    int islands;
    coupling_aim *aims;  /* a coupling of the finest level */
    v3 *pulls;           /* N, a thread and a coupling: on a texel of weight 1, of any level */
    float *scratch;      /* a thread: rows of the passes */
    size_t scratch_row;  /* floats from one to the next, whole lines */
    size_t scratch_size; /* floats of a thread */
    int threads;
    size_t bytes;
} newton_state;

/* For the panels of a world and so many threads. */
toile_result newton_state_create(newton_state *s, const system_base *bases, int panels,
                                 const coupling_base *couplings, int coupling_count, int threads);
/* Parts whose texels are too near each other in a substep are an island: springs keep them apart,
 * so that they share the numbers of conjugate gradients. A part that meets no other is one of its
 * own, and does the same whatever others do. First all are alone, then two parts are joined at a
 * time; newton_list_islands comes behind that. */
enum { NO_PART = -1 };
void newton_part_islands(newton_state *s);
void newton_join_islands(newton_state *s, int one, int other);
void newton_list_islands(newton_state *s);
/* What couplings are drawn to at the end of a substep. */
void newton_aim(coupling_aim *aims, const step_plan *plan, int substep);
/* After a step that failed: what is not finite would stay. */
void newton_state_forget(newton_state *s);
void newton_state_free(newton_state *s); /* zeroed is fine */

#endif
