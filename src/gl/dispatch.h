/* One program over texels, rows or lists of a cloth. */
#ifndef TOILE_GL_DISPATCH_H
#define TOILE_GL_DISPATCH_H

#include "gl/cloth.h"

/* What the threads of a call are. */
typedef enum gl_over {
    OVER_TEXELS,   /* of the level */
    OVER_ROWS,     /* of texels, a work group each */
    OVER_PINNED,   /* texels */
    OVER_VERTICES, /* of the coarse mesh */
    OVER_ODD,      /* texels of unusual weights; their number is the second of the call */
    OVER_LEVEL,    /* one work group has all of it */
    OVER_TILES,    /* of a level, as relax_tile has them */
    OVER_BROAD,    /* as relax_broad has them */
    OVER_UP,       /* of a cloth, as passes of Newton's method have them */
    OVER_SLOTS,    /* of the hash of self-collision, a work group a block; for all cloths at once */
    OVER_HASH,     /* one work group has all of it, likewise */
} gl_over;

typedef struct gl_call {
    gl_program program;
    gl_over over;
    int level;
    float share;        /* of the substep */
    GLint numbers[4];   /* as the program understands them */
    GLintptr groups_at; /* where the indirect buffer has its work groups; 0: nowhere */
} gl_call;

/* What is bound, for binding takes as long as a short pass. */
typedef struct gl_bindings {
    GLuint program;
    GLuint storage[8];
    GLuint uniform[2];
    GLintptr offset[2];
} gl_bindings;

/* What a step has told. */
typedef struct gl_outcome {
    device_solved solved;
    device_failure failure;
    bool failed;
    bool hurried; /* fewer iterations were queued than were needed */
    int wanted;   /* the most that a substep had */
    bool cut;     /* likewise of conjugate gradients */
    int drawn;    /* and the most that an iteration of Newton's method had */
    int springs;  /* that repel texels, where there was no room for so many; else 0 */
} gl_outcome;

typedef struct gl_run_state {
    device_context *gl;
    step_plan *plan;
    device_cloth *const *cloths;
    int chunk;      /* first substep whose moments are uploaded */
    int substep;    /* that is being queued */
    int iterations; /* that are queued in each substep */
    int gradients;  /* of conjugate gradients in each of these of Newton's method */
    gl_bindings bound;
    gl_outcome outcome;
} gl_run_state;

/* Binds a storage buffer, unless it is. */
void gl_bind(gl_run_state *run, GLuint slot, GLuint buffer);
/* So many work groups of a program, for which everything is bound. */
void gl_launch(gl_run_state *run, const gl_call *call, GLuint groups_x, GLuint groups_y);
/* One cloth, without a barrier. */
void gl_dispatch(gl_run_state *run, const gl_call *call, const device_cloth *cloth);
/* All cloths, and the barrier behind them. */
void gl_call_all(gl_run_state *run, const gl_call *call);

#endif
