/* The work of forces that iterations have left unbalanced, and the way and the velocities that are
 * multiplied for it (kernel/implicit.h). Velocities of texels that a body touches are left alone:
 * friction goes by them. */
#include "cpu/forces.h"
#include "cpu/grip.h"

/* Texels whose velocities are multiplied: free ones that no body touches. */
typedef struct work_row {
    const float *restrict inverse_mass, *restrict gap;
    bool touched; /* is any of the row? */
} work_row;

static work_row work_row_at(const pass_args *args, int column, int row) {
    const size_t first = grid_index(&args->state->grid, column, row);
    const cycle_level *finest = &args->cycle->levels[0];
    return (work_row){args->state->at.inverse_mass + first, finest->at.gap + first,
                      finest->row_held[row] != 0};
}

__attribute__((always_inline)) static inline bool takes_part(const work_row *w, int i) {
    return (w->inverse_mass[i] > 0.0f) & !(w->touched & (w->gap[i] < FLT_MAX));
}

/* Forces on touched texels along the surface alone: across it, they are how hard the body presses,
 * which friction goes by. */
static void slide_row(const pass_args *args, size_t first) {
    const cycle_planes *c = &args->cycle->levels[0].at;
    const field normal = field_from(c->nx, c->ny, c->nz, first);
    const float *restrict gap = c->gap + first;
    float *restrict rx = c->rx + first, *restrict ry = c->ry + first, *restrict rz = c->rz + first;
    float *restrict press = c->press + first;
    const int columns = row_floats(&args->state->grid);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        v3 r = v3_make(rx[i], ry[i], rz[i]);
        press[i] = -v3_dot(r, field_at(normal, i));
        r = v3_select(gap[i] < FLT_MAX, along_surface(r, field_at(normal, i)), r);
        rx[i] = r.x;
        ry[i] = r.y;
        rz[i] = r.z;
    }
}

/* Sums of a row by columns of a vector, so that all instruction sets give the same. */
typedef float lane_sums[WORK_SUMS][GRID_VECTOR];

/* loose: nothing but bodies may hold the cloth; else its middle does not matter. */
__attribute__((always_inline)) static inline void sum_lanes(const work_row *w, const force_row *f,
                                                            field x, field r, int columns,
                                                            bool loose, lane_sums sums) {
    for (int vector = 0; vector < columns; vector += GRID_VECTOR) {
#pragma omp simd
        for (int lane = 0; lane < GRID_VECTOR; lane++) {
            int i = vector + lane;
            float inertia = k_select(takes_part(w, i), f->inertia[i], 0.0f);
            v3 way = v3_sub(field_at(x, i), field_at(f->start, i)), left = field_at(r, i);
            v3 thrust = inertia_force(way, inertia);
            sums[WORK_MOTION][lane] += 0.5f * v3_dot(inertia_force(way, f->inertia[i]), way);
            sums[WORK_DONE][lane] += v3_dot(left, way);
            sums[WORK_KINETIC][lane] += 0.5f * v3_dot(thrust, way);
            if (loose) {
                sums[WORK_INERTIA][lane] += inertia;
                sums[WORK_thrust_x][lane] += thrust.x;
                sums[WORK_thrust_y][lane] += thrust.y;
                sums[WORK_thrust_z][lane] += thrust.z;
                sums[WORK_left_x][lane] += left.x;
                sums[WORK_left_y][lane] += left.y;
                sums[WORK_left_z][lane] += left.z;
            }
        }
    }
}

static void sum_columns(const pass_args *args, int row, int begin, int end) {
    const force_row f = force_row_at(args, begin, row, CYCLE_bx);
    const cycle_planes *c = &args->cycle->levels[0].at;
    const level_planes *l = &args->hierarchy->levels[0].at;
    const size_t first = grid_index(&args->state->grid, begin, row);
    const field x = field_from(l->x, l->y, l->z, first), r = field_from(c->rx, c->ry, c->rz, first);
    const work_row w = work_row_at(args, begin, row);
    lane_sums sums = {{0.0f}};
    if (args->params->pinned) {
        sum_lanes(&w, &f, x, r, end - begin, false, sums);
    } else {
        sum_lanes(&w, &f, x, r, end - begin, true, sums);
    }
    for (int s = 0; s < WORK_SUMS; s++) {
        float *sum = &args->cycle->row_work[WORK_SUMS * row + s];
        *sum = begin > 0 ? *sum : 0.0f;
        for (int lane = 0; lane < GRID_VECTOR; lane++) {
            *sum += sums[s][lane];
        }
    }
}

static void work_columns(const force_columns *at) {
    over_parts(at, residual_part_kinds);
    if (!at->args->cycle->levels[0].row_held[at->row]) {
        sum_columns(at->args, at->row, at->w->begin, at->w->end);
    }
}

void CPU_FN(work_rows)(const pass_args *args, int row_begin, int row_end) {
    const force_pass todo = {LEVEL_x, CYCLE_bx, false, prepare_part_kinds, work_columns};
    over_rows(args, &todo, row_begin, row_end);
    for (int row = row_begin; row < row_end; row++) {
        if (args->cycle->levels[0].row_held[row]) {
            size_t first = grid_index(&args->state->grid, 0, row);
            CPU_FN(rub_row)(args, first, 1.0f);
            slide_row(args, first);
            sum_columns(args, row, 0, row_floats(&args->state->grid));
        }
    }
}

void CPU_FN(share_rows)(const pass_args *args, int row_begin, int row_end) {
    const float share = args->cycle->share;
    const int columns = row_floats(&args->state->grid);
    for (int row = row_begin; row < row_end && share < 1.0f; row++) {
        const size_t first = grid_index(&args->state->grid, 0, row);
        const float *restrict inverse_mass = args->state->at.inverse_mass + first;
        for (int axis = 0; axis < 3; axis++) {
            const float *restrict start = args->state->at.plane[PLANE_x + axis] + first;
            float *restrict x = args->hierarchy->levels[0].at.plane[LEVEL_x + axis] + first;
#pragma omp simd
            for (int i = 0; i < columns; i++) {
                float reached = start[i] + (x[i] - start[i]) * share;
                x[i] = k_select(inverse_mass[i] > 0.0f, reached, x[i]);
            }
        }
    }
}

void CPU_FN(trust_rows)(const pass_args *args, int row_begin, int row_end) {
    const float trust = args->cycle->trust;
    const v3 drift = args->cycle->drift;
    const float drifts[3] = {drift.x, drift.y, drift.z};
    const int columns = row_floats(&args->state->grid);
    for (int row = row_begin; row < row_end; row++) {
        const size_t first = grid_index(&args->state->grid, 0, row);
        const work_row w = work_row_at(args, 0, row);
        for (int axis = 0; axis < 3; axis++) {
            float *restrict v = args->state->at.plane[PLANE_vx + axis] + first;
#pragma omp simd
            for (int i = 0; i < columns; i++) {
                v[i] = k_select(takes_part(&w, i), v[i] * trust + drifts[axis], v[i]);
            }
        }
    }
}
