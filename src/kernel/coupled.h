/* The whole updates of texels by couplings (kernel/coupling.h), over named loads.
 *
 * Before it includes this header, a driver says what its loads need:
 *
 *     COUPLED, COUPLED_HERE                    the first parameter of loads and its name, with a
 *                                              comma; empty where loads need none
 *     int load_count(COUPLED int row)          of its texels
 *     v3 load_coupled(COUPLED int row, int k)  what the matrix is multiplied with, or places, at
 *                                              texel k of a row
 *     float load_row_weight(COUPLED int row, int k)
 *     v3 load_aim(COUPLED int row)             where its sum is drawn to, m; 0 for products
 *     block load_stiffness(COUPLED int row)
 *     v3 load_pull(COUPLED int row)            what coupling_pull was, N
 *     int load_entry_row(COUPLED int entry)    of the list of a texel
 *     float load_entry_weight(COUPLED int entry)
 *     float load_entry_share(COUPLED int entry)
 *
 * Rows are summed first; then a texel gathers from those that it is in. Nothing is scattered that
 * threads could add up in another order. */
#ifndef TOILE_KERNEL_COUPLED_H
#define TOILE_KERNEL_COUPLED_H

#include "kernel/coupling.h"

/* What a row does to a texel of weight 1. */
KERNEL_FN v3 coupling_pull(COUPLED int row) {
    v3 sum = v3_scale(load_aim(COUPLED_HERE row), -1.0f);
    for (int k = 0; k < load_count(COUPLED_HERE row); k++) {
        sum = v3_madd(sum, load_coupled(COUPLED_HERE row, k), load_row_weight(COUPLED_HERE row, k));
    }
    return block_times(load_stiffness(COUPLED_HERE row), sum);
}

/* The matrix of couplings times a vector, at a texel with these entries; or the force that they
 * resist with, where the vector is places. */
KERNEL_FN v3 coupling_gather(COUPLED int first, int end) {
    v3 sum = v3_make(0.0f, 0.0f, 0.0f);
    for (int entry = first; entry < end; entry++) {
        sum = v3_madd(sum, load_pull(COUPLED_HERE load_entry_row(COUPLED_HERE entry)),
                      load_entry_weight(COUPLED_HERE entry));
    }
    return sum;
}

/* What they add to the block that the texel is moved by. */
KERNEL_FN block coupling_own(COUPLED int first, int end) {
    block sum = block_zero();
    for (int entry = first; entry < end; entry++) {
        block stiff = load_stiffness(COUPLED_HERE load_entry_row(COUPLED_HERE entry));
        sum = block_add(sum, block_scale(stiff, load_entry_share(COUPLED_HERE entry)));
    }
    return sum;
}

#endif
