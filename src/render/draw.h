/* Drawing a scene: OpenGL 3.3 core, in a context of its own, which needs no window, or in the
 * caller's. */
#ifndef TOILE_RENDER_DRAW_H
#define TOILE_RENDER_DRAW_H

#include <stdint.h>

#include "io/mesh.h"
#include "io/scene.h"

typedef struct drawer drawer;

/* Texels that OpenGL has, of the drawer's context or one that shares its objects, between two
 * states: buffers of four planes of floats, of x, y, z and of the cloth in the cell up and right of
 * each texel. */
typedef struct draw_texels {
    uint32_t before, after; /* may be the same */
    float share;            /* of the way from one to the other, 0 to 1 */
    size_t plane;           /* floats of a plane, */
    size_t row;             /* from a texel to the one above it, */
    size_t first;           /* and before the lower left one */
    int columns;
    const toile_square *squares; /* a vertex */
} draw_texels;

/* The space a picture shows, in metres. All zero: nothing. */
typedef struct draw_bounds {
    float low[3], high[3];
} draw_bounds;

typedef struct draw_cloth {
    mesh_view mesh;   /* with normals and coordinates */
    float color[3];   /* linear RGB, of the front; the back is a little paler */
    uint64_t pattern; /* another number for other coordinates or triangles, so that what depends on
                         them alone is kept from frame to frame; 0: nothing is kept */
    const float *colors;       /* linear RGB, 3 a vertex: shown instead of the fabric; NULL: none */
    const draw_texels *texels; /* in place of the mesh's positions and normals, which are NULL then,
                                  and without colours of vertices; needs a pattern that no other
                                  cloth of the frame has. NULL: none */
    draw_bounds bounds;        /* with texels: what drawer_project found */
} draw_cloth;

typedef struct draw_body {
    toile_body_def def;
    toile_pose pose;
    float color[3];
} draw_body;

typedef enum draw_quality {
    DRAW_QUALITY_FILM,  /* for the many pictures of a film */
    DRAW_QUALITY_STILL, /* about ten times the work: finer shadows and edges */
    DRAW_QUALITY_LIVE,  /* for a window, where each picture begins well and is refined in time */
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
    /* Where the camera looks that the lights stand around; all zero: this one's. They stand still
     * while a camera goes about when it is the same in all frames. */
    float facing[3];
    /* What floor and light are fitted to. They stand still in a film when each of its frames has
     * the same bounds, such as the union of all frames' bounds. All zero: the frame's own. */
    draw_bounds bounds;
} draw_frame;

/* Width and height in pixels. TOILE_ERROR_UNAVAILABLE when there is no EGL or no OpenGL 3.3; the
 * message says what was tried. */
toile_result drawer_open(int width, int height, drawer **out);
/* The same in the context that is current in this thread, as it must be whenever the drawer is
 * used. */
toile_result drawer_open_here(int width, int height, drawer **out);
void drawer_close(drawer *d); /* NULL is fine */

/* Fills rgb with width * height * 3 bytes, sRGB, top row first. The same frame gives the same bytes
 * again. A drawer may be used from any thread, by one at a time. */
toile_result drawer_draw(drawer *d, const draw_frame *frame, uint8_t *rgb);

/* Takes a cloth from its texels for the picture that is begun next, and fills in its bounds. */
toile_result drawer_project(drawer *d, draw_cloth *cloth, bool wireframe);

/* The same bit by bit: begin a picture, refine it by some passes over all of it, look at it, refine
 * it further. What the frame points to must only live until drawer_begin returns. */
toile_result drawer_begin(drawer *d, const draw_frame *frame);
toile_result drawer_refine(drawer *d, int passes);
bool drawer_is_complete(const drawer *d);
toile_result drawer_read(drawer *d, uint8_t *rgb);

/* Another size for the pictures that are begun next. */
toile_result drawer_resize(drawer *d, int width, int height);
/* Puts the picture into the framebuffer in use, in the caller's context. */
void drawer_show(drawer *d);
/* How far, in metres along the view direction, the surface is that the last pass found at a pixel,
 * counted from the upper left; where there is none, any number. */
float drawer_distance(drawer *d, int x, int y);

/* "llvmpipe (LLVM 15.0.6, 256 bits), OpenGL 4.5": for `toile devices` and reports; "" in the
 * caller's context. */
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
