/* Bodies that hold texels during an implicit step. */
#ifndef TOILE_CPU_GRIP_H
#define TOILE_CPU_GRIP_H

#include "cpu/passes.h"

/* Finds the columns of a row that are near shapes; the next two look there alone. */
void CPU_FN(span_row)(const pass_args *args, int row);

/* Adds the forces of bodies to those of a row, whose positions begin at a plane, and keeps how
 * they hold its texels. Returns whether they hold any. */
bool CPU_FN(grip_row)(const pass_args *args, int row, level_plane from);

/* Puts the texels of a row, whose positions begin at a plane, out of bodies. */
void CPU_FN(push_row)(const pass_args *args, int row, level_plane from);

#endif
