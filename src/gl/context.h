/* An OpenGL context that needs no window. */
#ifndef TOILE_GL_CONTEXT_H
#define TOILE_GL_CONTEXT_H

#include <epoxy/egl.h>

#include "gl/guest.h"
#include "toile/toile.h"

typedef struct context {
    EGLDisplay display;
    EGLContext handle;
    EGLSurface surface;    /* EGL_NO_SURFACE where the driver does without */
    char description[256]; /* vendor, renderer and version */
    bool software;         /* the renderer runs on the CPU */
    bool borrowed;         /* it is the caller's, who makes it current */
} context;

/* What a context is for. */
typedef struct context_need {
    int major, minor;    /* version of the core profile that it takes */
    const char *purpose; /* "to draw with" */
} context_need;

/* What was current in a thread before it entered a context. */
typedef struct context_before {
    EGLenum api;
    EGLDisplay display;
    EGLContext handle;
    EGLSurface draw, read;
    guest_state guest; /* of a borrowed context */
} context_before;

/* A core context on the first display that gives one: GPUs, Mesa's surfaceless platform, the
 * default display, and last the CPU. It is not current afterwards; what was before still is. */
toile_result context_open(context *c, const context_need *need);
/* A core context that shares its objects with another one, on that one's display. Each may be
 * current in a thread of its own. */
toile_result context_open_shared(context *c, const context_need *need, EGLDisplay display,
                                 EGLContext other);
/* The one that is current in this thread, made through EGL by somebody else. From then on it must
 * be current whenever it is entered. */
toile_result context_borrow(context *c, const context_need *need);
void context_close(context *c); /* zeroed is fine */

/* Between these two, GL calls of this thread go to the context; after them they go where they went
 * before. In a borrowed one all is then bound and switched as it was. */
toile_result context_enter(const context *c, context_before *before);
void context_leave(const context *c, const context_before *before);

/* The error that OpenGL has kept since the last call, if any, as a sentence about what was being
 * done. */
toile_result context_check(const char *doing);

#endif
