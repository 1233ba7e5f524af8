/* The implicit step on the finest grid: the start of a substep, unbalanced forces, the move of each
 * texel by itself, and what a cycle over the grids adds (kernel/implicit.h has the formulas,
 * cycle.c the other grids, grip.c the bodies). Positions go from the level's x, y, z to qx, qy, qz
 * by the move of each texel, and back by the cycle. */
#include "kernel/implicit.h"
#include "cpu/bending.h"
#include "cpu/grip.h"
#include "cpu/held.h"

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
    const float third = args->plan->moment / 3.0f;
    const int columns = row_floats(&args->state->grid);
    for (int axis = 0; axis < 3; axis++) {
        float *restrict x = s->plane[PLANE_x + axis] + first;
        float *restrict v = s->plane[PLANE_vx + axis] + first;
        float *restrict change = s->plane[PLANE_ax + axis] + first;
#pragma omp simd
        for (int i = 0; i < columns; i++) {
            float gained = k_select(inverse_mass[i] > 0.0f, change[i], 0.0f);
            change[i] = v[i];
            x[i] += third * (v[i] - 0.5f * gained);
            v[i] += gained / 3.0f;
        }
    }
}

void CPU_FN(stage_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        stage_row(args, grid_index(&args->state->grid, 0, row));
    }
}

/* How velocities have changed in the substep; 0 where a body holds the texel, for a blow does not
 * go on. */
static void change_row(const pass_args *args, size_t first, bool held) {
    const cloth_planes *s = &args->state->at;
    const float *restrict hold = args->cycle->levels[0].at.hold + first;
    const int columns = row_floats(&args->state->grid);
    for (int axis = 0; axis < 3; axis++) {
        const float *restrict v = s->plane[PLANE_vx + axis] + first;
        float *restrict change = s->plane[PLANE_ax + axis] + first;
#pragma omp simd
        for (int i = 0; i < columns; i++) {
            change[i] = k_select(!held | (hold[i] == 0.0f), v[i] - change[i], 0.0f);
        }
    }
}

void CPU_FN(change_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        change_row(args, grid_index(&args->state->grid, 0, row),
                   args->cycle->levels[0].row_held[row]);
    }
}

/* What a texel's springs do to it, and how stiffly. */
typedef struct spring_sum {
    v3 force, diagonal, sides;
} spring_sum;

__attribute__((always_inline)) static inline spring_sum sum_of(spring_sum a, spring_sum b) {
    return (spring_sum){v3_add(a.force, b.force), v3_add(a.diagonal, b.diagonal),
                        v3_add(a.sides, b.sides)};
}

__attribute__((always_inline)) static inline spring_sum
spring_to(field x, ptrdiff_t k, ptrdiff_t to, v3 here, float rest, float stiffness) {
    v3 d = v3_sub(field_at(x, k + to), here);
    float inverse = 1.0f / k_sqrt(v3_dot(d, d) + KERNEL_TINY);
    float excess = spring_excess(rest, inverse), across = spring_across(excess, stiffness);
    return (spring_sum){v3_scale(d, stiffness * excess),
                        spring_block_diagonal(d, inverse, across, stiffness),
                        spring_block_sides(d, inverse, across, stiffness)};
}

/* What a thread adds beyond its limit. */
__attribute__((always_inline)) static inline spring_sum bound_to(field x,
                                                                 const float *restrict bound,
                                                                 ptrdiff_t k, ptrdiff_t to, v3 here,
                                                                 float longest, float stiffness) {
    v3 d = v3_sub(field_at(x, k + to), here);
    float inverse = 1.0f / k_sqrt(v3_dot(d, d) + KERNEL_TINY);
    float excess = bound_excess(longest, inverse);
    float stiffer = stiffness * k_min(bound[k], bound[k + to]) * (float)(excess > 0.0f);
    float across = stiffer * excess;
    return (spring_sum){v3_scale(d, stiffer * excess),
                        spring_block_diagonal(d, inverse, across, stiffer),
                        spring_block_sides(d, inverse, across, stiffer)};
}

/* What the unbalanced force of a texel depends on, at a row. */
typedef struct force_row {
    const cloth_params *params;
    field x, ahead, start, v; /* positions; ahead by the retardation of bending; at the start of the
                                 substep; velocities without springs */
    const float *restrict coverage, *restrict inertia, *restrict bound;
    ptrdiff_t up;
    float substep; /* s */
    float inert;   /* how much bending adds to inertia, as a factor */
    float held;    /* N/m, of absent and pinned texels, whose blocks are divided by, too */
} force_row;

/* A part of a row: any, one around which all cells are full, or one with threads that are bound to
 * their limit. Loops are made for each kind; the bits are the same wherever two of them may run. */
typedef enum force_kind { FORCE_ANY, FORCE_PLAIN, FORCE_BOUND } force_kind;

__attribute__((always_inline)) static inline spring_sum
springs_at(const force_row *f, ptrdiff_t k, thread_weights wu, thread_weights wv, force_kind kind) {
    const cloth_params *p = f->params;
    const field x = f->x;
    const v3 here = field_at(x, k);
    const ptrdiff_t up = f->up;
    const float h = p->spacing, g = p->diagonal, longest = p->longest;
    const float ku = p->stretch_u, kv = p->stretch_v, ks = p->shear;
    const float *restrict c = f->coverage, *restrict b = f->bound;
    float rise = ks, sink = ks, fall_left = ks, fall_right = ks;
    if (kind != FORCE_PLAIN) {
        rise = ks * c[k];
        sink = ks * c[k - 1 - up];
        fall_left = ks * c[k - 1];
        fall_right = ks * c[k - up];
    }
    spring_sum along_u = sum_of(spring_to(x, k, -1, here, h, ku * wu.before),
                                spring_to(x, k, 1, here, h, ku * wu.after));
    spring_sum along_v = sum_of(spring_to(x, k, -up, here, h, kv * wv.before),
                                spring_to(x, k, up, here, h, kv * wv.after));
    spring_sum rising =
        sum_of(spring_to(x, k, 1 + up, here, g, rise), spring_to(x, k, -1 - up, here, g, sink));
    spring_sum falling = sum_of(spring_to(x, k, up - 1, here, g, fall_left),
                                spring_to(x, k, 1 - up, here, g, fall_right));
    spring_sum all = sum_of(sum_of(along_u, along_v), sum_of(rising, falling));
    if (kind == FORCE_BOUND) {
        spring_sum bound_u = sum_of(bound_to(x, b, k, -1, here, longest, ku * wu.before),
                                    bound_to(x, b, k, 1, here, longest, ku * wu.after));
        spring_sum bound_v = sum_of(bound_to(x, b, k, -up, here, longest, kv * wv.before),
                                    bound_to(x, b, k, up, here, longest, kv * wv.after));
        all = sum_of(all, sum_of(bound_u, bound_v));
    }
    return all;
}

/* Positions at planes of the level from `from` on, and ahead of them at those of the cycle. */
static force_row force_row_at(const pass_args *args, size_t first, level_plane from,
                              cycle_plane ahead) {
    const cloth_planes *s = &args->state->at;
    const level_planes *l = &args->hierarchy->levels[0].at;
    const cycle_planes *c = &args->cycle->levels[0].at;
    return (force_row){
        .params = args->params,
        .x = field_from(l->plane[from], l->plane[from + 1], l->plane[from + 2], first),
        .ahead = field_from(c->plane[ahead], c->plane[ahead + 1], c->plane[ahead + 2], first),
        .start = field_from(s->x, s->y, s->z, first),
        .v = field_from(s->vx, s->vy, s->vz, first),
        .coverage = s->coverage + first,
        .inertia = args->cycle->tables->inertia + first,
        .bound = args->cycle->tables->bound + first,
        .up = args->state->grid.stride,
        .substep = args->plan->substep,
        .held = args->params->cell_mass / (args->plan->substep * args->plan->substep),
        .inert = 1.0f + BEND_ROW * args->params->bend * (1.0f + args->params->bend_lag) *
                            (args->plan->substep * args->plan->substep) / args->params->cell_mass};
}

/* The force, and the block that divides it. Bending's bound on a texel, the sum over its row of the
 * matrix, is at most BEND_ROW times the share of its cells that is cloth, as its mass is: taken in
 * proportion to that, all texels of a sheet that falls freely move alike. A factor of 0 or 1 stands
 * where one would choose, for a compiler that is left a choice does not use vectors. */
__attribute__((always_inline)) static inline spring_sum force_at(const force_row *f, ptrdiff_t k,
                                                                 force_kind kind) {
    const cloth_params *p = f->params;
    const float *restrict c = f->coverage;
    thread_weights wu = {1.0f, 1.0f, 1.0f, 1.0f, 1.0f}, wv = wu;
    if (kind != FORCE_PLAIN) {
        wu = weights_along(c, k, 1, f->up);
        wv = weights_along(c, k, f->up, 1);
    }
    spring_sum springs = springs_at(f, k, wu, wv, kind);
    const bent_field bent = {f->ahead, f->ahead, 0.0f, BENT_ALREADY};
    v3 bend = bending_at(bent, c, kind == FORCE_PLAIN, k, f->up, wu, wv);
    float rate = f->inertia[k], free = (float)(rate > 0.0f);
    v3 way =
        v3_madd(v3_sub(field_at(f->start, k), field_at(f->x, k)), field_at(f->v, k), f->substep);
    v3 r = v3_add(inertia_force(way, rate), v3_madd(springs.force, bend, -p->bend));
    float own = (rate + (1.0f - free) * f->held) * f->inert;
    return (spring_sum){v3_scale(r, free), v3_madd(v3_make(own, own, own), springs.diagonal, 2.0f),
                        v3_scale(springs.sides, 2.0f)};
}

/* Forces and blocks, these into the planes of the correction (diagonal) and the defect (sides),
 * which are not in use then. */
__attribute__((always_inline)) static inline void block_part(const pass_args *args,
                                                             const force_row *f, size_t first,
                                                             int begin, int end, force_kind kind) {
    const cycle_planes *out = &args->cycle->levels[0].at;
    float *restrict rx = out->rx + first, *restrict ry = out->ry + first,
                    *restrict rz = out->rz + first;
    float *restrict dx = out->ex + first, *restrict dy = out->ey + first,
                    *restrict dz = out->ez + first;
    float *restrict sx = out->tx + first, *restrict sy = out->ty + first,
                    *restrict sz = out->tz + first;
#pragma omp simd
    for (int i = begin; i < end; i++) {
        spring_sum at = force_at(f, i, kind);
        rx[i] = at.force.x;
        ry[i] = at.force.y;
        rz[i] = at.force.z;
        dx[i] = at.diagonal.x;
        dy[i] = at.diagonal.y;
        dz[i] = at.diagonal.z;
        sx[i] = at.sides.x;
        sy[i] = at.sides.y;
        sz[i] = at.sides.z;
    }
}

/* Forces alone. */
__attribute__((always_inline)) static inline void residual_part(const pass_args *args,
                                                                const force_row *f, size_t first,
                                                                int begin, int end,
                                                                force_kind kind) {
    const cycle_planes *out = &args->cycle->levels[0].at;
    float *restrict rx = out->rx + first, *restrict ry = out->ry + first,
                    *restrict rz = out->rz + first;
#pragma omp simd
    for (int i = begin; i < end; i++) {
        spring_sum at = force_at(f, i, kind);
        rx[i] = at.force.x;
        ry[i] = at.force.y;
        rz[i] = at.force.z;
    }
}

/* The parts of a row, with a function that is inlined for each kind. */
#define FOR_PARTS(part, args, f, row, first)                                                       \
    do {                                                                                           \
        const int columns_ = row_floats(&(args)->state->grid);                                     \
        const int32_t *plain_ = &(args)->cycle->row_plain[2 * (row)];                              \
        if ((args)->cycle->tables->row_bound[row]) {                                               \
            part((args), (f), (first), 0, columns_, FORCE_BOUND);                                  \
        } else {                                                                                   \
            part((args), (f), (first), 0, plain_[0], FORCE_ANY);                                   \
            part((args), (f), (first), plain_[0], plain_[1], FORCE_PLAIN);                         \
            part((args), (f), (first), plain_[1], columns_, FORCE_ANY);                            \
        }                                                                                          \
    } while (0)

static void block_row(const pass_args *args, int row, size_t first) {
    const force_row f = force_row_at(args, first, LEVEL_x, CYCLE_bx);
    FOR_PARTS(block_part, args, &f, row, first);
}

static void residual_row(const pass_args *args, int row, size_t first) {
    const force_row f = force_row_at(args, first, LEVEL_qx, CYCLE_cx);
    FOR_PARTS(residual_part, args, &f, row, first);
}

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

/* Each texel by itself, into qx, qy, qz. */
static void move_row(const pass_args *args, size_t first) {
    const level_planes *l = &args->hierarchy->levels[0].at;
    const cycle_planes *c = &args->cycle->levels[0].at;
    const field x = field_from(l->x, l->y, l->z, first), r = field_from(c->rx, c->ry, c->rz, first);
    const field diagonal = field_from(c->ex, c->ey, c->ez, first);
    const field sides = field_from(c->tx, c->ty, c->tz, first);
    float *restrict qx = l->qx + first, *restrict qy = l->qy + first, *restrict qz = l->qz + first;
    const int columns = row_floats(&args->state->grid);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        v3 e = block_solve(field_at(diagonal, i), field_at(sides, i), field_at(r, i));
        v3 q = v3_add(field_at(x, i), e);
        qx[i] = q.x;
        qy[i] = q.y;
        qz[i] = q.z;
    }
}

/* The same where bodies touch some. */
static void move_gripped_row(const pass_args *args, size_t first) {
    const level_planes *l = &args->hierarchy->levels[0].at;
    const cycle_planes *c = &args->cycle->levels[0].at;
    const field x = field_from(l->x, l->y, l->z, first), r = field_from(c->rx, c->ry, c->rz, first);
    const field diagonal = field_from(c->ex, c->ey, c->ez, first);
    const field sides = field_from(c->tx, c->ty, c->tz, first);
    const field normal = field_from(c->nx, c->ny, c->nz, first);
    const float *restrict gap = c->gap + first;
    const float *restrict inertia = args->cycle->tables->inertia + first;
    float *restrict qx = l->qx + first, *restrict qy = l->qy + first, *restrict qz = l->qz + first;
    const int columns = row_floats(&args->state->grid);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        v3 e = grip_block(field_at(diagonal, i), field_at(sides, i), field_at(r, i),
                          field_at(normal, i), gap[i], GRIP_MOST_PUSH * inertia[i]);
        v3 q = v3_add(field_at(x, i), e);
        qx[i] = q.x;
        qy[i] = q.y;
        qz[i] = q.z;
    }
}

void CPU_FN(local_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        size_t first = grid_index(&args->state->grid, 0, row);
        block_row(args, row, first);
        if (CPU_FN(grip_row)(args, row, LEVEL_x)) {
            move_gripped_row(args, first);
        } else {
            move_row(args, first);
        }
        look_ahead(args, first, LEVEL_qx, CYCLE_cx);
    }
}

/* The first sweep of a cycle. */
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

void CPU_FN(residual_rows)(const pass_args *args, int row_begin, int row_end) {
    const cycle_level *finest = &args->cycle->levels[0];
    for (int row = row_begin; row < row_end; row++) {
        size_t first = grid_index(&args->state->grid, 0, row);
        residual_row(args, row, first);
        finest->row_held[row] = CPU_FN(grip_row)(args, row, LEVEL_qx);
        CPU_FN(glue_row)(args, row);
        CPU_FN(hold_row)(finest, row, CYCLE_rx);
        first_sweep(finest, first);
        CPU_FN(land_row)(finest, row, CYCLE_ex);
    }
}

/* What an iteration begins with: which texels are near bodies, and positions ahead. */
void CPU_FN(ready_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        CPU_FN(span_row)(args, row);
        look_ahead(args, grid_index(&args->state->grid, 0, row), LEVEL_x, CYCLE_bx);
    }
}
