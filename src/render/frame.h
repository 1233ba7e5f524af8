/* What of a frame the renderer fits floor, light and shadow maps to. */
#ifndef TOILE_RENDER_FRAME_H
#define TOILE_RENDER_FRAME_H

#include "render/draw.h"

/* The frame's bounds as its caller set them or else its own; a cubic metre when there is nothing.
 * Never empty. */
draw_bounds frame_shown_bounds(const draw_frame *frame);

#endif
