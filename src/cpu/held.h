/* Texels that bodies hold, on all grids of a cycle. */
#ifndef TOILE_CPU_HELD_H
#define TOILE_CPU_HELD_H

#include "cpu/passes.h"

/* What bodies leave of the forces or corrections of a row, which begin at a plane. */
void CPU_FN(hold_row)(const cycle_level *l, int row, cycle_plane from);

/* The corrections of a row of the finest grid, those of held texels to the surface. */
void CPU_FN(land_row)(const cycle_level *finest, int row, cycle_plane from);

/* How the texels of a coarse row are held. */
void CPU_FN(hold_coarse_row)(const cycle_level *l, const cycle_level *finer, int row, bool finest);
void CPU_FN(sweep_held_row)(const cycle_level *l, int row, cycle_plane from, cycle_plane to,
                            float kept);

/* Does a body hold any texel of the level? */
bool CPU_FN(is_held)(const cycle_level *l);

/* The correction of a cloth's coarsest level, whose matrix is another one wherever it is held. */
void CPU_FN(solve_held)(const cycle_state *s);

#endif
