/* The studio: a softbox behind the photographer's left shoulder, a dim dome above, and what the
 * floor sends back up. Each is sampled by many directional lights with a shadow map of their own;
 * their sum has true penumbras and ambient occlusion (Haeberli and Akeley, The Accumulation Buffer,
 * SIGGRAPH 1990). */
#ifndef TOILE_RENDER_LIGHT_H
#define TOILE_RENDER_LIGHT_H

#include "render/draw.h"
#include "render/matrix.h"

/* As the shaders see it (std140). */
typedef struct light {
    mat4 to_map;        /* world to shadow map: 0 to 1 along all three axes */
    float direction[3]; /* unit, towards the light */
    float texel;        /* m, of the shadow map */
    float color[3];     /* light that a white surface facing it sends back */
    float unused;
} light;

/* The studio turns with the camera and covers what is shown. */
typedef struct studio {
    v3 forward, right;   /* horizontal, unit */
    draw_bounds casters; /* what shadow maps cover */
    v3 ground;           /* colour of the floor */
} studio;

studio studio_make(const scene_camera *camera, draw_bounds casters, v3 ground);

/* Light `index` of `count` of the softbox, the dome or the floor, with a map of map_size pixels.
 * Any run of indices is spread over the whole of it. */
light studio_key(const studio *s, int index, int count, int map_size);
light studio_sky(const studio *s, int index, int count, int map_size);
light studio_ground(const studio *s, int index, int count, int map_size);

/* Point `index` of a sequence that covers the unit square evenly, any run of it too. */
void spread_point(int index, float *u, float *v);

#endif
