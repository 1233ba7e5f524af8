/* The border of a flat mesh as an outline. */
#ifndef TOILE_IO_BORDER_H
#define TOILE_IO_BORDER_H

#include "cook/flat_mesh.h"
#include "toile/toile.h"

#define BORDER_NONE UINT32_MAX

/* next: a vertex: the one after it on the border, with the mesh on the left, or BORDER_NONE. It is
 * used up. Each vertex follows at most one other. Loops become lines through their vertices, the
 * outer loop first; points are left out where the outline stays within `tolerance` metres of them.
 * The arrays of the outline are allocated; free loops and curves. An outline of several outer loops
 * is refused. */
toile_result border_outline(const flat_mesh *m, uint32_t *next, double tolerance,
                            toile_outline *outline, toile_loop **loops, toile_curve **curves);

#endif
