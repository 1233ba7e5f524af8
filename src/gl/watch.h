/* Words that the GPU sets and the host looks at while it queues a step, so that it queues no more
 * than is needed. They are mapped for good, which takes OpenGL 4.4 or ARB_buffer_storage. */
#ifndef TOILE_GL_WATCH_H
#define TOILE_GL_WATCH_H

#include <epoxy/gl.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct gl_watch {
    GLuint buffer;           /* TOLD_WORDS words, for shaders */
    volatile uint32_t *told; /* the same; NULL: the driver cannot show them while it works */
    GLsync looked; /* behind what was queued at the last look; NULL: none since watch_for */
} gl_watch;

void watch_make(gl_watch *w);
void watch_free(gl_watch *w); /* zeroed is fine */

/* Clears a word that nothing which is queued sets, and looks for it from here on. */
void watch_for(gl_watch *w, int word);
/* Was it set by what is queued? Waits for that. */
bool watch_wait(gl_watch *w, int word);
/* Waits only for what was queued at the last look, so that the GPU always has something to do. */
bool watch_look(gl_watch *w, int word);

/* For tests: new ones are made as if the driver could not, unless allowed; that is the default. */
void watch_allow(bool allowed);

#endif
