/* An OpenGL context that needs no window. */
#ifndef TOILE_RENDER_CONTEXT_H
#define TOILE_RENDER_CONTEXT_H

#include <epoxy/egl.h>

#include "toile/toile.h"

typedef struct context {
    EGLDisplay display;
    EGLContext handle;
    EGLSurface surface;    /* EGL_NO_SURFACE where the driver does without */
    char description[256]; /* renderer and version */
} context;

/* An OpenGL 3.3 core context on the first display that gives one: GPUs, Mesa's surfaceless
 * platform, the default display, and last the CPU. It is not current afterwards. */
toile_result context_open(context *c);
void context_close(context *c); /* zeroed is fine */

/* Between these two, GL calls of this thread go to the context. */
toile_result context_enter(const context *c);
void context_leave(const context *c);

/* The error that OpenGL has kept since the last call, if any, as a sentence about what was being
 * done. */
toile_result context_check(const char *doing);

#endif
