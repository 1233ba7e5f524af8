/* Collision maps: the images of bodies that texels are compared with (kernel/maps.h), drawn by the
 * graphics pipeline. */
#ifndef TOILE_GL_MAPS_H
#define TOILE_GL_MAPS_H

#include "gl/cloth.h"

toile_result gl_set_maps(device_context *gl, const map_request *request);
void gl_maps_free(gl_maps *maps); /* zeroed is fine; the context is current */

/* A map_drawer, for devices that compare elsewhere. */
toile_result gl_draw_maps(map_set *set, const map_request *request);

#endif
