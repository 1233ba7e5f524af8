/* Flat drawing over a picture: round rectangles, rings, lines, text. Places are pixels from the
 * upper left. */
#ifndef TOILE_VIEW_OVERLAY_H
#define TOILE_VIEW_OVERLAY_H

#include <epoxy/gl.h>

#include "view/font.h"

typedef struct ink {
    float r, g, b, a; /* sRGB, 0 to 1 */
} ink;

typedef struct overlay {
    font font;
    float scale; /* pixels a point: 1 on screens of plain density */
    GLuint program, texture, vertex_array, buffer;
    GLint size; /* uniform */
    float *vertices;
    size_t count, capacity; /* floats */
} overlay;

toile_result overlay_open(overlay *o);
void overlay_close(overlay *o); /* zeroed is fine */
/* Draws letters anew when the scale has changed. */
toile_result overlay_set_scale(overlay *o, float scale);

/* x, y: the upper left corner. */
void overlay_box(overlay *o, float x, float y, float width, float height, float radius, ink color);
/* x, y: the middle; line: how wide it is drawn, 0: filled. */
void overlay_ring(overlay *o, float x, float y, float radius, float line, ink color);
void overlay_line(overlay *o, const float from[2], const float to[2], float width, ink color);
/* y: the top of the line. Returns where it ends. */
float overlay_text(overlay *o, float x, float y, const char *text, ink color);

/* Draws all of it to the framebuffer in use, of that many pixels, and starts anew. */
void overlay_show(overlay *o, int width, int height);

#endif
