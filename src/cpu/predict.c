/* The ends of a multilevel substep: Verlet's prediction (Schmitt 2013 section 6), and the velocity
 * that the constraints have left of it. Wang's eq. (5.1) damps: a share of the velocity is kept. */
#include "cpu/passes.h"
#include "kernel/integrate.h"

/* Velocity without constraints, kept for the response to contact. */
void CPU_FN(predict_velocity)(const pass_args *args, size_t first) {
    const cloth_planes *s = &args->state->at;
    const float *restrict inverse_mass = s->inverse_mass + first;
    const float substep = args->plan->substep, keep = args->plan->persistence;
    const float gravity[3] = {args->plan->gravity.x, args->plan->gravity.y, args->plan->gravity.z};
    const ptrdiff_t up = args->state->grid.stride;
    const float blows = args->plan->wind.on ? 0.25f * substep : 0.0f;
    const int columns = grid_floats(&args->state->grid);
    for (int axis = 0; axis < 3; axis++) {
        float *restrict v = s->plane[PLANE_vx + axis] + first;
        const float *restrict wind = s->plane[PLANE_sx + axis] + first;
        const float pull = gravity[axis] * substep;
#pragma omp simd
        for (int i = 0; i < columns; i++) {
            float cells = (wind[i] + wind[i - 1 - up]) + (wind[i - 1] + wind[i - up]);
            float faster = integrate_free(v[i], keep, pull, blows * cells * inverse_mass[i]);
            v[i] = k_select(inverse_mass[i] > 0.0f, faster, v[i]);
        }
    }
}

void CPU_FN(predict_rows)(const pass_args *args, int row_begin, int row_end) {
    const level_state *l = &args->hierarchy->levels[0];
    const level_plane to = predicted_plane(args);
    const float substep = args->plan->substep;
    const int columns = grid_floats(&args->state->grid);
    for (int row = row_begin; row < row_end; row++) {
        size_t first = grid_index(&args->state->grid, 0, row);
        CPU_FN(predict_velocity)(args, first);
        for (int axis = 0; axis < 3; axis++) {
            const float *restrict x = args->state->at.plane[PLANE_x + axis] + first;
            const float *restrict v = args->state->at.plane[PLANE_vx + axis] + first;
            float *restrict out = l->at.plane[(int)to + axis] + first;
#pragma omp simd
            for (int i = 0; i < columns; i++) {
                out[i] = x[i] + v[i] * substep;
            }
        }
        for (int p = LEVEL_push; p <= LEVEL_lf; p++) {
            float *restrict zero = l->at.plane[p] + first;
#pragma omp simd
            for (int i = 0; i < columns; i++) {
                zero[i] = 0.0f;
            }
        }
    }
}

void CPU_FN(velocity_rows)(const pass_args *args, int row_begin, int row_end) {
    const level_state *l = &args->hierarchy->levels[0];
    const float substep = args->plan->substep, rate = 1.0f / substep;
    const int columns = grid_floats(&args->state->grid);
    for (int row = row_begin; row < row_end; row++) {
        size_t first = grid_index(&args->state->grid, 0, row);
        const float *restrict inverse_mass = args->state->at.inverse_mass + first;
        for (int axis = 0; axis < 3; axis++) {
            const float *restrict x = args->state->at.plane[PLANE_x + axis] + first;
            const float *restrict end = l->at.plane[LEVEL_x + axis] + first;
            float *restrict v = args->state->at.plane[PLANE_vx + axis] + first;
#pragma omp simd
            for (int i = 0; i < columns; i++) {
                float after = integrate_arrival(v[i], x[i], end[i], substep, rate);
                v[i] = k_select(inverse_mass[i] > 0.0f, after, v[i]);
            }
        }
    }
}
