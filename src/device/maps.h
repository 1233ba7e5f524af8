/* The images of bodies that texels are compared with (kernel/maps.h): which there are, and what
 * they look like in memory. Only OpenGL draws them; a device that does not is handed copies. */
#ifndef TOILE_DEVICE_MAPS_H
#define TOILE_DEVICE_MAPS_H

#include "kernel/maps.h"
#include "model/solid.h"

/* A body to draw. */
typedef struct map_surface {
    const solid *solid; /* NULL: none of it is drawn */
    bool round;         /* normals of the corners are those of the surface */
} map_surface;

typedef struct map_request {
    const map_surface *surfaces; /* those of the plan's bodies, in that order */
    int count;
    int side;    /* pixels along the longest side of a body's box, its border included */
    int cameras; /* 2 or 6 */
} map_request;

/* Where the images of a body are. */
typedef struct body_map {
    v3 low, high; /* m, its box */
    float pixel;  /* m */
    int size[3];  /* pixels along x, y and z */
    int axis;     /* that the first pair of cameras looks along; others follow in turn */
    int views;    /* pairs of cameras; 0: none */
    int layer;    /* the first image: MAPS_IMAGES a view, each side x side pixels */
} body_map;

typedef struct map_set {
    body_map *bodies; /* a body of the plan */
    int count;
    int side;
    int layers;    /* images of all bodies */
    float *images; /* layers x rows x columns x 4; NULL: on the device */
} map_set;

/* Lays the images out; those of the set before are gone. */
toile_result map_set_plan(map_set *set, const map_request *request);
void map_set_free(map_set *set); /* zeroed is fine */

/* Axes of the image of a view: u, v, and the one that cameras look along. */
static inline int map_axis(const body_map *b, int view) {
    return (b->axis + view) % 3;
}

/* Fills a set with copies of the images; with no surfaces it only looks whether that is possible
 * here. NULL where the library is built without OpenGL. */
typedef toile_result map_drawer(map_set *set, const map_request *request);
extern map_drawer *const map_drawer_here;

#endif
