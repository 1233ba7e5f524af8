/* MP4 files with H.264 by libav. */
#ifndef TOILE_RENDER_FILM_H
#define TOILE_RENDER_FILM_H

#include <stdint.h>

#include "toile/toile.h"

typedef struct film film;

/* frame_time is seconds a frame. The file appears under its name when it is complete. */
toile_result film_open(const char *path, int width, int height, double frame_time, film **out);
toile_result film_append(film *f, const uint8_t *rgb);
/* Finishes the file and frees f, also on error. */
toile_result film_close(film *f);
/* Gives up: removes what was written and frees f. NULL is fine. */
void film_discard(film *f);

#endif
