/* A context with its programs. Making one takes tens of milliseconds, so those that worlds no
 * longer need are kept for the next. */
#ifndef TOILE_GL_MACHINE_H
#define TOILE_GL_MACHINE_H

#include "gl/context.h"
#include "gl/fragment/program.h"
#include "gl/program.h"
#include "gl/refine_program.h"
#include "gl/surface_program.h"

/* By compute shaders, which takes OpenGL 4.3, or by fragment shaders, which takes 3.3. */
typedef enum machine_kind { MACHINE_COMPUTE, MACHINE_FRAGMENT, MACHINE_KINDS } machine_kind;

typedef struct machine machine;
struct machine {
    machine_kind kind;
    context context;
    compute_program programs[PROGRAM_COUNT];
    fragment_program fragments[FRAGMENT_COUNT];
    surface_programs surface;
    refine_programs refine;
    GLuint map_drawing;    /* program that draws collision maps; 0: not made yet */
    GLint64 largest_block; /* bytes of a storage block */
    GLint most_groups[2];  /* work groups along x and y */
    GLint uniform_step;    /* bytes, alignment of uniform blocks in a buffer */
    GLint largest_texture; /* texels along a side */
    machine *next;         /* of those that wait, or whose contexts are callers' */
    int users;             /* of one in a caller's context */
};

/* One that waits, or a new one; NULL with an error message. For one user at a time. */
machine *machine_take(machine_kind kind);
/* One in the caller's context, which is current: that of other worlds there, or a new one; NULL
 * with an error message. */
machine *machine_borrow(void);
/* Back to those that wait. One that has failed is closed, and one in a caller's context by its last
 * user. */
void machine_give(machine *m, bool failed); /* NULL is fine */

/* Makes a program, unless it is made. The machine's context is current. */
toile_result machine_prepare(machine *m, gl_program p);

/* How Gauss-Seidel goes over a level. */
typedef enum gl_relaxing {
    RELAX_SETS,  /* a dispatch for each set */
    RELAX_BROAD, /* for each BROAD_ITERATIONS */
    RELAX_TILES, /* for each TILE_ITERATIONS */
    RELAX_SMALL, /* one work group does all of it, with up to GROUP_SMALL edges in a set */
    RELAX_BEST   /* whatever is fastest */
} gl_relaxing;

/* The fastest for so many edges in a set. On a GPU it is what takes the fewest dispatches; a
 * renderer on the CPU switches stacks where threads of a group wait, which takes longer. */
gl_relaxing machine_relaxing(const machine *m, int edges);

/* For tests: that way on any machine, wherever it can; RELAX_BEST is the default. */
void machine_prefer_relaxing(gl_relaxing way);

/* For tests: this program gets a text that no driver compiles, in machines where it is not made
 * yet; PROGRAM_NONE, the default, for none. */
void machine_break(gl_program p);

#endif
