/* Collision maps: the images of bodies that texels are compared with (kernel/maps.h), drawn by the
 * graphics pipeline. */
#ifndef TOILE_GL_MAPS_H
#define TOILE_GL_MAPS_H

#include "gl/cloth.h"

toile_result gl_set_maps(device_context *gl, const map_request *request);
toile_result gl_move_maps(device_context *gl, map_counts *counts);
void gl_maps_free(gl_maps *maps); /* zeroed is fine; the context is current */

/* For devices that compare elsewhere. */
extern const map_drawer gl_map_drawer;

#endif
