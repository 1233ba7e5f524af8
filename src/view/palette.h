/* Colours that stand for something: linear RGB, 3 a vertex, for draw_cloth.colors. */
#ifndef TOILE_VIEW_PALETTE_H
#define TOILE_VIEW_PALETTE_H

#include <stddef.h>
#include <stdint.h>

/* Of numbers from -1 to 1: blue below zero, red above it, darker towards the ends. */
void palette_values(const float *values, size_t count, float *colors);

/* Of marks as toile_cloth_get_refine_marks tells them. A depth layer each has a colour, again from
 * the first one after the last: in front of all bodies pale, then blue, green, yellow, violet and
 * brown by turns; grey where no view sees it. Over that, red is what was inside a body and still
 * is, orange what was moved out of it. */
void palette_marks(const uint16_t *marks, size_t count, float *colors);

#endif
