/* The images of bodies that texels are compared with (kernel/maps.h): which there are, and what
 * they look like in memory. Only OpenGL draws them; a device that does not is handed copies. */
#ifndef TOILE_DEVICE_MAPS_H
#define TOILE_DEVICE_MAPS_H

#include "kernel/maps.h"
#include "model/solid.h"

/* A body to draw. */
typedef struct map_surface {
    const solid *solid; /* NULL: none of it is drawn. One that deforms must stay */
    bool round;         /* normals of the corners are those of the surface */
} map_surface;

typedef struct map_request {
    const map_surface *surfaces; /* those of the plan's bodies, in that order */
    int count;
    int side;      /* pixels along the longest side of a body's box, its border included */
    int cameras;   /* 2 or 6 */
    size_t memory; /* bytes, for images of bodies that deform as they were */
} map_request;

/* Where the images of a body are. */
typedef struct body_map {
    v3 low, high;      /* m, its box; at the end of the step, of one that deforms */
    float pixel;       /* m */
    int size[3];       /* pixels along x, y and z */
    int axis;          /* that the first pair of cameras looks along; others follow in turn */
    int views;         /* pairs of cameras; 0: none */
    int layer;         /* the first image: `images` a view, each side x side pixels */
    int images;        /* MAPS_IMAGES; MAPS_MOVING_IMAGES: it deforms */
    float longest_way; /* m, in the step, of one that deforms */
} body_map;

/* A body that deforms: what its images show. */
typedef struct map_motion {
    const solid *solid; /* NULL: it does not deform */
    float *vertices;    /* m, 3 a vertex at the start of the step, then at its end */
    bool drawn;
} map_motion;

/* The images of a body in an earlier step. */
typedef struct map_past {
    int body;
    uint64_t key;    /* hash of the vertices */
    float *vertices; /* as map_motion has them */
    body_map map;
    float *images;        /* of its views in turn, no more than their columns and rows; or */
    uint32_t textures[3]; /* OpenGL's, one a view */
    size_t bytes;
} map_past;

/* Those that are kept, oldest first. */
typedef struct map_memory {
    map_past *kept;
    size_t count, capacity;
    size_t bytes, most; /* of all, and at most; most is 0: nothing is kept */
} map_memory;

typedef struct map_studio map_studio; /* of whoever draws, for copies of what deforms */

typedef struct map_set {
    body_map *bodies;    /* a body of the plan */
    map_motion *motions; /* likewise */
    int count;
    int side, cameras;
    int layers;    /* images of all bodies */
    bool deforms;  /* any of them */
    float *images; /* layers x rows x columns x 4; NULL: on the device */
    map_memory memory;
    map_studio *studio; /* NULL: nothing is drawn again */
} map_set;

/* Lays the images out; those of the set before are gone. */
toile_result map_set_plan(map_set *set, const map_request *request);
void map_set_free(map_set *set); /* zeroed is fine */

/* Fits the cameras to a body that deforms, as it will be at the end of the step. */
void map_fit_end(map_set *set, int body);

/* Axes of the image of a view: u, v, and the one that cameras look along. */
static inline int map_axis(const body_map *b, int view) {
    return (b->axis + view) % 3;
}
/* Pixels along u and v. */
static inline int map_columns(const body_map *b, int view) {
    return b->size[(map_axis(b, view) + 1) % 3];
}
static inline int map_rows(const body_map *b, int view) {
    return b->size[(map_axis(b, view) + 2) % 3];
}

/* How a device gets the images of a body that deforms, in the layout that the set has for it. */
typedef struct map_mover {
    toile_result (*draw)(void *user, int body);
    /* Into the past, whose other fields are filled in, and back. */
    toile_result (*keep)(void *user, map_past *past);
    void (*restore)(void *user, const map_past *past);
    /* Frees what keep() made. */
    void (*drop)(map_past *past);
} map_mover;

/* How many bodies that deform were drawn, and how many found as they were in an earlier step. */
typedef struct map_counts {
    uint64_t draws, reuses;
} map_counts;

/* For the step that the solids are about to make: draws those that deform, unless their images are
 * there. Adds to the counts. */
toile_result map_set_move(map_set *set, const map_mover *mover, void *user, map_counts *counts);
/* Forgets all that is kept. */
void map_set_forget(map_set *set, void (*drop)(map_past *past));

/* Who draws copies. NULL where the library is built without OpenGL. */
typedef struct map_drawer {
    /* Fills a set with copies of the images; with no surfaces it only looks whether that is
     * possible here. Bodies that deform are left for draw_again. */
    toile_result (*draw)(map_set *set, const map_request *request);
    toile_result (*draw_again)(map_set *set, int body);
    void (*close)(map_studio *studio);
} map_drawer;
extern const map_drawer *const map_drawer_here;

/* The images of a map_set that has copies, for map_set_move(). */
extern const map_mover map_copy_mover; /* user: the map_set */

#endif
