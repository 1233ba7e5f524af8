/* What both ways of the implicit solver share. */
#ifndef TOILE_STEP_IMPLICIT_H
#define TOILE_STEP_IMPLICIT_H

#include "step/world.h"

toile_result implicit_create_grids(toile_world *w, cloth *c);
const grid *implicit_level_grid(const cloth *c, int depth);
/* Is a texel of a cloth pinned? */
bool implicit_is_pinned(const toile_world *w, const cloth *c);
/* Does a body reflect? */
bool implicit_reflects(const step_plan *plan);
/* What leads to the solve: where velocities lead, bodies near texels, cloth near cloth. */
void implicit_add_start(toile_world *w);

#endif
