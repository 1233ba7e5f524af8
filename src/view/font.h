/* The letters of the system's own font, drawn once into an image. */
#ifndef TOILE_VIEW_FONT_H
#define TOILE_VIEW_FONT_H

#include <stdint.h>

#include "toile/toile.h"

typedef struct glyph {
    uint32_t letter;   /* Unicode */
    int x, y;          /* pixels, of its upper left corner in the image */
    int width, height; /* pixels */
    int left, top;     /* pixels, from the pen to that corner: right and up */
    float advance;     /* pixels, of the pen */
} glyph;

typedef struct font {
    glyph *glyphs; /* by letters, rising */
    int count;
    uint8_t *pixels; /* 0 to 255: how much of a pixel is ink */
    int width, height;
    float ascent, line; /* pixels, above the base line, and from line to line */
} font;

/* size: pixels of an em. TOILE_ERROR_UNAVAILABLE when the system has no font. */
toile_result font_make(font *f, float size);
void font_free(font *f); /* zeroed is fine */

/* The next letter of a UTF-8 text, which moves on; 0 at its end. Bytes that are none are
 * U+FFFD. */
uint32_t text_next(const char **text);

/* That of '?' for letters there are none of. */
const glyph *font_glyph(const font *f, uint32_t letter);
float font_width(const font *f, const char *text);

#endif
