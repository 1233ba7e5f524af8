/* How well a cycle of the implicit solver does. */
#ifndef TOILE_BENCH_CONVERGENCE_H
#define TOILE_BENCH_CONVERGENCE_H

#include "toile/toile.h"

/* The factor by which a cycle over the grids shrinks an error of A e = r at worst, measured in the
 * energy of A: the largest of some cycles on end, which bring forward the error that the cycle is
 * worst at. A is the matrix of the cloth at the world's last step, of the implicit solver. */
toile_result convergence_measure(const toile_world *world, toile_cloth_id cloth, double *factor);

#endif
