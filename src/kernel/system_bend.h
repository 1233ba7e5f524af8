/* Bending of a level, gathered at a texel: for devices whose texels do not share rows. The CPU
 * keeps the same differences in a ring (cpu/newton_row.h).
 *
 * Beside the loads of kernel/system.h, a driver says
 *
 *     float load_weight(SYSTEM int w, PLACE k)  of a second difference in the bending energy
 *
 * w: which, as numbered here. Differences to the texel come first, for they are exact. */
#ifndef TOILE_KERNEL_SYSTEM_BEND_H
#define TOILE_KERNEL_SYSTEM_BEND_H

#include "kernel/vec.h"

#define SYSTEM_BEND_U     0
#define SYSTEM_BEND_V     1
#define SYSTEM_BEND_TWIST 2

KERNEL_FN v3 system_second(SYSTEM int w, PLACE k, PLACE next) {
    v3 here = load_move(SYSTEM_HERE k);
    v3 sum = v3_add(v3_sub(load_move(SYSTEM_HERE k - next), here),
                    v3_sub(load_move(SYSTEM_HERE k + next), here));
    return v3_scale(sum, load_weight(SYSTEM_HERE w, k));
}

KERNEL_FN v3 system_bend_along(SYSTEM int w, PLACE k, PLACE next) {
    v3 here = system_second(SYSTEM_HERE w, k, next);
    return v3_add(v3_sub(system_second(SYSTEM_HERE w, k - next, next), here),
                  v3_sub(system_second(SYSTEM_HERE w, k + next, next), here));
}

/* Of the cell up and right of a texel. */
KERNEL_FN v3 system_twist(SYSTEM PLACE k, PLACE up) {
    v3 low = v3_sub(load_move(SYSTEM_HERE k), load_move(SYSTEM_HERE k + 1));
    v3 high = v3_sub(load_move(SYSTEM_HERE k + up), load_move(SYSTEM_HERE k + up + 1));
    return v3_scale(v3_sub(low, high), load_weight(SYSTEM_HERE SYSTEM_BEND_TWIST, k));
}

/* The gradient of the bending energy, before the constant. */
KERNEL_FN v3 system_bending(SYSTEM PLACE k, PLACE up) {
    v3 threads = v3_add(system_bend_along(SYSTEM_HERE SYSTEM_BEND_U, k, 1),
                        system_bend_along(SYSTEM_HERE SYSTEM_BEND_V, k, up));
    v3 high = v3_sub(system_twist(SYSTEM_HERE k, up), system_twist(SYSTEM_HERE k - 1, up));
    v3 low = v3_sub(system_twist(SYSTEM_HERE k - up, up), system_twist(SYSTEM_HERE k - up - 1, up));
    return v3_add(threads, v3_sub(high, low));
}

#endif
