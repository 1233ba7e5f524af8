/* The whole updates of a texel by the matrix of kernel/newton.h, over named loads.
 *
 * Before it includes this header, a driver says how it names a texel and what its loads need:
 *
 *     PLACE                               an index of a texel; k + 1 is beside it, k + up above it
 *     SYSTEM, SYSTEM_HERE                 the first parameter of loads and its name, with a comma;
 *                                         empty where loads need none
 *     v3 load_move(SYSTEM PLACE k)        the vector that the matrix is multiplied with, m
 *     float load_inertia(SYSTEM PLACE k)  mass / dt^2, N/m; 0 where absent or pinned
 *     v4 load_spring(SYSTEM int q, PLACE k)
 *     block load_block(SYSTEM int q, PLACE k)
 *
 * q: which link, as kernel/newton.h numbers them. */
#ifndef TOILE_KERNEL_SYSTEM_H
#define TOILE_KERNEL_SYSTEM_H

#include "kernel/newton.h"

KERNEL_FN v3 system_pull(SYSTEM int q, PLACE k, PLACE to, v3 here) {
    return newton_spring_times(load_spring(SYSTEM_HERE q, k),
                               v3_sub(here, load_move(SYSTEM_HERE to)));
}

/* The finest matrix without bending and contact, in two halves: inertia and yarns, diagonals. For
 * devices whose texels gather from both ends of each spring; the CPU multiplies each once and keeps
 * the force for the other end. */
KERNEL_FN v3 system_yarns(SYSTEM PLACE k, PLACE up) {
    v3 here = load_move(SYSTEM_HERE k);
    v3 u = v3_add(system_pull(SYSTEM_HERE SYSTEM_EAST, k, k + 1, here),
                  system_pull(SYSTEM_HERE SYSTEM_EAST, k - 1, k - 1, here));
    v3 v = v3_add(system_pull(SYSTEM_HERE SYSTEM_NORTH, k, k + up, here),
                  system_pull(SYSTEM_HERE SYSTEM_NORTH, k - up, k - up, here));
    return v3_madd(v3_add(u, v), here, load_inertia(SYSTEM_HERE k));
}

KERNEL_FN v3 system_diagonals(SYSTEM PLACE k, PLACE up) {
    v3 here = load_move(SYSTEM_HERE k);
    v3 rising = v3_add(system_pull(SYSTEM_HERE SYSTEM_RISE, k, k + up + 1, here),
                       system_pull(SYSTEM_HERE SYSTEM_RISE, k - up - 1, k - up - 1, here));
    v3 falling = v3_add(system_pull(SYSTEM_HERE SYSTEM_LEFT, k, k + up - 1, here),
                        system_pull(SYSTEM_HERE SYSTEM_LEFT, k - up + 1, k - up + 1, here));
    return v3_add(rising, falling);
}

/* The texel's own block there, without bending and contact. */
KERNEL_FN block system_own(SYSTEM PLACE k, PLACE up) {
    block u = block_add(newton_spring_block(load_spring(SYSTEM_HERE SYSTEM_EAST, k)),
                        newton_spring_block(load_spring(SYSTEM_HERE SYSTEM_EAST, k - 1)));
    block v = block_add(newton_spring_block(load_spring(SYSTEM_HERE SYSTEM_NORTH, k)),
                        newton_spring_block(load_spring(SYSTEM_HERE SYSTEM_NORTH, k - up)));
    block rising = block_add(newton_spring_block(load_spring(SYSTEM_HERE SYSTEM_RISE, k)),
                             newton_spring_block(load_spring(SYSTEM_HERE SYSTEM_RISE, k - up - 1)));
    block falling =
        block_add(newton_spring_block(load_spring(SYSTEM_HERE SYSTEM_LEFT, k)),
                  newton_spring_block(load_spring(SYSTEM_HERE SYSTEM_LEFT, k - up + 1)));
    return block_lift(block_add(block_add(u, v), block_add(rising, falling)),
                      load_inertia(SYSTEM_HERE k));
}

/* The force of springs, with positions as what is moved. */
KERNEL_FN v3 system_tension(SYSTEM int q, PLACE k, PLACE to, v3 here) {
    return v3_scale(v3_sub(load_move(SYSTEM_HERE to), here), load_spring(SYSTEM_HERE q, k).w);
}

KERNEL_FN v3 system_tensions(SYSTEM PLACE k, PLACE up) {
    v3 here = load_move(SYSTEM_HERE k);
    v3 u = v3_add(system_tension(SYSTEM_HERE SYSTEM_EAST, k, k + 1, here),
                  system_tension(SYSTEM_HERE SYSTEM_EAST, k - 1, k - 1, here));
    v3 v = v3_add(system_tension(SYSTEM_HERE SYSTEM_NORTH, k, k + up, here),
                  system_tension(SYSTEM_HERE SYSTEM_NORTH, k - up, k - up, here));
    v3 rising = v3_add(system_tension(SYSTEM_HERE SYSTEM_RISE, k, k + up + 1, here),
                       system_tension(SYSTEM_HERE SYSTEM_RISE, k - up - 1, k - up - 1, here));
    v3 falling = v3_add(system_tension(SYSTEM_HERE SYSTEM_LEFT, k, k + up - 1, here),
                        system_tension(SYSTEM_HERE SYSTEM_LEFT, k - up + 1, k - up + 1, here));
    return v3_add(v3_add(u, v), v3_add(rising, falling));
}

/* A coarse matrix without bending, in three parts, for there are many loads. */
KERNEL_FN v3 system_block_times(SYSTEM int q, PLACE k, PLACE to) {
    return block_times(load_block(SYSTEM_HERE q, k), load_move(SYSTEM_HERE to));
}

KERNEL_FN v3 system_coarse_row(SYSTEM PLACE k) {
    v3 own = system_block_times(SYSTEM_HERE SYSTEM_OWN, k, k);
    return v3_add(own, v3_add(system_block_times(SYSTEM_HERE SYSTEM_EAST, k, k + 1),
                              system_block_times(SYSTEM_HERE SYSTEM_EAST, k - 1, k - 1)));
}

KERNEL_FN v3 system_coarse_up(SYSTEM PLACE k, PLACE up) {
    v3 north = system_block_times(SYSTEM_HERE SYSTEM_NORTH, k, k + up);
    return v3_add(north, v3_add(system_block_times(SYSTEM_HERE SYSTEM_RISE, k, k + up + 1),
                                system_block_times(SYSTEM_HERE SYSTEM_LEFT, k, k + up - 1)));
}

KERNEL_FN v3 system_coarse_down(SYSTEM PLACE k, PLACE up) {
    v3 south = system_block_times(SYSTEM_HERE SYSTEM_NORTH, k - up, k - up);
    return v3_add(south,
                  v3_add(system_block_times(SYSTEM_HERE SYSTEM_RISE, k - up - 1, k - up - 1),
                         system_block_times(SYSTEM_HERE SYSTEM_LEFT, k - up + 1, k - up + 1)));
}

#endif
