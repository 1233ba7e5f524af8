/* Bodies that have images (kernel/maps.h), compared with texels in threads: Vassilev's first
 * paradigm. The passes return how many texels no camera could tell of. */
#ifndef TOILE_CPU_MAPS_H
#define TOILE_CPU_MAPS_H

#include "cpu/passes.h"
#include "device/maps.h"

/* Unit normal and distance of a point in the frame of a body of the plan; what is beyond reach is
 * MAPS_NONE away. hidden: no camera can tell. */
v4 maps_distance(const map_set *set, int body, v3 p, float reach, bool *hidden);

/* PASS_MAPS_RESPOND: texels that get to a body. */
uint64_t maps_respond(const map_set *set, const pass_args *args, int row_begin, int row_end);

/* PASS_MAPS_OUT: texels of a coarse level out of bodies. */
void maps_push_out(const map_set *set, const pass_args *args, int row_begin, int row_end);

/* PASS_MAPS: the planes of surfaces near texels, as cpu/meshes.h has them. */
uint64_t maps_planes(cycle_state *s, const map_set *set, const pass_args *args, int row_begin,
                     int row_end);

#endif
