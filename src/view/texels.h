/* Texels of a play that stay with OpenGL: copied there from the world's buffers, as many states as
 * the window needs, and never read back to be drawn. Each thread has its own context; they share
 * objects. */
#ifndef TOILE_VIEW_TEXELS_H
#define TOILE_VIEW_TEXELS_H

#include <epoxy/gl.h>

#include "view/play.h"

/* Copies of all cloths of a play: four planes each, as draw_texels has them. */
typedef struct texel_copies {
    GLuint *buffers; /* a cloth each; NULL: there are none */
    GLsync ready;    /* what is in them has arrived; NULL: nothing yet */
} texel_copies;

/* In the context that is current, for one that is on_device. There are none of cloths that are too
 * large for the driver to draw them from. */
toile_result texels_make(texel_copies *t, const play *p);
void texels_free(texel_copies *t, const play *p); /* zeroed is fine */

/* From the world. The thread's context is the world's. */
void texels_read(texel_copies *t, const play *p);
/* From another copy, once it is ready. */
void texels_copy(texel_copies *t, const texel_copies *from, const play *p);

/* Some texels of a cloth, read back: 3 floats each. */
toile_result texels_fetch(const texel_copies *t, const play *p, int cloth, const uint32_t *numbers,
                          size_t count, float *out);

/* The vertices of a cloth's render mesh, read back, between two copies. */
toile_result texels_fetch_mesh(const texel_copies *before, const texel_copies *after, float share,
                               const skin_cloth *cloth, int number, float *positions);

#endif
