/* Unbalanced forces of a row of texels, and the blocks that divide them. Inlined into the passes
 * that need them, which take of it what they use. */
#ifndef TOILE_CPU_FORCES_H
#define TOILE_CPU_FORCES_H

#include "cpu/bending.h"
#include "cpu/window.h"
#include "kernel/implicit.h"
#include "kernel/sway.h"

/* What the unbalanced force of a texel depends on, at a row, but for what a window has. */
typedef struct force_row {
    field start, v, ahead; /* positions at the start of the substep; velocities without springs;
                              positions ahead by the retardation of bending */
    const float *restrict coverage, *restrict inertia, *restrict bound;
    ptrdiff_t up;
    float substep; /* s */
    float inert;   /* how much bending adds to inertia, as a factor */
    float held;    /* N/m, of absent and pinned texels, whose blocks are divided by, too */
    float spacing, diagonal, longest;                  /* m */
    float stretch_u, stretch_v, shear, bend, bend_lag; /* those of cloth_params */
} force_row;

/* A part of a row: any, one around which all cells are full, or one with threads that are bound to
 * their limit. Loops are made for each kind. */
typedef enum force_kind { FORCE_ANY, FORCE_PLAIN, FORCE_BOUND } force_kind;

/* From a column on. Positions ahead are at planes of the cycle from `ahead` on. */
static inline force_row force_row_at(const pass_args *args, int column, int row,
                                     cycle_plane ahead) {
    const size_t first = grid_index(&args->state->grid, column, row);
    const cloth_planes *s = &args->state->at;
    const cycle_planes *c = &args->cycle->levels[0].at;
    const cloth_params *p = args->params;
    const float square = args->plan->substep * args->plan->substep;
    return (force_row){
        .start = field_from(s->x, s->y, s->z, first),
        .v = field_from(s->vx, s->vy, s->vz, first),
        .ahead = field_from(c->plane[ahead], c->plane[ahead + 1], c->plane[ahead + 2], first),
        .coverage = s->coverage + first,
        .inertia = args->cycle->tables->inertia + first,
        .bound = args->cycle->tables->bound + first,
        .up = args->state->grid.stride,
        .substep = args->plan->substep,
        .inert = 1.0f + BEND_ROW * p->bend * (1.0f + p->bend_lag) * square / p->cell_mass,
        .held = p->cell_mass / square,
        .spacing = p->spacing,
        .diagonal = p->diagonal,
        .longest = p->longest,
        .stretch_u = p->stretch_u,
        .stretch_v = p->stretch_v,
        .shear = p->shear,
        .bend = p->bend,
        .bend_lag = p->bend_lag};
}

/* How threads weigh around a texel. */
typedef struct texel_weights {
    thread_weights u, v;
} texel_weights;

__attribute__((always_inline)) static inline texel_weights
weights_at(const force_row *f, ptrdiff_t k, force_kind kind) {
    const thread_weights full = {1.0f, 1.0f, 1.0f, 1.0f, 1.0f};
    if (kind == FORCE_PLAIN) {
        return (texel_weights){full, full};
    }
    return (texel_weights){weights_along(f->coverage, k, 1, f->up),
                           weights_along(f->coverage, k, f->up, 1)};
}

/* The normal of the cloth at a texel, and its tangent a. */
typedef struct cloth_frame {
    v3 normal, tangent;
} cloth_frame;

__attribute__((always_inline)) static inline cloth_frame
frame_of(v3 here, v3 west, v3 east, v3 south, v3 north, texel_weights w) {
    v3 along_u =
        v3_sub(v3_scale(v3_sub(east, here), w.u.after), v3_scale(v3_sub(west, here), w.u.before));
    v3 along_v =
        v3_sub(v3_scale(v3_sub(north, here), w.v.after), v3_scale(v3_sub(south, here), w.v.before));
    v3 normal = sway_normal(along_u, along_v);
    return (cloth_frame){normal, sway_tangent(along_u, along_v, normal)};
}

/* ---- springs ------------------------------------------------------------------------------------
 */

/* A spring and the limit that it may be bound by, as one. */
typedef struct strand {
    v3 d;          /* m, to its other end */
    float inverse; /* 1/m, of its length */
    float pull;    /* N/m, times d */
    float stiff;   /* N/m, along itself */
} strand;

/* To the texel that is `along` and `across` from k. bound: by a limit, which diagonals do not have.
 * That it is said by a constant leaves no branch in loops. */
__attribute__((always_inline)) static inline strand strand_to(const force_row *f,
                                                              const window_row *w, ptrdiff_t k,
                                                              int along, int across, float rest,
                                                              float stiffness, bool bound) {
    v3 d = v3_sub(x_near(w, k, along, across), x_near(w, k, 0, 0));
    float inverse = 1.0f / k_sqrt(v3_dot(d, d) + KERNEL_TINY);
    float excess = spring_excess(rest, inverse), pull = stiffness * excess, stiff = stiffness;
    if (bound) {
        float least = k_min(f->bound[k], f->bound[k + along + across * f->up]);
        float stiffer = stiffness * least;
        pull += stiffer * bound_excess(f->longest, inverse);
        stiff += bound_stiffness(stiffer, excess, rest, f->longest);
    }
    return (strand){d, inverse, pull, stiff};
}

/* How stiff it is across itself: not at all where it is compressed. */
__attribute__((always_inline)) static inline float strand_across(strand s) {
    return positive_part(s.pull);
}

/* A spring, as both of its ends see it. */
typedef struct spring {
    float pull;  /* N/m, times the way to the other end */
    float slope; /* N/m^3, of its block */
} spring;

__attribute__((always_inline)) static inline spring spring_to(const force_row *f,
                                                              const window_row *w, ptrdiff_t k,
                                                              int along, int across, float rest,
                                                              float stiffness, bool bound) {
    const strand s = strand_to(f, w, k, along, across, rest, stiffness, bound);
    return (spring){s.pull, spring_slope(s.inverse, strand_across(s), s.stiff)};
}

/* Those to the row above: to the texel there, to the right of it, and to the left. */
typedef struct springs_up {
    spring north, rise, left;
} springs_up;

__attribute__((always_inline)) static inline springs_up
springs_up_at(const force_row *f, const window_row *w, ptrdiff_t k, force_kind kind) {
    const float *restrict c = f->coverage;
    const bool plain = kind == FORCE_PLAIN;
    float thread = plain ? f->stretch_v : f->stretch_v * thread_weight(c[k], c[k - 1]);
    float right = plain ? f->shear : f->shear * c[k], left = plain ? f->shear : f->shear * c[k - 1];
    return (springs_up){spring_to(f, w, k, 0, 1, f->spacing, thread, kind == FORCE_BOUND),
                        spring_to(f, w, k, 1, 1, f->diagonal, right, false),
                        spring_to(f, w, k, -1, 1, f->diagonal, left, false)};
}

/* Planes of a window; slopes only where blocks are asked for. */
enum { UP_NORTH, UP_RISE, UP_LEFT, UP_COUNT };

__attribute__((always_inline)) static inline void keep_spring(float *line, ptrdiff_t k, int which,
                                                              spring s, bool blocks) {
    keep(line, which, k, s.pull);
    if (blocks) {
        keep(line, UP_COUNT + which, k, s.slope);
    }
}

/* The last thing that is done with a texel: a compiler reads anew what it has read before. */
__attribute__((always_inline)) static inline void keep_springs(float *line, ptrdiff_t k,
                                                               springs_up s, bool blocks) {
    keep_spring(line, k, UP_NORTH, s.north, blocks);
    keep_spring(line, k, UP_RISE, s.rise, blocks);
    keep_spring(line, k, UP_LEFT, s.left, blocks);
}

__attribute__((always_inline)) static inline spring kept_spring(const float *line, ptrdiff_t k,
                                                                int which, bool blocks) {
    return (spring){kept_of(line, which, k), blocks ? kept_of(line, UP_COUNT + which, k) : 0.0f};
}

/* What a texel's springs do to it, and how stiffly: the block is across on its diagonal, and what
 * slopes make. */
typedef struct spring_sum {
    v3 force, diagonal, sides;
    float across;
} spring_sum;

__attribute__((always_inline)) static inline spring_sum sum_of(spring_sum a, spring_sum b) {
    return (spring_sum){v3_add(a.force, b.force), v3_add(a.diagonal, b.diagonal),
                        v3_add(a.sides, b.sides), a.across + b.across};
}

__attribute__((always_inline)) static inline spring_sum acts(const window_row *w, ptrdiff_t k,
                                                             int along, int across, spring s) {
    v3 d = v3_sub(x_near(w, k, along, across), x_near(w, k, 0, 0));
    return (spring_sum){v3_scale(d, s.pull), slope_diagonal(d, s.slope), slope_sides(d, s.slope),
                        positive_part(s.pull)};
}

__attribute__((always_inline)) static inline spring_sum
springs_at(const force_row *f, const window_row *w, ptrdiff_t k, thread_weights wu, springs_up next,
           force_kind kind, bool blocks) {
    const float h = f->spacing, ku = f->stretch_u;
    const bool bound = kind == FORCE_BOUND;
    const float *below = w->below;
    spring_sum along_u =
        sum_of(acts(w, k, -1, 0, spring_to(f, w, k, -1, 0, h, ku * wu.before, bound)),
               acts(w, k, 1, 0, spring_to(f, w, k, 1, 0, h, ku * wu.after, bound)));
    spring_sum along_v = sum_of(acts(w, k, 0, -1, kept_spring(below, k, UP_NORTH, blocks)),
                                acts(w, k, 0, 1, next.north));
    spring_sum rising = sum_of(acts(w, k, 1, 1, next.rise),
                               acts(w, k, -1, -1, kept_spring(below, k - 1, UP_RISE, blocks)));
    spring_sum falling = sum_of(acts(w, k, -1, 1, next.left),
                                acts(w, k, 1, -1, kept_spring(below, k + 1, UP_LEFT, blocks)));
    return sum_of(sum_of(along_u, along_v), sum_of(rising, falling));
}

/* ---- all forces ---------------------------------------------------------------------------------
 */

__attribute__((always_inline)) static inline v3
bend_at(const force_row *f, const window_row *w, ptrdiff_t k, texel_weights t, force_kind kind) {
    if (kind == FORCE_PLAIN) {
        return bend_plain(kept_v3(w->here, KEPT_BENT, k), kept_v3(w->here, KEPT_BENT, k - 1),
                          kept_v3(w->here, KEPT_BENT, k + 1), kept_v3(w->below, KEPT_BENT, k),
                          kept_v3(w->above, KEPT_BENT, k));
    }
    const bent_field bent = {f->ahead, f->ahead, 0.0f, BENT_ALREADY};
    return bending_at(bent, f->coverage, k, f->up, t.u, t.v);
}

/* The unbalanced force of a texel on which springs act with `springs`. A factor of 0 or 1 stands
 * where one would choose, for a compiler that is left a choice does not use vectors. */
__attribute__((always_inline)) static inline v3 balance_at(const force_row *f, const window_row *w,
                                                           ptrdiff_t k, texel_weights t, v3 springs,
                                                           force_kind kind) {
    v3 bend = bend_at(f, w, k, t, kind);
    float rate = f->inertia[k], free = (float)(rate > 0.0f);
    v3 way =
        v3_madd(v3_sub(field_at(f->start, k), x_near(w, k, 0, 0)), field_at(f->v, k), f->substep);
    v3 r = v3_add(inertia_force(way, rate), v3_madd(springs, bend, -f->bend));
    return v3_scale(r, free);
}

/* The force, and the block that divides it. Bending's bound on a texel, the sum over its row of the
 * matrix, is at most BEND_ROW times the share of its cells that is cloth, as its mass is: taken in
 * proportion to that, all texels of a sheet that falls freely move alike. */
__attribute__((always_inline)) static inline spring_sum force_at(const force_row *f,
                                                                 const window_row *w, ptrdiff_t k,
                                                                 springs_up next, force_kind kind,
                                                                 bool blocks) {
    const texel_weights t = weights_at(f, k, kind);
    spring_sum springs = springs_at(f, w, k, t.u, next, kind, blocks);
    float rate = f->inertia[k], free = (float)(rate > 0.0f);
    float own = (rate + (1.0f - free) * f->held) * f->inert + 2.0f * springs.across;
    return (spring_sum){balance_at(f, w, k, t, springs.force, kind),
                        v3_madd(v3_make(own, own, own), springs.diagonal, 2.0f),
                        v3_scale(springs.sides, 2.0f), springs.across};
}

/* ---- rows ---------------------------------------------------------------------------------------
 */

/* Something that is done with the forces of a part of a row, from its first texel on, which is at
 * `first` of planes. */
typedef void force_part(const pass_args *args, const force_row *f, const window_row *w,
                        size_t first, int columns);

/* Three of them, one for each kind, from a function that is inlined. They are not, and get pointers
 * to their first texel: where a compiler sees how it was found, it takes a register for each of its
 * neighbours. */
#define FORCE_PART(part, name, kind)                                                               \
    __attribute__((noinline)) static void part##_##name(const pass_args *args, const force_row *f, \
                                                        const window_row *w, size_t first,         \
                                                        int columns) {                             \
        part(args, f, w, first, columns, kind);                                                    \
    }
#define FORCE_PARTS(part)                                                                          \
    FORCE_PART(part, any, FORCE_ANY)                                                               \
    FORCE_PART(part, plain, FORCE_PLAIN)                                                           \
    FORCE_PART(part, bound, FORCE_BOUND)                                                           \
    static force_part *const part##_kinds[] = {part##_any, part##_plain, part##_bound};

/* Some columns of a window, which are of one kind. */
typedef struct force_columns {
    const pass_args *args;
    window *w;
    cycle_plane ahead;
    int row;
} force_columns;

static inline void over_part(const force_columns *at, force_part *part, int begin, int end) {
    if (begin < end) {
        const int column = at->w->begin + begin;
        const force_row f = force_row_at(at->args, column, at->row, at->ahead);
        const window_row rows = window_row_at(at->w, begin, at->row);
        part(at->args, &f, &rows, grid_index(&at->args->state->grid, column, at->row), end - begin);
    }
}

/* All columns of a window. */
static inline void over_parts(const force_columns *at, force_part *const parts[]) {
    const int columns = at->w->end - at->w->begin;
    const part_range plain =
        part_range_in(&at->args->cycle->row_plain[2 * at->row], at->w->begin, at->w->end);
    if (at->args->cycle->tables->row_bound[at->row]) {
        over_part(at, parts[FORCE_BOUND], 0, columns);
    } else {
        over_part(at, parts[FORCE_ANY], 0, plain.begin);
        over_part(at, parts[FORCE_PLAIN], plain.begin, plain.end);
        over_part(at, parts[FORCE_ANY], plain.end, columns);
    }
}

/* Forces alone. */
__attribute__((always_inline)) static inline void
residual_part(const pass_args *args, const force_row *row, const window_row *rows, size_t first,
              int columns, force_kind kind) {
    const force_row f = *row;
    const window_row w = *rows;
    const cycle_planes *out = &args->cycle->levels[0].at;
    float *restrict rx = out->rx + first, *restrict ry = out->ry + first,
                    *restrict rz = out->rz + first;
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        const springs_up next = springs_up_at(&f, &w, i, kind);
        v3 r = force_at(&f, &w, i, next, kind, false).force;
        rx[i] = r.x;
        ry[i] = r.y;
        rz[i] = r.z;
        keep_springs(w.here, i, next, false);
    }
}
FORCE_PARTS(residual_part)

/* What a row leaves to the next, of columns whose forces are not asked for. */
__attribute__((always_inline)) static inline void prepare_springs(const force_row *f,
                                                                  const window_row *w, int columns,
                                                                  force_kind kind, bool blocks) {
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        keep_springs(w->here, i, springs_up_at(f, w, i, kind), blocks);
    }
}

__attribute__((always_inline)) static inline void prepare_part(const pass_args *args,
                                                               const force_row *f,
                                                               const window_row *w, size_t first,
                                                               int columns, force_kind kind) {
    (void)args, (void)first;
    prepare_springs(f, w, columns, kind, false);
}
FORCE_PARTS(prepare_part)

/* A pass over forces. */
typedef struct force_pass {
    level_plane x;
    cycle_plane ahead;
    bool normals;                         /* are they asked for, too? */
    force_part *const *prepare;           /* what a row leaves to the next */
    void (*row)(const force_columns *at); /* that, and what else is to be done */
} force_pass;

static inline window_source source_of(const pass_args *args, const force_pass *todo) {
    const size_t first = grid_index(&args->state->grid, 0, 0);
    float *const *l = args->hierarchy->levels[0].at.plane;
    const cycle_planes *c = &args->cycle->levels[0].at;
    float *const *b = c->plane + todo->ahead;
    return (window_source){.x = field_from(l[todo->x], l[todo->x + 1], l[todo->x + 2], first),
                           .ahead = field_from(b[0], b[1], b[2], first),
                           .normal = field_from(c->sx, c->sy, c->sz, first),
                           .normals = todo->normals,
                           .up = args->state->grid.stride};
}

static inline void prepare_columns(const force_columns *at, const force_pass *todo, int begin,
                                   int end) {
    bool bound = at->args->cycle->tables->row_bound[at->row] != 0;
    over_part(at, todo->prepare[bound ? FORCE_BOUND : FORCE_ANY], begin, end);
}

/* All rows of a thread, in a window. */
static inline void over_window(const pass_args *args, const force_pass *todo, window *w,
                               int row_begin, int row_end) {
    const window_source from = source_of(args, todo);
    const int left = w->begin > 0 ? -1 : 0, columns = w->end - w->begin;
    const int right = w->end < row_floats(&args->state->grid) ? columns + 1 : columns;
    force_columns at = {args, w, todo->ahead, row_begin - 1};
    window_clear(w, row_begin);
    window_enter(w, &from, row_begin - 1);
    window_enter(w, &from, row_begin);
    if (row_begin > 0) { /* another thread has that row */
        prepare_columns(&at, todo, left, right);
    }
    for (at.row = row_begin; at.row < row_end; at.row++) {
        window_enter(w, &from, at.row + 1);
        prepare_columns(&at, todo, left, 0);
        prepare_columns(&at, todo, columns, right);
        todo->row(&at);
    }
}

static inline void over_rows(const pass_args *args, const force_pass *todo, int row_begin,
                             int row_end) {
    const int columns = row_floats(&args->state->grid);
    window w;
    for (w.begin = 0; w.begin < columns; w.begin += WINDOW_COLUMNS) {
        w.end = w.begin + WINDOW_COLUMNS < columns ? w.begin + WINDOW_COLUMNS : columns;
        over_window(args, todo, &w, row_begin, row_end);
    }
}

#endif
