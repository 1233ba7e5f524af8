/* Pictures of a live scene, as `toile render` draws them: rough while things move, finer when they
 * rest. */
#ifndef TOILE_VIEW_SHOW_H
#define TOILE_VIEW_SHOW_H

#include "render/draw.h"
#include "view/live.h"

typedef struct show_options {
    scene_camera camera;
    bool wireframe;
    bool bodies;
    bool stretch; /* as colours, */
    bool marks;   /* or what `refine` knows of vertices, where it is the solver */
    int size[2];  /* pixels */
} show_options;

/* A cloth as it is shown. */
typedef struct show_cloth {
    mesh_view mesh;
    float *normals;
    draw_texels texels;      /* where they are on the device */
    float *values, *weights; /* of its stretch */
    float *colors;           /* of its vertices */
} show_cloth;

typedef struct show {
    drawer *drawer;
    live *live;
    const scene *scene;
    moment moment;
    show_cloth *cloths;
    draw_cloth *draw_cloths;
    draw_body *draw_bodies;
    draw_bounds bounds;                   /* of all that was seen so far */
    draw_bounds first;                    /* of what was seen at first */
    double time;                          /* s, that was last seen */
    float facing[3];                      /* that the lights stand around */
    scene_camera camera;                  /* the scene's, or one that suits it */
    uint64_t first_pattern, next_pattern; /* of its cloths in all skins, and of the next scene's */
    uint64_t look;
    bool fetched;       /* what is seen on the device was read back */
    show_options shown; /* in the picture */
    bool drawn;         /* there is a picture */
    int passes;         /* at a time */
    double ms;          /* that the last ones took */
} show;

/* In the context that is current. */
toile_result show_open(show *s, int width, int height);
void show_close(show *s); /* zeroed is fine */

/* Turns to another scene, which is playing. On error it stays with the one before. */
toile_result show_turn_to(show *s, live *l);

/* m, of what was seen at first; 1 when there was nothing. */
float show_size(const show *s);

/* Draws, or refines, what is seen now to the framebuffer in use. rests: there is nothing left to
 * do until something moves. */
toile_result show_draw(show *s, const show_options *options, double now, bool *rests);

/* Is there a picture with these options? */
bool show_has(const show *s, const show_options *options);

/* Makes sure that cloths[].mesh have positions: those that are seen on the device are read back. */
toile_result show_fetch(show *s);

/* Draws what is seen in the quality of a still, as bytes. */
toile_result show_shoot(show *s, const show_options *options, uint8_t *rgb);

#endif
