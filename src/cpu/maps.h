/* Bodies that have images (kernel/maps.h), compared with texels in threads: Vassilev's first
 * paradigm. The passes return how many texels no camera could tell of. */
#ifndef TOILE_CPU_MAPS_H
#define TOILE_CPU_MAPS_H

#include "cpu/passes.h"
#include "device/maps.h"

/* What the images of a body say about a point. */
typedef struct map_hit {
    v4 distance; /* unit normal and distance */
    v3 way;      /* m, of the surface in the step, where the body deforms */
    bool hidden; /* no camera can tell */
} map_hit;

/* In the frame of a body of the plan, at a time between the start of the step, 0, and its end, 1;
 * what is beyond reach is MAPS_NONE away. */
map_hit maps_distance(const map_set *set, int body, v3 p, float time, float reach);

/* PASS_MAPS_RESPOND: texels that get to a body. */
uint64_t maps_respond(const map_set *set, const pass_args *args, int row_begin, int row_end);

/* PASS_MAPS_OUT: texels of a coarse level out of bodies. */
void maps_push_out(const map_set *set, const pass_args *args, int row_begin, int row_end);

/* PASS_MAPS: the planes of surfaces near texels, as cpu/meshes.h has them. */
uint64_t maps_planes(implicit_state *s, const map_set *set, const pass_args *args, int row_begin,
                     int row_end);

#endif
