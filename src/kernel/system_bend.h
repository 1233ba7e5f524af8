/* Bending of a level, gathered at a texel.
 *
 * Beside the loads of kernel/system.h, a driver says
 *
 *     float load_bend(SYSTEM int w, PLACE k)  weight of a second difference in the bending energy
 *
 * w: which, as numbered here. Differences to the texel come first, for they are exact. */
#ifndef TOILE_KERNEL_SYSTEM_BEND_H
#define TOILE_KERNEL_SYSTEM_BEND_H

#include "kernel/vec.h"

#define SYSTEM_BEND_U     0
#define SYSTEM_BEND_V     1
#define SYSTEM_BEND_TWIST 2

KERNEL_FN v3 system_second(v3 before, v3 here, v3 after, float weight) {
    return v3_scale(v3_add(v3_sub(before, here), v3_sub(after, here)), weight);
}

/* The gradient of a line of second differences, of five texels. */
KERNEL_FN v3 system_bend_line(v3 before2, v3 before, v3 here, v3 after, v3 after2,
                              float weight_before, float weight, float weight_after) {
    v3 own = system_second(before, here, after, weight);
    return v3_add(v3_sub(system_second(before2, before, here, weight_before), own),
                  v3_sub(system_second(here, after, after2, weight_after), own));
}

/* Of a cell, given from its lower left texel on. */
KERNEL_FN v3 system_twist(v3 here, v3 east, v3 north, v3 opposite, float weight) {
    return v3_scale(v3_sub(v3_sub(here, east), v3_sub(north, opposite)), weight);
}

/* The gradient of the bending energy, before the constant. */
KERNEL_FN v3 system_bending(SYSTEM PLACE k, PLACE up) {
    v3 here = load_move(SYSTEM_HERE k);
    v3 west = load_move(SYSTEM_HERE k - 1), east = load_move(SYSTEM_HERE k + 1);
    v3 south = load_move(SYSTEM_HERE k - up), north = load_move(SYSTEM_HERE k + up);
    v3 u = system_bend_line(
        load_move(SYSTEM_HERE k - 2), west, here, east, load_move(SYSTEM_HERE k + 2),
        load_bend(SYSTEM_HERE SYSTEM_BEND_U, k - 1), load_bend(SYSTEM_HERE SYSTEM_BEND_U, k),
        load_bend(SYSTEM_HERE SYSTEM_BEND_U, k + 1));
    v3 v = system_bend_line(
        load_move(SYSTEM_HERE k - up - up), south, here, north, load_move(SYSTEM_HERE k + up + up),
        load_bend(SYSTEM_HERE SYSTEM_BEND_V, k - up), load_bend(SYSTEM_HERE SYSTEM_BEND_V, k),
        load_bend(SYSTEM_HERE SYSTEM_BEND_V, k + up));
    v3 high_left = system_twist(west, here, load_move(SYSTEM_HERE k + up - 1), north,
                                load_bend(SYSTEM_HERE SYSTEM_BEND_TWIST, k - 1));
    v3 high = system_twist(here, east, north, load_move(SYSTEM_HERE k + up + 1),
                           load_bend(SYSTEM_HERE SYSTEM_BEND_TWIST, k));
    v3 low_left = system_twist(load_move(SYSTEM_HERE k - up - 1), south, west, here,
                               load_bend(SYSTEM_HERE SYSTEM_BEND_TWIST, k - up - 1));
    v3 low = system_twist(south, load_move(SYSTEM_HERE k - up + 1), here, east,
                          load_bend(SYSTEM_HERE SYSTEM_BEND_TWIST, k - up));
    return v3_add(v3_add(u, v), v3_sub(v3_sub(high, high_left), v3_sub(low, low_left)));
}

/* The same where all weights that it reads are those of a full sheet: the Laplacian of the
 * Laplacian. For products: with positions its sums of large numbers would not be exact. */
KERNEL_FN v3 system_bending_inside(SYSTEM PLACE k, PLACE up) {
    v3 beside = v3_add(v3_add(load_move(SYSTEM_HERE k - 1), load_move(SYSTEM_HERE k + 1)),
                       v3_add(load_move(SYSTEM_HERE k - up), load_move(SYSTEM_HERE k + up)));
    v3 aslant =
        v3_add(v3_add(load_move(SYSTEM_HERE k - up - 1), load_move(SYSTEM_HERE k - up + 1)),
               v3_add(load_move(SYSTEM_HERE k + up - 1), load_move(SYSTEM_HERE k + up + 1)));
    v3 far = v3_add(v3_add(load_move(SYSTEM_HERE k - 2), load_move(SYSTEM_HERE k + 2)),
                    v3_add(load_move(SYSTEM_HERE k - up - up), load_move(SYSTEM_HERE k + up + up)));
    v3 near = v3_madd(v3_scale(load_move(SYSTEM_HERE k), 20.0f), beside, -8.0f);
    return v3_add(v3_madd(near, aslant, 2.0f), far);
}

#endif
