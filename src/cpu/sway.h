/* Moves along the normals of the cloth, in an implicit step. */
#ifndef TOILE_CPU_SWAY_H
#define TOILE_CPU_SWAY_H

#include "cpu/passes.h"

/* The normals of a row, from its positions and those of the rows beside it. */
void CPU_FN(normal_row)(const pass_args *args, int row);

#endif
