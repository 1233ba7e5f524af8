/* A context with its programs. Making one takes tens of milliseconds, so those that worlds no
 * longer need are kept for the next. */
#ifndef TOILE_GL_MACHINE_H
#define TOILE_GL_MACHINE_H

#include "gl/context.h"
#include "gl/fragment/program.h"
#include "gl/program.h"

/* By compute shaders, which takes OpenGL 4.3, or by fragment shaders, which takes 3.3. */
typedef enum machine_kind { MACHINE_COMPUTE, MACHINE_FRAGMENT, MACHINE_KINDS } machine_kind;

typedef struct machine machine;
struct machine {
    machine_kind kind;
    context context;
    compute_program programs[PROGRAM_COUNT];
    fragment_program fragments[FRAGMENT_COUNT];
    GLint64 largest_block; /* bytes of a storage block */
    GLint uniform_step;    /* bytes, alignment of uniform blocks in a buffer */
    GLint largest_texture; /* texels along a side */
    machine *next;         /* of those that wait */
};

/* One that waits, or a new one; NULL with an error message. For one user at a time. */
machine *machine_take(machine_kind kind);
/* Back to those that wait. One that has failed is closed. */
void machine_give(machine *m, bool failed); /* NULL is fine */

/* Makes a program, unless it is made. The machine's context is current. */
toile_result machine_prepare(machine *m, gl_program p);

/* The most texels of a level that one work group relaxes. On a GPU that is faster than a dispatch
 * for each set up to some thousands; a renderer on the CPU switches stacks where threads of a group
 * wait, which takes longer than dispatches. */
size_t machine_small_level(const machine *m);

/* For tests: that many on any machine; negative, the default, for what is best. */
void machine_prefer_small(int texels);

/* For tests: this program gets a text that no driver compiles, in machines where it is not made
 * yet; PROGRAM_NONE, the default, for none. */
void machine_break(gl_program p);

#endif
