/* Bodies that hold texels during an implicit step. */
#ifndef TOILE_CPU_GRIP_H
#define TOILE_CPU_GRIP_H

#include "cpu/passes.h"

/* Finds the columns of a row that are near shapes; the next one looks there alone. */
void CPU_FN(span_row)(const pass_args *args, int row);

/* Is a texel of the row so near a body that the next one has anything to do? */
bool CPU_FN(is_near_bodies)(const pass_args *args, int row);

/* Adds friction to the forces of a row, whose positions begin at a plane, and keeps which surfaces
 * its texels touch and whether these hold them. Returns whether they touch any. */
bool CPU_FN(grip_row)(const pass_args *args, int row, level_plane from);

/* Adds friction to the forces of touched texels of a row. corrected: the share of the cycle's
 * correction that they have gone, too. */
void CPU_FN(rub_row)(const pass_args *args, size_t first, float corrected);

/* Lets bodies hold on to the texels that they hold now. */
void CPU_FN(glue_row)(const pass_args *args, int row);

#endif
