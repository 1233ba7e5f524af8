/* The refine solver (Wang 2005, chapter 6). A world of it has a second one inside, with a coarse
 * cloth for each of its cloths, which is stepped by mass-spring with CCD on the CPU. Bodies and
 * pins are there once: both worlds hold the same. */
#ifndef TOILE_STEP_REFINE_H
#define TOILE_STEP_REFINE_H

#include "device/refined.h"
#include "step/world.h"

/* The bodies of a world as refiners see them. */
typedef struct refine_bodies {
    size_t count;
    refine_object *objects;
    float **start, **end; /* m, 3 a vertex: at both ends of a step, in the world */
    float **owned;        /* two a body: memory of these; NULL: they are the body's own */
    uint32_t **indices;   /* memory of triangles; likewise */
} refine_bodies;

/* Makes room for the bodies there are. */
toile_result refine_bodies_make(refine_bodies *r, const toile_world *w);
void refine_bodies_free(refine_bodies *r); /* zeroed is fine */
/* Where they are at both ends of the step that is being made; planes as boxes below a cloth around
 * `middle` that reaches less than `reach`, m, from there. */
void refine_bodies_place(refine_bodies *r, const toile_world *w, v3 middle, float reach);

struct refine_world {
    toile_world *coarse;
    refine_bodies bodies;
    float *kept; /* coarse positions and velocities before the step, of all cloths */
    toile_camera camera;
    bool looks; /* there is one */
};

#endif
