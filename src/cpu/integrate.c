/* Velocities from accelerations, positions from velocities, and the checks around a step. */
#include <math.h>
#include <string.h>

#include "cpu/passes.h"
#include "kernel/integrate.h"

static void integrate_row(const pass_args *args, size_t first) {
    const cloth_planes *s = &args->state->at;
    const float *restrict inverse_mass = s->inverse_mass + first;
    const float time = args->plan->substep * args->share, keep = args->plan->persistence;
    const float drag = integrate_drag(args->plan->viscosity, time);
    const int columns = grid_floats(&args->state->grid);
    for (int axis = 0; axis < 3; axis++) {
        float *restrict v = s->plane[PLANE_vx + axis] + first;
        const float *restrict a = s->plane[PLANE_ax + axis] + first;
#pragma omp simd
        for (int i = 0; i < columns; i++) {
            float faster = integrate_velocity(v[i], a[i], keep, time, drag);
            v[i] = k_select(inverse_mass[i] > 0.0f, faster, v[i]);
        }
    }
}

void CPU_FN(integrate_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        integrate_row(args, grid_index(&args->state->grid, 0, row));
    }
}

void CPU_FN(move_rows)(const pass_args *args, int row_begin, int row_end) {
    const grid *g = &args->state->grid;
    const float time = args->plan->substep;
    const int columns = grid_floats(g);
    for (int row = row_begin; row < row_end; row++) {
        size_t first = grid_index(g, 0, row);
        for (int axis = 0; axis < 3; axis++) {
            float *restrict x = args->state->at.plane[PLANE_x + axis] + first;
            const float *restrict v = args->state->at.plane[PLANE_vx + axis] + first;
#pragma omp simd
            for (int i = 0; i < columns; i++) {
                x[i] += v[i] * time;
            }
        }
    }
}

void CPU_FN(check_rows)(const pass_args *args, int row_begin, int row_end) {
    const cloth_planes *s = &args->state->at;
    const grid *g = &args->state->grid;
    const int columns = grid_floats(g);
    for (int row = row_begin; row < row_end; row++) {
        size_t first = grid_index(g, 0, row);
        field x = field_from(s->x, s->y, s->z, first), v = field_from(s->vx, s->vy, s->vz, first);
        int bad = 0;
#pragma omp simd reduction(| : bad)
        for (int i = 0; i < columns; i++) {
            bad |= integrate_failed(field_at(x, i), field_at(v, i));
        }
        int column = 0;
        while (bad && !integrate_failed(field_at(x, column), field_at(v, column))) {
            column++;
        }
        args->state->row_bad[row] = bad ? column : -1;
    }
}

/* The kept change of velocities goes on at the pace of this step's substeps. */
static void backup_implicit(const pass_args *args, size_t first, size_t count) {
    float *const *planes = args->implicit->at.plane;
    const float pace = args->plan->pace;
    for (int p = 0; p < IMPLICIT_SAVED_PLANES; p++) {
        memcpy(planes[IMPLICIT_FIRST_BACKUP + p] + first, planes[IMPLICIT_FIRST_SAVED + p] + first,
               count * sizeof(float));
    }
    for (int axis = 0; axis < 3 && args->params->looks; axis++) {
        memcpy(planes[IMPLICIT_rest_x + axis] + first,
               args->state->at.plane[PLANE_x + axis] + first, count * sizeof(float));
    }
    for (int axis = 0; axis < 3 && pace != 1.0f; axis++) {
        float *restrict change = planes[IMPLICIT_change_x + axis] + first;
        for (size_t i = 0; i < count; i++) {
            change[i] *= pace;
        }
    }
}

void CPU_FN(backup_rows)(const pass_args *args, int row_begin, int row_end) {
    const grid *g = &args->state->grid;
    size_t first = grid_index(g, 0, row_begin);
    size_t count = grid_index(g, 0, row_end) - first;
    for (int p = 0; p < SAVED_PLANES; p++) {
        memcpy(args->state->at.plane[FIRST_BACKUP + p] + first,
               args->state->at.plane[FIRST_SAVED + p] + first, count * sizeof(float));
    }
    if (args->implicit->there) {
        backup_implicit(args, first, count);
    }
    for (int row = row_begin; row < row_end && args->implicit->there; row++) {
        args->implicit->row_struck[row] = 0;
    }
}
