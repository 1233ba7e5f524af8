/* The studio: a softbox behind the photographer's left shoulder, a dim dome above, and what the
 * floor sends back up. Each is sampled by many directional lights with a shadow map of their own;
 * their sum has true penumbras and ambient occlusion (Haeberli and Akeley, The Accumulation Buffer,
 * SIGGRAPH 1990). */
#ifndef TOILE_RENDER_LIGHT_H
#define TOILE_RENDER_LIGHT_H

#include "render/draw.h"
#include "render/matrix.h"

/* Lights of a pass; as in lighting.glsl. */
enum { PASS_KEYS = 6, PASS_SKIES = 8, PASS_GROUNDS = 2, PASS_DOME = PASS_SKIES + PASS_GROUNDS };

/* As in lighting.glsl (std140). */
typedef struct light {
    float to_map[3][4];
    float direction[3];
    float texel;       /* m, of the shadow map */
    float strength[4]; /* only the first counts */
} light;

typedef struct lighting {
    light keys[PASS_KEYS];
    light dome[PASS_DOME]; /* skies, then grounds */
    float key_color[4], sky_color[4], ground_color[4];
    float key_axis[4];
} lighting;

/* The studio is turned as the photographer is and covers what is shown. */
typedef struct studio {
    v3 forward, right;   /* horizontal, unit */
    draw_bounds casters; /* what shadow maps cover */
    v3 ground;           /* colour of the floor */
} studio;

studio studio_make(v3 facing, draw_bounds casters, v3 ground);

/* The lights of one of many passes, with shadow maps of key_size and dome_size pixels. Those of one
 * pass are spread over all of the studio, and those of all passes too. */
lighting studio_lighting(const studio *s, int pass, int passes, int key_size, int dome_size);

/* Where on a plane a shadow of the softbox may fall: the lowest and highest place along two axes of
 * the plane. False: anywhere. */
bool studio_key_shadow(const studio *s, v3 point, v3 normal, const v3 axes[2], float low[2],
                       float high[2]);

/* Point `index` of `count` that cover the unit square evenly, and both its sides: a Fibonacci
 * lattice. (The R2 sequence, tried first, comes in four clusters along one side, and so did the
 * shadows of poles.) */
void spread_point(int index, int count, float *u, float *v);

#endif
