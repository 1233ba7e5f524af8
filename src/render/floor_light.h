/* The light of a pass that falls from the dome on floors, as seen from straight above each: it
 * varies so slowly that a coarse image of it serves most of a picture's pixels. */
#ifndef TOILE_RENDER_FLOOR_LIGHT_H
#define TOILE_RENDER_FLOOR_LIGHT_H

#include <epoxy/gl.h>

#include "render/geometry.h"

typedef struct floor_light {
    GLuint program;
    GLuint framebuffer;
    GLuint texture; /* a layer a floor: share of the dome's light that shadows leave, and mipmaps of
                       it */
    int size, layers;
} floor_light;

toile_result floor_light_open(floor_light *f);
void floor_light_close(floor_light *f); /* zeroed is fine */

/* Starts anew with images of size x size pixels, one a floor. */
void floor_light_clear(floor_light *f, int size, int floors);
/* Adds the light that falls on some triangles of a floor. */
void floor_light_add(const floor_light *f, int floor, const geometry *g, geometry_range range);
/* Makes the blurred images, when all triangles were added. */
void floor_light_finish(const floor_light *f);

#endif
