/* Before and behind the solve of an implicit substep: where velocities lead, what second order
 * starts from and keeps (kernel/stage.h), and how texels leave bodies that reflect. */
#include "cpu/passes.h"
#include "kernel/stage.h"

/* Where texels are going, and what takes them there without springs: positions start from where the
 * velocity leads, not from where gravity would, for what hangs at rest is there already. */
static void begin_row(const pass_args *args, size_t first) {
    const cloth_planes *s = &args->state->at;
    const float *restrict inverse_mass = s->inverse_mass + first;
    const float substep = args->plan->substep, keep = args->plan->persistence;
    const int columns = grid_floats(&args->state->grid);
    for (int axis = 0; axis < 3; axis++) {
        const float *restrict x = s->plane[PLANE_x + axis] + first;
        const float *restrict v = s->plane[PLANE_vx + axis] + first;
        float *restrict p = args->hierarchy->levels[0].at.plane[LEVEL_x + axis] + first;
#pragma omp simd
        for (int i = 0; i < columns; i++) {
            p[i] = x[i] + k_select(inverse_mass[i] > 0.0f, v[i] * keep, v[i]) * substep;
        }
    }
    CPU_FN(predict_velocity)(args, first);
}

void CPU_FN(begin_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        begin_row(args, grid_index(&args->state->grid, 0, row));
    }
}

/* Second order: positions and velocities that backward Euler starts from, and the velocity that
 * the substep began with (kernel/stage.h). */
static void stage_row(const pass_args *args, size_t first) {
    const cloth_planes *s = &args->state->at;
    const float *restrict inverse_mass = s->inverse_mass + first;
    const float moment = args->plan->moment, share = stage_share(moment, args->plan->substep);
    const int columns = grid_floats(&args->state->grid);
    for (int axis = 0; axis < 3; axis++) {
        float *restrict x = s->plane[PLANE_x + axis] + first;
        float *restrict v = s->plane[PLANE_vx + axis] + first;
        const float *restrict change = args->implicit->at.plane[IMPLICIT_change_x + axis] + first;
        float *restrict began = args->implicit->at.plane[IMPLICIT_began_x + axis] + first;
#pragma omp simd
        for (int i = 0; i < columns; i++) {
            float gained = k_select(inverse_mass[i] > 0.0f, change[i], 0.0f);
            began[i] = v[i];
            x[i] = stage_place(x[i], v[i], gained, share, moment);
            v[i] = stage_speed(v[i], gained, share);
        }
    }
}

void CPU_FN(stage_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        stage_row(args, grid_index(&args->state->grid, 0, row));
    }
}

/* How velocities have changed in the substep; 0 where a body holds the texel, for a blow does not
 * go on. Returns whether there was one. */
static bool change_row(const pass_args *args, size_t first, column_range touched) {
    const cloth_planes *s = &args->state->at;
    const implicit_planes *c = &args->implicit->at;
    const float *restrict hold = c->hold + first;
    const field v = field_from(s->vx, s->vy, s->vz, first);
    const field began = field_from(c->began_x, c->began_y, c->began_z, first);
    float *restrict ax = c->change_x + first, *restrict ay = c->change_y + first,
                    *restrict az = c->change_z + first;
    const float most = args->params->strike * args->params->strike;
    const int columns = grid_floats(&args->state->grid);
    int struck = 0;
#pragma omp simd reduction(| : struck)
    for (int i = 0; i < columns; i++) {
        v3 change = v3_sub(field_at(v, i), field_at(began, i));
        bool stopped = (i >= touched.begin) & (i < touched.end) & (hold[i] > 0.0f);
        struck |= stopped & (v3_dot(change, change) > most);
        ax[i] = k_select(stopped, 0.0f, change.x);
        ay[i] = k_select(stopped, 0.0f, change.y);
        az[i] = k_select(stopped, 0.0f, change.z);
    }
    return struck != 0;
}

void CPU_FN(change_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        args->implicit->row_struck[row] |= change_row(args, grid_index(&args->state->grid, 0, row),
                                                      args->implicit->row_touched[row]);
    }
}

/* Pressed texels of a row leave bodies that reflect. */
static void rebound_row(const pass_args *args, size_t first, column_range touched) {
    const cloth_planes *s = &args->state->at;
    const implicit_planes *c = &args->implicit->at;
    const field normal = field_from(c->nx, c->ny, c->nz, first);
    const float *restrict hold = c->hold + first, *restrict back = c->back + first;
    float *restrict vx = s->vx + first, *restrict vy = s->vy + first, *restrict vz = s->vz + first;
#pragma omp simd
    for (int i = touched.begin; i < touched.end; i++) {
        v3 leaves = v3_scale(field_at(normal, i), k_select(hold[i] > 0.0f, back[i], 0.0f));
        vx[i] += leaves.x;
        vy[i] += leaves.y;
        vz[i] += leaves.z;
    }
}

void CPU_FN(rebound_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        rebound_row(args, grid_index(&args->state->grid, 0, row), args->implicit->row_touched[row]);
    }
}
