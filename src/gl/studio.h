/* Where collision maps are drawn: pictures of a body by the graphics pipeline, and the images that
 * are made of them (kernel/maps.h). */
#ifndef TOILE_GL_STUDIO_H
#define TOILE_GL_STUDIO_H

#include "device/maps.h"
#include "gl/blocks.h"
#include "gl/machine.h"

/* What is made to draw with. Where bodies deform it is kept from step to step. */
typedef struct gl_studio {
    GLuint frame, depth;
    GLuint pictures[MAP_UNITS]; /* by MAP_UNIT_FRONT and the others; ways only if bodies deform */
    GLuint nearest[2];          /* words: column and row of the nearest pixel on the body */
    GLuint array, corners;      /* of the body that is drawn */
    float *staged;              /* those corners */
} gl_studio;

/* For bodies of up to so many triangles. */
toile_result studio_open(gl_studio *s, machine *m, const map_set *set, size_t triangles);
void studio_close(gl_studio *s); /* zeroed is fine; the context is current */

/* Draws a body into its layers of the images; one that deforms as it is at the end of the step. */
toile_result studio_draw(gl_studio *s, machine *m, const map_set *set, int body,
                         const map_surface *surface, GLuint images);

#endif
