/* Moves of texels along the normals of the cloth (kernel/sway.h has the law): a V-cycle over the
 * finest grid, which tie.c begins with, and coarser ones, whose couplings follow from it anew in
 * every iteration. It is between the move of texels by themselves and the cycle over A, and adds to
 * qx, qy, qz. */
#include "cpu/sway.h"

#include <string.h>

#include "cpu/couplings.h"
#include "cpu/forces.h"
#include "kernel/sway.h"

void CPU_FN(normal_row)(const pass_args *args, int row) {
    const size_t first = grid_index(&args->state->grid, 0, row);
    const level_planes *l = &args->hierarchy->levels[0].at;
    const cycle_planes *c = &args->cycle->levels[0].at;
    const field x = field_from(l->x, l->y, l->z, first);
    const float *restrict coverage = args->state->at.coverage + first;
    float *restrict sx = c->sx + first, *restrict sy = c->sy + first, *restrict sz = c->sz + first;
    float *restrict ax = c->ax + first, *restrict ay = c->ay + first, *restrict az = c->az + first;
    const ptrdiff_t up = args->state->grid.stride;
    const int columns = row_floats(&args->state->grid);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        const texel_weights w = {weights_along(coverage, i, 1, up),
                                 weights_along(coverage, i, up, 1)};
        cloth_frame own = frame_of(field_at(x, i), field_at(x, i - 1), field_at(x, i + 1),
                                   field_at(x, i - up), field_at(x, i + up), w);
        sx[i] = own.normal.x;
        sy[i] = own.normal.y;
        sz[i] = own.normal.z;
        ax[i] = own.tangent.x;
        ay[i] = own.tangent.y;
        az[i] = own.tangent.z;
    }
}

/* ---- the cycle ----------------------------------------------------------------------------------
 */

static cycle_row row_at(const cycle_level *l, size_t first) {
    float *const *planes = l->at.plane;
    return (cycle_row){.c = {planes[SWAY_EAST] + first, planes[SWAY_NORTH] + first,
                             planes[SWAY_RISING] + first, planes[SWAY_FALLING] + first},
                       .r = planes[SWAY_FORCE] + first,
                       .inverse = planes[SWAY_INVERSE] + first,
                       .up = l->matrix->grid.stride,
                       .columns = row_floats(&l->matrix->grid)};
}

void CPU_FN(sway_defect_rows)(const pass_args *args, int row_begin, int row_end) {
    const cycle_level *l = &args->cycle->levels[args->level];
    for (int row = row_begin; row < row_end; row++) {
        size_t first = grid_index(&l->matrix->grid, 0, row);
        const cycle_row at = row_at(l, first);
        const float *restrict way = l->at.plane[SWAY_WAY] + first;
        float *restrict t = l->at.plane[SWAY_LEFT] + first;
#pragma omp simd
        for (int i = 0; i < at.columns; i++) {
            float left = cycle_defect(at.r[i], around(at.c, way, i, at.up), SWAY_FIRST);
            t[i] = k_select(at.inverse[i] > 0.0f, left, 0.0f);
        }
    }
}

/* Couplings of a coarse texel, from those of the finer grid at k. */
static inline float coarse_east(const float *restrict c, ptrdiff_t k, ptrdiff_t up) {
    return sway_gather(c[k - up] + c[k - up + 1], c[k] + c[k + 1], c[k + up] + c[k + up + 1]);
}

static inline float coarse_north(const float *restrict c, ptrdiff_t k, ptrdiff_t up) {
    return sway_gather(c[k - 1] + c[k - 1 + up], c[k] + c[k + up], c[k + 1] + c[k + 1 + up]);
}

static inline float coarse_cell(const float *restrict c, ptrdiff_t k, ptrdiff_t up) {
    return sway_gather_cells(c[k] + c[k + 1], c[k + up] + c[k + up + 1]);
}

/* A coarse row: forces, matrix, and the first sweep. */
static void down_row(const cycle_level *l, size_t first, const cycle_level *finer, size_t below) {
    const ptrdiff_t up = finer->matrix->grid.stride, under = 2 * up;
    float *const *from = finer->at.plane, *const *to = l->at.plane;
    const float *restrict t = from[SWAY_LEFT] + below, *restrict g = from[SWAY_GROUND] + below;
    const float *restrict u = from[SWAY_EAST] + below, *restrict v = from[SWAY_NORTH] + below;
    const float *restrict p = from[SWAY_RISING] + below, *restrict f = from[SWAY_FALLING] + below;
    float *restrict forces = to[SWAY_FORCE] + first, *restrict grounds = to[SWAY_GROUND] + first;
    float *restrict inverses = to[SWAY_INVERSE] + first, *restrict ways = to[SWAY_WAY] + first;
    float *restrict easts = to[SWAY_EAST] + first, *restrict norths = to[SWAY_NORTH] + first;
    float *restrict rises = to[SWAY_RISING] + first, *restrict falls = to[SWAY_FALLING] + first;
    const int columns = l->matrix->grid.columns;
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        ptrdiff_t k = 2 * i;
        float east = coarse_east(u, k, up), north = coarse_north(v, k, up);
        float rise = coarse_cell(p, k, up), fall = coarse_cell(f, k, up);
        float west = coarse_east(u, k - 2, up), south = coarse_north(v, k - under, up);
        float sinks = coarse_cell(p, k - 2 - under, up);
        float beside = coarse_cell(f, k - 2, up) + coarse_cell(f, k - under, up);
        float ground = gathered(g + k, up), force = gathered(t + k, up);
        float diagonal = ground + (((west + east) + (south + north)) + ((sinks + rise) + beside));
        float inverse = k_select(ground > 0.0f, 1.0f / k_max(diagonal, KERNEL_TINY), 0.0f);
        forces[i] = force;
        grounds[i] = ground;
        inverses[i] = inverse;
        ways[i] = SWAY_FIRST * inverse * force;
        easts[i] = east;
        norths[i] = north;
        rises[i] = rise;
        falls[i] = fall;
    }
}

void CPU_FN(sway_down_rows)(const pass_args *args, int row_begin, int row_end) {
    const cycle_level *l = &args->cycle->levels[args->level],
                      *finer = &args->cycle->levels[args->level - 1];
    for (int row = row_begin; row < row_end; row++) {
        down_row(l, grid_index(&l->matrix->grid, 0, row), finer,
                 grid_index(&finer->matrix->grid, 0, 2 * row));
    }
}

void CPU_FN(sway_up_rows)(const pass_args *args, int row_begin, int row_end) {
    const cycle_level *l = &args->cycle->levels[args->level],
                      *coarser = &args->cycle->levels[args->level + 1];
    for (int row = row_begin; row < row_end; row++) {
        size_t first = grid_index(&l->matrix->grid, 0, row);
        size_t above = grid_index(&coarser->matrix->grid, 0, row / 2);
        gain_of_row(coarser->at.plane[SWAY_WAY] + above, row % 2 ? coarser->matrix->grid.stride : 0,
                    l->at.plane[SWAY_INVERSE] + first, l->at.plane[SWAY_WAY] + first,
                    l->matrix->grid.columns);
    }
}

static void sweep_row(const cycle_level *l, int row, sway_plane from, sway_plane to, float weight) {
    size_t first = grid_index(&l->matrix->grid, 0, row);
    sweep_of_row(row_at(l, first), l->at.plane[from] + first, l->at.plane[to] + first, weight);
}

void CPU_FN(sway_sweep_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        sweep_row(&args->cycle->levels[args->level], row, SWAY_WAY, SWAY_LEFT, SWAY_SECOND);
    }
}

void CPU_FN(sway_back_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        sweep_row(&args->cycle->levels[args->level], row, SWAY_LEFT, SWAY_WAY, SWAY_THIRD);
    }
}

/* Ways along the cloth, of the first coarse grid, in the planes of their forces. */
static void slide_row(const pass_args *args, int row) {
    const cycle_state *s = args->cycle;
    const cycle_level *finest = &s->levels[0], *coarser = &s->levels[1];
    const size_t first = grid_index(&args->state->grid, 0, row);
    const int columns = args->state->grid.columns;
    for (int part = 0; part < 2; part++) {
        float *restrict way = finest->at.plane[CYCLE_ua + part] + first;
        memset(way, 0, (size_t)row_floats(&args->state->grid) * sizeof(float));
        if (s->count > 1 && args->params->slides) {
            size_t above = grid_index(&coarser->matrix->grid, 0, row / 2);
            gain_of_row(coarser->at.plane[CYCLE_wa + part] + above,
                        row % 2 ? coarser->matrix->grid.stride : 0,
                        finest->matrix->plane[MATRIX_INVERSE] + first, way, columns);
        }
    }
}

/* The last sweep of the finest grid, and all of it onto positions, and those ahead. */
static void move_row(const pass_args *args, size_t first) {
    const cloth_planes *s = &args->state->at;
    const level_planes *l = &args->hierarchy->levels[0].at;
    const cycle_planes *c = &args->cycle->levels[0].at;
    const cycle_row at = row_at(&args->cycle->levels[0], first);
    const field normal = field_from(c->sx, c->sy, c->sz, first);
    const field start = field_from(s->x, s->y, s->z, first);
    const field tangent = field_from(c->ax, c->ay, c->az, first);
    const float *restrict ua = c->ua + first, *restrict ub = c->ub + first;
    const float *restrict left = c->plane[SWAY_LEFT] + first;
    float *restrict qx = l->qx + first, *restrict qy = l->qy + first, *restrict qz = l->qz + first;
    float *restrict cx = c->cx + first, *restrict cy = c->cy + first, *restrict cz = c->cz + first;
    const float lag = args->params->bend_lag;
#pragma omp simd
    for (int i = 0; i < at.columns; i++) {
        float way =
            cycle_sweep(left[i], at.r[i], around(at.c, left, i, at.up), at.inverse[i], SWAY_THIRD);
        v3 n = field_at(normal, i), a = field_at(tangent, i);
        v3 slid = v3_madd(v3_scale(a, ua[i]), v3_cross(n, a), ub[i]);
        v3 q = v3_madd(v3_add(v3_make(qx[i], qy[i], qz[i]), slid), n, way);
        v3 ahead = ahead_of(q, field_at(start, i), lag);
        qx[i] = q.x;
        qy[i] = q.y;
        qz[i] = q.z;
        cx[i] = ahead.x;
        cy[i] = ahead.y;
        cz[i] = ahead.z;
    }
}

void CPU_FN(sway_move_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        slide_row(args, row);
        move_row(args, grid_index(&args->state->grid, 0, row));
    }
}
