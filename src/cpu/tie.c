/* Moves of texels along the normals of the cloth (kernel/sway.h has the law): what the finest grid
 * begins with, its forces, its couplings, and the first sweep; sway.c goes on. */
#include <float.h>

#include "cpu/forces.h"
#include "cpu/grip.h"
#include "kernel/sway.h"

/* A spring, as both of its ends see it, but for what ties each to the ground. */
typedef struct sway_tie {
    float pull, coupling, turn;
    float ground, other; /* here, and at the other end */
} sway_tie;

/* bound: as strand_to. */
__attribute__((always_inline)) static inline sway_tie tie_to(const force_row *f,
                                                             const window_row *w, ptrdiff_t k,
                                                             int right, int above, float rest,
                                                             float stiffness, bool bound) {
    const strand s = strand_to(f, w, k, right, above, rest, stiffness, bound);
    const float along = s.stiff, across = strand_across(s);
    v3 n = kept_v3(w->here, KEPT_NORMAL, k);
    v3 m = kept_v3(above ? w->above : w->here, KEPT_NORMAL, k + right);
    float here = v3_dot(s.d, n) * s.inverse, there = v3_dot(s.d, m) * s.inverse,
          same = v3_dot(n, m);
    return (sway_tie){s.pull, sway_coupling(along, across, here, there, same),
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

/* A texel, the force that it is left with, and what it is tied by. */
typedef struct tied {
    v3 r;
    tie_sum all;
    sway_tie east;
    ties_up next;
} tied;

__attribute__((always_inline)) static inline tied tied_at(const force_row *f, const window_row *w,
                                                          ptrdiff_t k, force_kind kind) {
    const texel_weights t = weights_at(f, k, kind);
    sway_tie west = thread_to(f, w, k, -1, 0, f->stretch_u, t.u.before, kind);
    tied at = {.east = thread_to(f, w, k, 1, 0, f->stretch_u, t.u.after, kind),
               .next = ties_up_at(f, w, k, kind)};
    at.all = ties_at(w, k, west, at.east, at.next);
    at.r = balance_at(f, w, k, t, at.all.force, kind);
    at.all.ground += f->inertia[k];
    return at;
}

/* Couplings of a row. */
typedef struct coupling_out {
    float *restrict east, *restrict north, *restrict rising, *restrict falling;
} coupling_out;

static inline coupling_out couplings_to(const cycle_planes *c, size_t first) {
    return (coupling_out){c->plane[SWAY_EAST] + first, c->plane[SWAY_NORTH] + first,
                          c->plane[SWAY_RISING] + first,
                          c->plane[SWAY_FALLING] + first - 1}; /* of the cell to the left */
}

__attribute__((always_inline)) static inline void put_couplings(coupling_out c, int i, tied at) {
    c.east[i] = at.east.coupling;
    c.north[i] = at.next.north.coupling;
    c.rising[i] = at.next.rise.coupling;
    c.falling[i] = at.next.left.coupling;
}

/* Near bodies: forces, couplings, what ties texels to the ground, and the sum of their couplings;
 * the latter two in planes that are not in use yet. */
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
    const coupling_out out = couplings_to(c, first);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        const tied at = tied_at(&f, &w, i, kind);
        rx[i] = at.r.x;
        ry[i] = at.r.y;
        rz[i] = at.r.z;
        grounds[i] = at.all.ground;
        sums[i] = at.all.coupling;
        turns[i] = at.all.turn;
        put_couplings(out, i, at);
        keep_ties(w.here, i, at.next);
    }
}
FORCE_PARTS(tie_part)

/* Forces along normals, and the first sweep. whole: is there enough cloth to speak of a normal?
 * Texels that do not move, being pinned, at a body, or too light, are ground for those around them:
 * on coarser grids they add their diagonal, as in the cycle over A those do that bodies hold. */
typedef struct sway_begin {
    float force, ground, inverse, way, along_a, along_b;
} sway_begin;

__attribute__((always_inline)) static inline sway_begin
begin_at(v3 r, v3 slides, v3 n, v3 a, float ground, float couplings_sum, bool whole, bool moves) {
    float diagonal = ground + couplings_sum, force = v3_dot(r, n);
    float inverse = k_select(moves, 1.0f / k_max(diagonal, KERNEL_TINY), 0.0f);
    return (sway_begin){.force = k_select(moves, force, 0.0f),
                        .ground = k_select(moves, ground, diagonal),
                        .inverse = inverse,
                        .way = k_select(moves, SWAY_FIRST * inverse * force, 0.0f),
                        .along_a = k_select(whole, v3_dot(slides, a), 0.0f),
                        .along_b = k_select(whole, v3_dot(slides, v3_cross(n, a)), 0.0f)};
}

/* Where those of a row go. */
typedef struct begin_out {
    float *restrict force,
        *restrict ground, *restrict inverse, *restrict way, *restrict along_a, *restrict along_b;
} begin_out;

static inline begin_out begin_to(const cycle_planes *c, size_t first) {
    return (begin_out){c->plane[SWAY_FORCE] + first,
                       c->plane[SWAY_GROUND] + first,
                       c->plane[SWAY_INVERSE] + first,
                       c->plane[SWAY_WAY] + first,
                       c->ua + first,
                       c->ub + first};
}

__attribute__((always_inline)) static inline void put_begin(begin_out out, int i, sway_begin a) {
    out.force[i] = a.force;
    out.ground[i] = a.ground;
    out.inverse[i] = a.inverse;
    out.way[i] = a.way;
    out.along_a[i] = a.along_a;
    out.along_b[i] = a.along_b;
}

/* Away from bodies, at once. */
__attribute__((always_inline)) static inline void begin_part(const pass_args *args,
                                                             const force_row *row,
                                                             const window_row *rows, size_t first,
                                                             int columns, force_kind kind) {
    const force_row f = *row;
    const window_row w = *rows;
    const cycle_planes *c = &args->cycle->levels[0].at;
    const field tangent = field_from(c->ax, c->ay, c->az, first);
    float *restrict turns = c->ug + first;
    const coupling_out out = couplings_to(c, first);
    const begin_out begins = begin_to(c, first);
    const float least = SWAY_LEAST * f.held;
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        const tied at = tied_at(&f, &w, i, kind);
        const bool whole = f.inertia[i] > least;
        const sway_begin begin =
            begin_at(at.r, at.r, kept_v3(w.here, KEPT_NORMAL, i), field_at(tangent, i),
                     at.all.ground, at.all.coupling, whole, whole);
        turns[i] = at.all.turn;
        put_begin(begins, i, begin);
        put_couplings(out, i, at);
        keep_ties(w.here, i, at.next);
    }
}
FORCE_PARTS(begin_part)

/* Near bodies, once it is known what they touch. */
static void begin_row(const pass_args *args, int row, bool touched) {
    const size_t first = grid_index(&args->state->grid, 0, row);
    const force_row f = force_row_at(args, 0, row, CYCLE_cx);
    const cycle_planes *c = &args->cycle->levels[0].at;
    const field normal = field_from(c->sx, c->sy, c->sz, first);
    const field tangent = field_from(c->ax, c->ay, c->az, first);
    const field body = field_from(c->nx, c->ny, c->nz, first);
    const float *restrict gap = c->gap + first, *restrict sums = c->plane[SWAY_LEFT] + first;
    const float *restrict own = args->cycle->levels[0].matrix->plane[MATRIX_INVERSE] + first;
    float *restrict turns = c->ug + first;
    const begin_out begins = begin_to(c, first); /* which has what tie_part left */
    const float least = SWAY_LEAST * f.held;
    const int columns = row_floats(&args->state->grid);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        bool whole = f.inertia[i] > least, touches = touched & (gap[i] < FLT_MAX);
        v3 r = v3_make(begins.force[i], begins.ground[i], begins.inverse[i]);
        v3 n = field_at(normal, i), at_body = field_at(body, i);
        v3 slides = v3_select(touches, along_surface(r, at_body), r);
        float stop = sway_stop(own[i], v3_dot(n, at_body));
        turns[i] += k_select(touches, stop, 0.0f);
        put_begin(begins, i,
                  begin_at(r, slides, n, field_at(tangent, i), begins.way[i], sums[i], whole,
                           whole & !touches));
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
    bool near = CPU_FN(is_near_bodies)(at->args, at->row);
    over_parts(at, near ? tie_part_kinds : begin_part_kinds);
}

void CPU_FN(sway_rows)(const pass_args *args, int row_begin, int row_end) {
    const force_pass todo = {LEVEL_qx, CYCLE_cx, true, prepare_tie_part_kinds, tie_columns};
    const int columns = row_floats(&args->state->grid);
    over_rows(args, &todo, row_begin, row_end);
    for (int row = row_begin; row < row_end; row++) {
        size_t first = grid_index(&args->state->grid, 0, row), end = first + (size_t)columns;
        args->cycle->levels[0].at.plane[SWAY_FALLING][end - 1] = 0.0f; /* no cell ends there */
        if (CPU_FN(is_near_bodies)(args, row)) {
            begin_row(args, row, CPU_FN(grip_row)(args, row, LEVEL_qx));
        }
    }
}
