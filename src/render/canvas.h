/* What a picture is drawn on: the pixels of one pass, their sum over all passes, and the bytes that
 * come of it. */
#ifndef TOILE_RENDER_CANVAS_H
#define TOILE_RENDER_CANVAS_H

#include <epoxy/gl.h>
#include <stdint.h>

#include "toile/toile.h"

typedef struct canvas {
    int width, height;         /* pixels */
    GLuint shade, add, encode; /* programs */
    GLint encode_weight;       /* uniform */
    GLuint screen;             /* vertex array without attributes */
    /* Textures. The first four are of one pass; for the first three see shade.frag. */
    GLuint normals, colors, distances, pixels, sum_pixels;
    GLuint depths, encoded_pixels;                                  /* renderbuffers */
    GLuint surface_target, pass_target, sum_target, encoded_target; /* framebuffers */
} canvas;

toile_result canvas_open(canvas *c, int width, int height);
void canvas_close(canvas *c); /* zeroed is fine */
/* On error it is as it was. */
toile_result canvas_resize(canvas *c, int width, int height);

/* Starts a picture. */
void canvas_clear(const canvas *c);
/* Starts a pass. Surfaces that are lit all at once are drawn next. */
void canvas_begin(const canvas *c);
/* Lights them. Surfaces that light themselves are drawn next, in front of those or behind. */
void canvas_shade(const canvas *c);
/* Ends a pass and adds it to the picture. */
void canvas_add(const canvas *c);
/* The mean of so many passes: sRGB, top row first. */
void canvas_read(const canvas *c, int passes, uint8_t *rgb);
/* The same into the framebuffer that is bound. */
void canvas_show(const canvas *c, int passes);
/* Of the surface that was drawn last at a pixel, from the upper left. */
float canvas_distance(const canvas *c, int x, int y);

/* Draws all of the target's pixels with the program in use. */
void canvas_fill(const canvas *c);

#endif
