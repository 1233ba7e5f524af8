/* A step of implicit bending on a level, from the positions that arrived there to those that are
 * relaxed. kernel/bend.h has the energy, and the step. */
#include "kernel/bend.h"
#include "cpu/bending.h"

static void bend_row(const pass_args *args, size_t first) {
    const level_state *l = &args->hierarchy->levels[args->level];
    const field q = field_from(l->at.qx, l->at.qy, l->at.qz, first);
    const field start = args->level == 0 ? field_from(args->state->at.x, args->state->at.y,
                                                      args->state->at.z, first)
                                         : field_from(l->at.ox, l->at.oy, l->at.oz, first);
    const float lag = args->params->bend_lag;
    const bent_field bent = {q, start, lag, true};
    const float *restrict c = l->bend_coverage + first, *restrict mass = l->inverse_mass + first;
    float *restrict x = l->at.x + first, *restrict y = l->at.y + first,
                    *restrict z = l->at.z + first;
    const ptrdiff_t up = l->table->grid.stride;
    const float rate = args->params->bend_rate[args->level],
                share = args->params->bend_share[args->level];
    const int columns = row_floats(&l->table->grid);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        ptrdiff_t k = i;
        thread_weights wu = weights_along(c, k, 1, up), wv = weights_along(c, k, up, 1);
        v3 gradient = bending_at(bent, c, k, up, wu, wv);
        v3 out = v3_madd(field_at(q, k), gradient, -share * bend_step(rate, lag, mass[k]));
        x[i] = out.x;
        y[i] = out.y;
        z[i] = out.z;
    }
}

void CPU_FN(bend_rows)(const pass_args *args, int row_begin, int row_end) {
    if (!(args->params->bend_share[args->level] > 0.0f)) {
        return;
    }
    for (int row = row_begin; row < row_end; row++) {
        bend_row(args, grid_index(&args->hierarchy->levels[args->level].table->grid, 0, row));
    }
}
