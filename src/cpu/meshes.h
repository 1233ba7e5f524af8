/* Meshes as bodies of the implicit solver: each texel near one gets the plane of its surface there,
 * and that plane presses against it as a shape does (newton_contact.c). */
#ifndef TOILE_CPU_MESHES_H
#define TOILE_CPU_MESHES_H

#include "cpu/passes.h"

/* How far meshes get in the substep; once, before any texel asks. */
void meshes_begin(implicit_state *s, const step_plan *plan, int parity);

/* The planes of some rows at their positions on the finest level. With `afresh` nothing is taken
 * from earlier substeps, so that steps do not depend on those before them. */
void meshes_rows(implicit_state *s, const pass_args *args, bool afresh, int row_begin, int row_end);

#endif
