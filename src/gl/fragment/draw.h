/* One program over the texels of a cloth. */
#ifndef TOILE_GL_FRAGMENT_DRAW_H
#define TOILE_GL_FRAGMENT_DRAW_H

#include "gl/fragment/cloth.h"

typedef struct fragment_run_state {
    device_context *gl;
    step_plan *plan;
    device_cloth *const *cloths;
    int chunk;   /* first substep whose numbers are uploaded */
    int substep; /* that is being queued */
} fragment_run_state;

typedef struct fragment_call {
    fragment_name program;
    GLuint frame; /* that it draws into */
    float share;  /* of the substep */
    GLint number; /* as the program understands it */
} fragment_call;

/* A fragment a texel. */
void fragment_draw(const fragment_run_state *run, const device_cloth *cloth,
                   const fragment_call *call);
/* A fragment a block of a row. */
void fragment_draw_blocks(const fragment_run_state *run, const device_cloth *cloth,
                          const fragment_call *call);
/* A point on each pinned texel. */
void fragment_draw_pinned(const fragment_run_state *run, const device_cloth *cloth,
                          const fragment_call *call);
/* A point a texel, all onto the one texel of a mark, which is zero where none is seen. */
void fragment_draw_mark(const fragment_run_state *run, const device_cloth *cloth,
                        const fragment_call *call);

#endif
