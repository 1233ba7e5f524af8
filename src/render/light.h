/* The studio: a softbox behind the photographer's left shoulder, a dim dome above, and what the
 * floor sends back up. Each is sampled by many directional lights with a shadow map of their own;
 * their sum has true penumbras and ambient occlusion (Haeberli and Akeley, The Accumulation Buffer,
 * SIGGRAPH 1990). */
#ifndef TOILE_RENDER_LIGHT_H
#define TOILE_RENDER_LIGHT_H

#include "render/draw.h"
#include "render/matrix.h"

/* Lights of a pass; as in lighting.glsl. */
enum { PASS_KEYS = 4, PASS_SKIES = 5, PASS_GROUNDS = 1 };

/* As in lighting.glsl (std140). */
typedef struct light {
    float to_map[3][4];
    float direction[3];
    float texel;       /* m, of the shadow map */
    float strength[4]; /* only the first counts */
} light;

typedef struct lighting {
    light keys[PASS_KEYS];
    light skies[PASS_SKIES];
    light grounds[PASS_GROUNDS];
    float key_color[4], sky_color[4], ground_color[4];
} lighting;

/* The studio turns with the camera and covers what is shown. */
typedef struct studio {
    v3 forward, right;   /* horizontal, unit */
    draw_bounds casters; /* what shadow maps cover */
    v3 ground;           /* colour of the floor */
} studio;

studio studio_make(const scene_camera *camera, draw_bounds casters, v3 ground);

/* The lights of one of many passes, with shadow maps of key_size and sky_size pixels. Those of one pass are spread over
 * all of the studio, and those of all passes too. */
lighting studio_lighting(const studio *s, int pass, int key_size, int sky_size);

/* Point `index` of a sequence that covers the unit square evenly, any run of it too. */
void spread_point(int index, float *u, float *v);

#endif
