/* A step of implicit bending on the finest level, from the positions that arrived there to those
 * that are relaxed; what it would do to smooth bends is kept for the coarser levels. kernel/bend.h
 * has the energy, and the step. */
#include "kernel/bend.h"
#include "cpu/bending.h"

static void bend_row(const pass_args *args, size_t first) {
    const level_state *l = &args->hierarchy->levels[0];
    const cloth_planes *s = &args->state->at;
    const field q = field_from(l->at.qx, l->at.qy, l->at.qz, first);
    const bent_field bent = {q, field_from(s->x, s->y, s->z, first), args->params->bend_lag,
                             BENT_SINCE_START};
    const float *restrict c = l->coverage + first, *restrict mass = l->inverse_mass + first;
    float *restrict x = l->at.x + first, *restrict y = l->at.y + first,
                    *restrict z = l->at.z + first;
    float *restrict ox = l->at.ox + first, *restrict oy = l->at.oy + first,
                    *restrict oz = l->at.oz + first;
    const ptrdiff_t up = l->table->grid.stride;
    const float rate = args->params->bend_rate, stiff = args->params->bend_stiff[0],
                taken = args->params->bend_taken[0];
    const int columns = grid_floats(&l->table->grid);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        ptrdiff_t k = i;
        thread_weights wu = weights_along(c, k, 1, up), wv = weights_along(c, k, up, 1);
        v3 push = v3_scale(bending_at(bent, c, k, up, wu, wv), -rate * mass[k]);
        v3 out = v3_madd(field_at(q, k), push, taken * bend_share(stiff, mass[k]));
        x[i] = out.x;
        y[i] = out.y;
        z[i] = out.z;
        ox[i] = push.x;
        oy[i] = push.y;
        oz[i] = push.z;
    }
}

void CPU_FN(bend_rows)(const pass_args *args, int row_begin, int row_end) {
    if (!(args->params->bend_taken[0] > 0.0f)) {
        return;
    }
    for (int row = row_begin; row < row_end; row++) {
        bend_row(args, grid_index(&args->state->grid, 0, row));
    }
}
