/* Shadow maps: depth as seen from lights, one layer of an array texture each. */
#ifndef TOILE_RENDER_SHADOW_H
#define TOILE_RENDER_SHADOW_H

#include <epoxy/gl.h>

#include "render/drape.h"
#include "render/light.h"

typedef struct shadow_maps {
    GLuint texture;
    int size; /* pixels along each side */
    int layers;
} shadow_maps;

typedef struct shadow_drawer {
    GLuint program;
    GLint to_map; /* uniform */
    GLuint framebuffer;
} shadow_drawer;

toile_result shadow_drawer_open(shadow_drawer *s);
void shadow_drawer_close(shadow_drawer *s);

/* Makes maps of that size, unless they are of it already. */
void shadow_maps_resize(shadow_maps *maps, int size, int layers);
void shadow_maps_close(shadow_maps *maps);

/* What casts shadows: part of a geometry, and cloths in one of their roles. */
typedef struct shadow_casters {
    const geometry *geometry;
    geometry_range range;
    const drape_store *drapes;
    drape_role role;
} shadow_casters;

/* Draws all layers, one for each light. */
void shadow_maps_draw(const shadow_drawer *s, const shadow_maps *maps, const light *lights,
                      const shadow_casters *casters);

#endif
