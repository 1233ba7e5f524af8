/* Moves of texels along the normals of the cloth (kernel/sway.h has the law): the finest grid, and
 * a V-cycle over it and coarser ones, whose couplings follow from the finest anew in every
 * iteration. It is between the move of texels by themselves and the cycle over A, and adds to qx,
 * qy, qz. */
#include "cpu/sway.h"

#include <float.h>
#include <string.h>

#include "cpu/couplings.h"
#include "cpu/forces.h"
#include "cpu/grip.h"
#include "kernel/sway.h"

/* ---- the finest grid ----------------------------------------------------------------------------
 */

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

/* A spring, as both of its ends see it, but for what ties each to the ground. */
typedef struct sway_tie {
    float pull, coupling, turn;
    float ground, other; /* here, and at the other end */
} sway_tie;

/* bound: by a limit, which diagonals do not have. That it is said by a constant leaves no branch in
 * loops. */
__attribute__((always_inline)) static inline sway_tie tie_to(const force_row *f,
                                                             const window_row *w, ptrdiff_t k,
                                                             int right, int above, float rest,
                                                             float stiffness, bool bound) {
    v3 d = v3_sub(x_near(w, k, right, above), x_near(w, k, 0, 0));
    float inverse = 1.0f / k_sqrt(v3_dot(d, d) + KERNEL_TINY);
    float excess = spring_excess(rest, inverse), pull = stiffness * excess;
    float along = stiffness, across = spring_across(excess, stiffness);
    if (bound) {
        float beyond = bound_excess(f->longest, inverse);
        float least = k_min(f->bound[k], f->bound[k + right + above * f->up]);
        float stiffer = stiffness * least * (float)(beyond > 0.0f);
        pull += stiffer * beyond;
        along += stiffer;
        across += stiffer * beyond;
    }
    v3 n = kept_v3(w->here, KEPT_NORMAL, k);
    v3 m = kept_v3(above ? w->above : w->here, KEPT_NORMAL, k + right);
    float here = v3_dot(d, n) * inverse, there = v3_dot(d, m) * inverse, same = v3_dot(n, m);
    return (sway_tie){pull, sway_coupling(along, across, here, there, same),
                      sway_turn(along, across, here, there, same),
                      sway_ground(along, across, here, there, same),
                      sway_ground(along, across, there, here, same)};
}

/* A thread, which bends too. */
__attribute__((always_inline)) static inline sway_tie
thread_to(const force_row *f, const window_row *w, ptrdiff_t k, int right, int above,
          float stiffness, float weight, force_kind kind) {
    sway_tie tie =
        tie_to(f, w, k, right, above, f->spacing, stiffness * weight, kind == FORCE_BOUND);
    tie.coupling += SWAY_BEND * f->bend * (1.0f + f->bend_lag) * weight;
    return tie;
}

/* Those to the row above: to the texel there, to the right of it, and to the left. */
typedef struct ties_up {
    sway_tie north, rise, left;
} ties_up;

__attribute__((always_inline)) static inline ties_up
ties_up_at(const force_row *f, const window_row *w, ptrdiff_t k, force_kind kind) {
    const float *restrict c = f->coverage;
    const bool plain = kind == FORCE_PLAIN;
    float thread = plain ? 1.0f : thread_weight(c[k], c[k - 1]);
    float right = plain ? f->shear : f->shear * c[k], left = plain ? f->shear : f->shear * c[k - 1];
    return (ties_up){thread_to(f, w, k, 0, 1, f->stretch_v, thread, kind),
                     tie_to(f, w, k, 1, 1, f->diagonal, right, false),
                     tie_to(f, w, k, -1, 1, f->diagonal, left, false)};
}

/* Planes of a window, for each tie. */
enum { TIE_PULL, TIE_COUPLING, TIE_TURN, TIE_GROUND, TIE_COUNT };

__attribute__((always_inline)) static inline void keep_tie(float *line, ptrdiff_t k, int which,
                                                           sway_tie t) {
    keep(line, which * TIE_COUNT + TIE_PULL, k, t.pull);
    keep(line, which * TIE_COUNT + TIE_COUPLING, k, t.coupling);
    keep(line, which * TIE_COUNT + TIE_TURN, k, t.turn);
    keep(line, which * TIE_COUNT + TIE_GROUND, k, t.other);
}

__attribute__((always_inline)) static inline void keep_ties(float *line, ptrdiff_t k, ties_up t) {
    keep_tie(line, k, UP_NORTH, t.north);
    keep_tie(line, k, UP_RISE, t.rise);
    keep_tie(line, k, UP_LEFT, t.left);
}

/* From the other end. */
__attribute__((always_inline)) static inline sway_tie kept_tie(const float *line, ptrdiff_t k,
                                                               int which) {
    return (sway_tie){.pull = kept_of(line, which * TIE_COUNT + TIE_PULL, k),
                      .coupling = kept_of(line, which * TIE_COUNT + TIE_COUPLING, k),
                      .turn = kept_of(line, which * TIE_COUNT + TIE_TURN, k),
                      .ground = kept_of(line, which * TIE_COUNT + TIE_GROUND, k)};
}

/* What ties do to a texel. */
typedef struct tie_sum {
    v3 force;
    float coupling, ground, turn;
} tie_sum;

__attribute__((always_inline)) static inline tie_sum pulls(const window_row *w, ptrdiff_t k,
                                                           int right, int above, sway_tie t) {
    v3 d = v3_sub(x_near(w, k, right, above), x_near(w, k, 0, 0));
    return (tie_sum){v3_scale(d, t.pull), t.coupling, t.ground, t.turn};
}

__attribute__((always_inline)) static inline tie_sum both_of(tie_sum a, tie_sum b) {
    return (tie_sum){v3_add(a.force, b.force), a.coupling + b.coupling, a.ground + b.ground,
                     a.turn + b.turn};
}

__attribute__((always_inline)) static inline tie_sum
ties_at(const window_row *w, ptrdiff_t k, sway_tie west, sway_tie east, ties_up next) {
    const float *below = w->below;
    tie_sum along_u = both_of(pulls(w, k, -1, 0, west), pulls(w, k, 1, 0, east));
    tie_sum along_v =
        both_of(pulls(w, k, 0, -1, kept_tie(below, k, UP_NORTH)), pulls(w, k, 0, 1, next.north));
    tie_sum rising =
        both_of(pulls(w, k, 1, 1, next.rise), pulls(w, k, -1, -1, kept_tie(below, k - 1, UP_RISE)));
    tie_sum falling =
        both_of(pulls(w, k, -1, 1, next.left), pulls(w, k, 1, -1, kept_tie(below, k + 1, UP_LEFT)));
    return both_of(both_of(along_u, along_v), both_of(rising, falling));
}

/* Forces, couplings, what ties texels to the ground, and the sum of their couplings; the latter two
 * in planes that are not in use yet. */
__attribute__((always_inline)) static inline void tie_part(const pass_args *args,
                                                           const force_row *row,
                                                           const window_row *rows, size_t first,
                                                           int columns, force_kind kind) {
    const force_row f = *row;
    const window_row w = *rows;
    const cycle_planes *c = &args->cycle->levels[0].at;
    float *restrict rx = c->rx + first, *restrict ry = c->ry + first, *restrict rz = c->rz + first;
    float *restrict grounds = c->plane[SWAY_WAY] + first;
    float *restrict sums = c->plane[SWAY_LEFT] + first, *restrict turns = c->ug + first;
    float *restrict easts = c->plane[SWAY_EAST] + first;
    float *restrict norths = c->plane[SWAY_NORTH] + first;
    float *restrict rises = c->plane[SWAY_RISING] + first;
    float *restrict falls = c->plane[SWAY_FALLING] + first - 1; /* of the cell to the left */
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        const texel_weights t = weights_at(&f, i, kind);
        sway_tie west = thread_to(&f, &w, i, -1, 0, f.stretch_u, t.u.before, kind);
        sway_tie east = thread_to(&f, &w, i, 1, 0, f.stretch_u, t.u.after, kind);
        ties_up next = ties_up_at(&f, &w, i, kind);
        tie_sum all = ties_at(&w, i, west, east, next);
        v3 r = balance_at(&f, &w, i, t, all.force, kind);
        rx[i] = r.x;
        ry[i] = r.y;
        rz[i] = r.z;
        grounds[i] = f.inertia[i] + all.ground;
        sums[i] = all.coupling;
        turns[i] = all.turn;
        easts[i] = east.coupling;
        norths[i] = next.north.coupling;
        rises[i] = next.rise.coupling;
        falls[i] = next.left.coupling;
        keep_ties(w.here, i, next);
    }
}
FORCE_PARTS(tie_part)

/* Forces along normals, and the first sweep. Texels that do not take part, being pinned, at a body,
 * or too light, are ground for those around them: on coarser grids they add their diagonal, as in
 * the cycle over A those do that bodies hold. */
static void begin_columns(const pass_args *args, int row, bool touched, int begin, int end) {
    const force_row f = force_row_at(args, begin, row, CYCLE_cx);
    const size_t first = grid_index(&args->state->grid, begin, row);
    const cycle_planes *c = &args->cycle->levels[0].at;
    const field normal = field_from(c->sx, c->sy, c->sz, first);
    const field tangent = field_from(c->ax, c->ay, c->az, first);
    const field body = field_from(c->nx, c->ny, c->nz, first);
    const float *restrict gap = c->gap + first, *restrict inertia = f.inertia;
    const float *restrict sums = c->plane[SWAY_LEFT] + first;
    float *restrict rx = c->rx + first, *restrict ry = c->ry + first, *restrict rz = c->rz + first;
    float *restrict ways = c->plane[SWAY_WAY] + first;
    const float *restrict own = args->cycle->levels[0].matrix->plane[MATRIX_INVERSE] + first;
    float *restrict ua = c->ua + first, *restrict ub = c->ub + first;
    float *restrict turns = c->ug + first;
    const float least = SWAY_LEAST * f.held;
#pragma omp simd
    for (int i = 0; i < end - begin; i++) {
        float ground = ways[i], diagonal = ground + sums[i];
        bool whole = inertia[i] > least, touches = touched & (gap[i] < FLT_MAX);
        bool moves = whole & !touches;
        v3 r = v3_make(rx[i], ry[i], rz[i]), n = field_at(normal, i), a = field_at(tangent, i);
        v3 slides = v3_select(touches, along_surface(r, field_at(body, i)), r);
        float stop = sway_stop(own[i], v3_dot(n, field_at(body, i)));
        turns[i] += k_select(touches, stop, 0.0f);
        ua[i] = k_select(whole, v3_dot(slides, a), 0.0f);
        ub[i] = k_select(whole, v3_dot(slides, v3_cross(n, a)), 0.0f);
        float force = v3_dot(r, n);
        float inverse = k_select(moves, 1.0f / k_max(diagonal, KERNEL_TINY), 0.0f);
        rx[i] = k_select(moves, force, 0.0f);      /* SWAY_FORCE */
        ry[i] = k_select(moves, ground, diagonal); /* SWAY_GROUND */
        rz[i] = inverse;                           /* SWAY_INVERSE */
        ways[i] = k_select(moves, SWAY_FIRST * inverse * force, 0.0f);
    }
}

__attribute__((always_inline)) static inline void
prepare_tie_part(const pass_args *args, const force_row *f, const window_row *w, size_t first,
                 int columns, force_kind kind) {
    (void)args, (void)first;
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        keep_ties(w->here, i, ties_up_at(f, w, i, kind));
    }
}
FORCE_PARTS(prepare_tie_part)

static void tie_columns(const force_columns *at) {
    over_parts(at, tie_part_kinds);
    if (!CPU_FN(is_near_bodies)(at->args, at->row)) {
        begin_columns(at->args, at->row, false, at->w->begin, at->w->end);
    }
}

void CPU_FN(sway_rows)(const pass_args *args, int row_begin, int row_end) {
    const force_pass todo = {LEVEL_qx, CYCLE_cx, true, prepare_tie_part_kinds, tie_columns};
    const int columns = row_floats(&args->state->grid);
    over_rows(args, &todo, row_begin, row_end);
    for (int row = row_begin; row < row_end; row++) {
        size_t first = grid_index(&args->state->grid, 0, row), end = first + (size_t)columns;
        args->cycle->levels[0].at.plane[SWAY_FALLING][end - 1] = 0.0f; /* no cell ends there */
        if (CPU_FN(is_near_bodies)(args, row)) {
            bool touched = CPU_FN(grip_row)(args, row, LEVEL_qx);
            begin_columns(args, row, touched, 0, columns);
        }
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
