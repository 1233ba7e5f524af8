/* The implicit step on the finest grid: the start of a substep, unbalanced forces, the move of each
 * texel by itself, and what a cycle over the grids adds (kernel/implicit.h has the formulas,
 * cycle.c the other grids, grip.c the bodies). Positions go from the level's x, y, z to qx, qy, qz
 * by the move of each texel, and back by the cycle. */
#include "kernel/implicit.h"
#include "cpu/forces.h"
#include "cpu/grip.h"
#include "cpu/held.h"
#include "cpu/sway.h"

/* Where texels are going, and what takes them there without springs: positions start from where the
 * velocity leads, not from where gravity would, for what hangs at rest is there already. */
static void begin_row(const pass_args *args, size_t first) {
    const cloth_planes *s = &args->state->at;
    const float *restrict inverse_mass = s->inverse_mass + first;
    const float substep = args->plan->substep, keep = args->plan->persistence;
    const int columns = row_floats(&args->state->grid);
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

/* Second order: positions and velocities that backward Euler starts from, and the velocity kept
 * (kernel/implicit.h). */
static void stage_row(const pass_args *args, size_t first) {
    const cloth_planes *s = &args->state->at;
    const float *restrict inverse_mass = s->inverse_mass + first;
    const float moment = args->plan->moment, share = stage_share(moment, args->plan->substep);
    const int columns = row_floats(&args->state->grid);
    for (int axis = 0; axis < 3; axis++) {
        float *restrict x = s->plane[PLANE_x + axis] + first;
        float *restrict v = s->plane[PLANE_vx + axis] + first;
        float *restrict change = s->plane[PLANE_ax + axis] + first;
#pragma omp simd
        for (int i = 0; i < columns; i++) {
            float gained = k_select(inverse_mass[i] > 0.0f, change[i], 0.0f);
            change[i] = v[i];
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
static bool change_row(const pass_args *args, size_t first, bool held) {
    const cloth_planes *s = &args->state->at;
    const float *restrict hold = args->cycle->levels[0].at.hold + first;
    const field v = field_from(s->vx, s->vy, s->vz, first);
    float *restrict ax = s->ax + first, *restrict ay = s->ay + first, *restrict az = s->az + first;
    const float most = args->params->strike * args->params->strike;
    const int columns = row_floats(&args->state->grid);
    int struck = 0;
#pragma omp simd reduction(| : struck)
    for (int i = 0; i < columns; i++) {
        v3 change = v3_sub(field_at(v, i), v3_make(ax[i], ay[i], az[i]));
        bool stopped = held & (hold[i] > 0.0f);
        struck |= stopped & (v3_dot(change, change) > most);
        ax[i] = k_select(stopped, 0.0f, change.x);
        ay[i] = k_select(stopped, 0.0f, change.y);
        az[i] = k_select(stopped, 0.0f, change.z);
    }
    return struck != 0;
}

void CPU_FN(change_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        args->cycle->row_struck[row] |= change_row(args, grid_index(&args->state->grid, 0, row),
                                                   args->cycle->levels[0].row_held[row] != 0);
    }
}

/* Each texel by itself, into qx, qy, qz; where that is ahead, and the normal that it had. */
__attribute__((always_inline)) static inline void move_part(const pass_args *args,
                                                            const force_row *row,
                                                            const window_row *rows, size_t first,
                                                            int columns, force_kind kind) {
    const force_row f = *row;
    const window_row w = *rows;
    const level_planes *l = &args->hierarchy->levels[0].at;
    const cycle_planes *c = &args->cycle->levels[0].at;
    float *restrict qx = l->qx + first, *restrict qy = l->qy + first, *restrict qz = l->qz + first;
    float *restrict cx = c->cx + first, *restrict cy = c->cy + first, *restrict cz = c->cz + first;
    float *restrict sx = c->sx + first, *restrict sy = c->sy + first, *restrict sz = c->sz + first;
    float *restrict ax = c->ax + first, *restrict ay = c->ay + first, *restrict az = c->az + first;
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        const springs_up next = springs_up_at(&f, &w, i, kind);
        spring_sum at = force_at(&f, &w, i, next, kind, true);
        v3 q = v3_add(x_near(&w, i, 0, 0), block_solve(at.diagonal, at.sides, at.force));
        v3 ahead = ahead_of(q, field_at(f.start, i), f.bend_lag);
        cloth_frame own =
            frame_of(x_near(&w, i, 0, 0), x_near(&w, i, -1, 0), x_near(&w, i, 1, 0),
                     x_near(&w, i, 0, -1), x_near(&w, i, 0, 1), weights_at(&f, i, kind));
        qx[i] = q.x;
        qy[i] = q.y;
        qz[i] = q.z;
        cx[i] = ahead.x;
        cy[i] = ahead.y;
        cz[i] = ahead.z;
        sx[i] = own.normal.x;
        sy[i] = own.normal.y;
        sz[i] = own.normal.z;
        ax[i] = own.tangent.x;
        ay[i] = own.tangent.y;
        az[i] = own.tangent.z;
        keep_springs(w.here, i, next, true);
    }
}
FORCE_PARTS(move_part)

/* Near bodies, forces and blocks are kept, these in the planes of the correction (diagonal) and the
 * defect (sides), which are not in use then. */
__attribute__((always_inline)) static inline void block_part(const pass_args *args,
                                                             const force_row *row,
                                                             const window_row *rows, size_t first,
                                                             int columns, force_kind kind) {
    const force_row f = *row;
    const window_row w = *rows;
    const cycle_planes *out = &args->cycle->levels[0].at;
    float *restrict rx = out->rx + first, *restrict ry = out->ry + first,
                    *restrict rz = out->rz + first;
    float *restrict dx = out->ex + first, *restrict dy = out->ey + first,
                    *restrict dz = out->ez + first;
    float *restrict sx = out->tx + first, *restrict sy = out->ty + first,
                    *restrict sz = out->tz + first;
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        const springs_up next = springs_up_at(&f, &w, i, kind);
        spring_sum at = force_at(&f, &w, i, next, kind, true);
        rx[i] = at.force.x;
        ry[i] = at.force.y;
        rz[i] = at.force.z;
        dx[i] = at.diagonal.x;
        dy[i] = at.diagonal.y;
        dz[i] = at.diagonal.z;
        sx[i] = at.sides.x;
        sy[i] = at.sides.y;
        sz[i] = at.sides.z;
        keep_springs(w.here, i, next, true);
    }
}
FORCE_PARTS(block_part)

/* Forces, and the first sweep of the cycle over them, where there are no bodies. */
__attribute__((always_inline)) static inline void first_part(const pass_args *args,
                                                             const force_row *row,
                                                             const window_row *rows, size_t first,
                                                             int columns, force_kind kind) {
    const force_row f = *row;
    const window_row w = *rows;
    const cycle_level *finest = &args->cycle->levels[0];
    const cycle_planes *out = &finest->at;
    const float *restrict inverse = finest->matrix->plane[MATRIX_INVERSE] + first;
    float *restrict rx = out->rx + first, *restrict ry = out->ry + first,
                    *restrict rz = out->rz + first;
    float *restrict ex = out->ex + first, *restrict ey = out->ey + first,
                    *restrict ez = out->ez + first;
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        const springs_up next = springs_up_at(&f, &w, i, kind);
        v3 r = force_at(&f, &w, i, next, kind, false).force;
        v3 e = v3_scale(r, CYCLE_FIRST * inverse[i]);
        rx[i] = r.x;
        ry[i] = r.y;
        rz[i] = r.z;
        ex[i] = e.x;
        ey[i] = e.y;
        ez[i] = e.z;
        keep_springs(w.here, i, next, false);
    }
}
FORCE_PARTS(first_part)

/* Positions of a row ahead by the retardation of bending. */
static void look_ahead(const pass_args *args, size_t first, level_plane from, cycle_plane to) {
    const float lag = args->params->bend_lag;
    const int columns = row_floats(&args->state->grid);
    for (int axis = 0; axis < 3; axis++) {
        const float *restrict start = args->state->at.plane[PLANE_x + axis] + first;
        const float *restrict x = args->hierarchy->levels[0].at.plane[(int)from + axis] + first;
        float *restrict out = args->cycle->levels[0].at.plane[(int)to + axis] + first;
#pragma omp simd
        for (int i = 0; i < columns; i++) {
            out[i] = x[i] + (x[i] - start[i]) * lag;
        }
    }
}

/* Texels by themselves, where bodies may touch some. */
static void move_gripped_row(const pass_args *args, size_t first) {
    const level_planes *l = &args->hierarchy->levels[0].at;
    const cycle_planes *c = &args->cycle->levels[0].at;
    const field x = field_from(l->x, l->y, l->z, first), r = field_from(c->rx, c->ry, c->rz, first);
    const field diagonal = field_from(c->ex, c->ey, c->ez, first);
    const field sides = field_from(c->tx, c->ty, c->tz, first);
    const field normal = field_from(c->nx, c->ny, c->nz, first);
    const field own = field_from(c->sx, c->sy, c->sz, first);
    const field gone = field_from(c->gx, c->gy, c->gz, first);
    const float *restrict gap = c->gap + first;
    const float *restrict inertia = args->cycle->tables->inertia + first;
    const float *restrict inverse = args->cycle->levels[0].matrix->plane[MATRIX_INVERSE] + first;
    const float least = grip_way(args->plan->gravity, args->plan->substep);
    float *restrict qx = l->qx + first, *restrict qy = l->qy + first, *restrict qz = l->qz + first;
    const int columns = row_floats(&args->state->grid);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        v3 n = field_at(normal, i);
        float most = grip_most(inertia[i], inverse[i], v3_dot(field_at(own, i), n),
                               -v3_dot(field_at(gone, i), n), least);
        v3 e =
            grip_block(field_at(diagonal, i), field_at(sides, i), field_at(r, i), n, gap[i], most);
        v3 q = v3_add(field_at(x, i), e);
        qx[i] = q.x;
        qy[i] = q.y;
        qz[i] = q.z;
    }
}

__attribute__((always_inline)) static inline void
prepare_block_part(const pass_args *args, const force_row *f, const window_row *w, size_t first,
                   int columns, force_kind kind) {
    (void)args, (void)first;
    prepare_springs(f, w, columns, kind, true);
}
FORCE_PARTS(prepare_block_part)

static void local_columns(const force_columns *at) {
    bool near = CPU_FN(is_near_bodies)(at->args, at->row);
    over_parts(at, near ? block_part_kinds : move_part_kinds);
}

void CPU_FN(local_rows)(const pass_args *args, int row_begin, int row_end) {
    const force_pass todo = {LEVEL_x, CYCLE_bx, false, prepare_block_part_kinds, local_columns};
    over_rows(args, &todo, row_begin, row_end);
    for (int row = row_begin; row < row_end; row++) {
        size_t first = grid_index(&args->state->grid, 0, row);
        if (CPU_FN(is_near_bodies)(args, row)) {
            CPU_FN(grip_row)(args, row, LEVEL_x);
            CPU_FN(normal_row)(args, row);
            move_gripped_row(args, first);
            look_ahead(args, first, LEVEL_qx, CYCLE_cx);
        }
    }
}

/* The first sweep of a cycle, over forces that bodies have changed. */
static void first_sweep(const cycle_level *l, size_t first) {
    const float *restrict inverse = l->matrix->plane[MATRIX_INVERSE] + first;
    const int columns = row_floats(&l->matrix->grid);
    for (int axis = 0; axis < 3; axis++) {
        const float *restrict r = l->at.plane[CYCLE_rx + axis] + first;
        float *restrict e = l->at.plane[CYCLE_ex + axis] + first;
#pragma omp simd
        for (int i = 0; i < columns; i++) {
            e[i] = CYCLE_FIRST * inverse[i] * r[i];
        }
    }
}

static void residual_columns(const force_columns *at) {
    bool near = CPU_FN(is_near_bodies)(at->args, at->row);
    over_parts(at, near ? residual_part_kinds : first_part_kinds);
}

void CPU_FN(residual_rows)(const pass_args *args, int row_begin, int row_end) {
    const cycle_level *finest = &args->cycle->levels[0];
    const force_pass todo = {LEVEL_qx, CYCLE_cx, false, prepare_part_kinds, residual_columns};
    over_rows(args, &todo, row_begin, row_end);
    for (int row = row_begin; row < row_end; row++) {
        finest->row_held[row] = CPU_FN(grip_row)(args, row, LEVEL_qx);
        if (CPU_FN(is_near_bodies)(args, row)) {
            CPU_FN(glue_row)(args, row);
            CPU_FN(hold_row)(finest, row, CYCLE_rx);
            first_sweep(finest, grid_index(&args->state->grid, 0, row));
            CPU_FN(land_row)(finest, row, CYCLE_ex);
        }
    }
}

/* What an iteration begins with: which texels are near bodies, and positions ahead, which the last
 * one has left for the next. */
void CPU_FN(ready_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        CPU_FN(span_row)(args, row);
        if (args->iteration == 0) {
            look_ahead(args, grid_index(&args->state->grid, 0, row), LEVEL_x, CYCLE_bx);
        }
    }
}
