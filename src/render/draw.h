/* Drawing a scene without a window: OpenGL 3.3 core through EGL. */
#ifndef TOILE_RENDER_DRAW_H
#define TOILE_RENDER_DRAW_H

#include <stdint.h>

#include "io/mesh.h"
#include "io/scene.h"

typedef struct drawer drawer;

typedef struct draw_cloth {
    mesh_view mesh; /* with normals and coordinates */
    float color[3]; /* linear RGB, of the front; the back is a little paler */
} draw_cloth;

typedef struct draw_body {
    toile_body_def def;
    toile_pose pose;
    float color[3];
} draw_body;

/* The space a picture shows, in metres. All zero: nothing. */
typedef struct draw_bounds {
    float low[3], high[3];
} draw_bounds;

typedef enum draw_quality {
    DRAW_QUALITY_FILM,  /* for the many pictures of a film */
    DRAW_QUALITY_STILL, /* about ten times the work: finer shadows and edges */
} draw_quality;

/* One picture. */
typedef struct draw_frame {
    const draw_cloth *cloths;
    int cloth_count;
    const draw_body *bodies;
    int body_count;
    scene_camera camera; /* given */
    scene_render options;
    draw_quality quality;
    /* What floor and light are fitted to. They stand still in a film when each of its frames has
     * the same bounds, such as the union of all frames' bounds. All zero: the frame's own. */
    draw_bounds bounds;
} draw_frame;

/* Width and height in pixels. TOILE_ERROR_UNAVAILABLE when there is no EGL or no OpenGL 3.3; the
 * message says what was tried. */
toile_result drawer_open(int width, int height, drawer **out);
void drawer_close(drawer *d); /* NULL is fine */

/* Fills rgb with width * height * 3 bytes, sRGB, top row first. The same frame gives the same bytes
 * again. A drawer may be used from any thread, by one at a time. */
toile_result drawer_draw(drawer *d, const draw_frame *frame, uint8_t *rgb);

/* "llvmpipe (LLVM 15.0.6, 256 bits), OpenGL 4.5": for `toile devices` and reports. */
const char *drawer_description(const drawer *d);

/* What the cloths of a frame and the bodies about them fill. Planes count for nothing, and so do
 * bodies that dwarf the cloths, for they are ground to these. */
draw_bounds draw_frame_bounds(const draw_frame *frame);

/* The smallest bounds around both. */
draw_bounds draw_bounds_union(draw_bounds a, draw_bounds b);

/* A camera that sees all of the bounds of a frame (see there) from the front, a little above, in a
 * picture of options.size. */
scene_camera draw_frame_camera(const draw_frame *frame);

#endif
