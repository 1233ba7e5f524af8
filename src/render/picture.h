/* PNG files. */
#ifndef TOILE_RENDER_PICTURE_H
#define TOILE_RENDER_PICTURE_H

#include <stdint.h>

#include "toile/toile.h"

/* Writes 8-bit RGB, top row first, to a temporary file beside path and renames it. */
toile_result picture_write_png(const char *path, int width, int height, const uint8_t *rgb);

#endif
