/* Newton's method on the finest level: springs, unbalanced forces and the blocks that go with them,
 * the move of each texel by itself, and the end of an iteration. */
#include <string.h>

#include "cpu/newton_row.h"
#include "kernel/link.h"

/* Planes of a cloth, and where a row begins in them. */
static size_t own_place(const newton_args *args, const system_row *row) {
    return row->at - args->state->level[0].table->panels[row->panel].first;
}

static rows3 positions(const newton_args *args, const system_row *row) {
    return rows3_at(&args->panels[row->panel].hierarchy->levels[0].at.plane[LEVEL_x],
                    own_place(args, row));
}

/* ---- the start of a substep ---------------------------------------------------------------------
 */

static void inertia_row(const newton_args *args, const system_row *row) {
    const pass_args *own = &args->panels[row->panel];
    const float *restrict w = own->state->at.inverse_mass + own_place(args, row);
    float *restrict inertia = args->state->level[0].plane[EQ_inertia] + row->at;
    const float rate = 1.0f / (own->plan->substep * own->plan->substep);
    const int floats = row->floats;
#pragma omp simd
    for (int i = 0; i < floats; i++) {
        inertia[i] = solve_inertia(w[i], rate);
    }
}

/* Positions in place of a move. */
static system_view view_of(const newton_args *args, const system_row *row, rows3 x) {
    const newton_level *l = &args->state->level[0];
    system_view v = {.move = {x.x, x.y, x.z}, .inertia = l->plane[EQ_inertia] + row->at};
    for (int p = 0; p < 16; p++) {
        v.planes[p] = l->plane[EQ_springs + p] + row->at;
    }
    for (int w = 0; w < SYSTEM_WEIGHTS; w++) {
        v.bend[w] = l->table->weights[w] + row->at;
    }
    return v;
}

/* Bending is damped as if texels were ahead by its retardation, x + lag (x - start). */
void CPU_FN(newton_start)(const newton_args *args, int row_begin, int row_end) {
    const newton_level *l = &args->state->level[0];
    for (int j = row_begin; j < row_end; j++) {
        const system_row *row = &l->table->row[j];
        const pass_args *own = &args->panels[row->panel];
        const system_view view =
            view_of(args, row, rows3_at(&own->state->at.plane[PLANE_x], own_place(args, row)));
        bend_columns(&view, 0, row->up, 0, row->floats, scratch3(args, ROW_OUT));
        inertia_row(args, row);
        l->row_inertia[j] = row_sum(l->plane[EQ_inertia] + row->at, row->floats);
        CPU_FN(newton_self_list)(args, row);
        for (int axis = 0; axis < 3; axis++) {
            const float *restrict bent = scratch_at(args, ROW_OUT + axis);
            float *restrict lag = l->plane[EQ_lag + axis] + row->at;
            const float much = own->params->bend_lag;
            const int floats = row->floats;
#pragma omp simd
            for (int i = 0; i < floats; i++) {
                lag[i] = much * bent[i];
            }
        }
    }
}

/* ---- springs ------------------------------------------------------------------------------------
 */

typedef struct spring_loads {
    rows3 x;
    const float *restrict coverage;
    ptrdiff_t to, cell, other_cell;
} spring_loads;

__attribute__((noinline)) static void springs_of_kind(const spring_loads *given, link_kind kind,
                                                      float *const out[4], int floats) {
    const spring_loads s = *given;
    float *restrict tx = out[0], *restrict ty = out[1], *restrict tz = out[2],
                    *restrict pull = out[3];
#pragma omp simd
    for (int i = 0; i < floats; i++) {
        v3 to = v3_sub(rows3_load(s.x, i + s.to), rows3_load(s.x, i));
        v4 spring = link_spring(kind, to, s.coverage[i + s.cell], s.coverage[i + s.other_cell]);
        tx[i] = spring.x;
        ty[i] = spring.y;
        tz[i] = spring.z;
        pull[i] = spring.w;
    }
}

void CPU_FN(newton_springs)(const newton_args *args, int row_begin, int row_end) {
    const newton_level *l = &args->state->level[0];
    for (int j = row_begin; j < row_end; j++) {
        const system_row *row = &l->table->row[j];
        if (newton_rests(args, row)) {
            continue;
        }
        const pass_args *own = &args->panels[row->panel];
        const cloth_params *p = own->params;
        const link_cloth cloth = {p->spacing,   p->diagonal,  p->longest,
                                  p->stretch_u, p->stretch_v, p->shear};
        const int up = (int)row->up;
        for (int q = 0; q < SYSTEM_LINKS; q++) {
            const spring_loads loads = {.x = positions(args, row),
                                        .coverage = own->state->at.coverage + own_place(args, row),
                                        .to = link_to(q, up),
                                        .cell = link_cell(q),
                                        .other_cell = link_other_cell(q, up)};
            float *out[4];
            for (int k = 0; k < 4; k++) {
                out[k] = l->plane[EQ_springs + 4 * q + k] + row->at;
            }
            springs_of_kind(&loads, link_of(q, cloth), out, row->floats);
        }
    }
}

/* ---- forces -------------------------------------------------------------------------------------
 */

typedef struct force_terms {
    rows3 start, v, lag, bent;
    float substep, bend, retardation;
} force_terms;

__attribute__((noinline)) static void force_part(const system_view *given, const force_terms *terms,
                                                 ptrdiff_t up, int floats, rows3 out) {
    const system_view view = *given;
    const force_terms t = *terms;
#pragma omp simd
    for (int i = 0; i < floats; i++) {
        float rate = view.inertia[i];
        v3 way = v3_madd(v3_sub(rows3_load(t.start, i), load_move(&view, i)), rows3_load(t.v, i),
                         t.substep);
        rows3_store(out, i,
                    solve_force(system_tensions(&view, i, up), rows3_load(t.bent, i),
                                rows3_load(t.lag, i), t.bend, t.retardation, way, rate));
    }
}

__attribute__((noinline)) static void own_part(const system_view *given, ptrdiff_t up, int floats,
                                               rows6 out) {
    const system_view view = *given;
#pragma omp simd
    for (int i = 0; i < floats; i++) {
        rows6_store(out, i, system_own(&view, i, up));
    }
}

/* Inverses, with what bending adds; none for texels that are absent or pinned. */
__attribute__((noinline)) static void inverse_part(rows6 own, const float *restrict inertia,
                                                   float bend, column_range columns, rows6 out) {
#pragma omp simd
    for (int i = columns.begin; i < columns.end; i++) {
        rows6_store(out, i, solve_inverse(rows6_load(own, i), bend, inertia[i] > 0.0f));
    }
}

static void invert_row(const newton_args *args, const system_row *row, column_range columns) {
    const newton_level *l = &args->state->level[0];
    inverse_part(rows6_at(&l->plane[EQ_own], row->at), l->plane[EQ_inertia] + row->at,
                 newton_bend(args, row->panel), columns, rows6_at(&l->plane[EQ_inverse], row->at));
    CPU_FN(newton_couple_inverses)(args, row);
}

static void force_row(const newton_args *args, const system_row *row) {
    const newton_level *l = &args->state->level[0];
    const pass_args *own = &args->panels[row->panel];
    const size_t place = own_place(args, row);
    const system_view view = view_of(args, row, positions(args, row));
    const rows3 r = rows3_at(&l->plane[EQ_residual], row->at);
    const force_terms terms = {.start = rows3_at(&own->state->at.plane[PLANE_x], place),
                               .v = rows3_at(&own->state->at.plane[PLANE_vx], place),
                               .lag = rows3_at(&l->plane[EQ_lag], row->at),
                               .bent = scratch3(args, ROW_OUT),
                               .substep = own->plan->substep,
                               .bend = own->params->bend,
                               .retardation = own->params->bend_lag};
    bend_columns(&view, 0, row->up, 0, row->floats, terms.bent);
    force_part(&view, &terms, row->up, row->floats, r);
    own_part(&view, row->up, row->floats, rows6_at(&l->plane[EQ_own], row->at));
    invert_row(args, row, (column_range){0, row->floats});
    CPU_FN(newton_couple_forces)(args, row);
    CPU_FN(newton_contact)(args, row);
    if (newton_touched(args, row).end > 0) {
        invert_row(args, row, newton_touched(args, row));
    }
    first_sweep(l, row);
    for (int axis = 0; axis < 3; axis++) {
        memset(l->plane[EQ_move + axis] + row->at, 0, (size_t)row->floats * sizeof(float));
    }
}

/* Twice the kinetic energy of what a row has moved in the substep, and its momentum, over the
 * substep. */
static double motion_of_row(const newton_args *args, const system_row *row, double momentum[3]) {
    const rows3 x = positions(args, row);
    const rows3 start =
        rows3_at(&args->panels[row->panel].state->at.plane[PLANE_x], own_place(args, row));
    const float *restrict inertia = args->state->level[0].plane[EQ_inertia] + row->at;
    float lanes[GRID_VECTOR] = {0.0f}, along[3][GRID_VECTOR] = {{0.0f}};
    for (int vector = 0; vector < row->floats; vector += GRID_VECTOR) {
#pragma omp simd
        for (int lane = 0; lane < GRID_VECTOR; lane++) {
            v3 way = v3_sub(rows3_load(x, vector + lane), rows3_load(start, vector + lane));
            lanes[lane] += inertia[vector + lane] * v3_dot(way, way);
            along[0][lane] += inertia[vector + lane] * way.x;
            along[1][lane] += inertia[vector + lane] * way.y;
            along[2][lane] += inertia[vector + lane] * way.z;
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        momentum[axis] = lanes_sum(along[axis]);
    }
    return lanes_sum(lanes);
}

/* The block of a move that all texels make alike: springs and bending do not feel it. */
static void sum_row(const newton_args *args, const system_row *row, int index) {
    const newton_level *l = &args->state->level[0];
    double *sums = l->row_sums + SUMS * index + SUM_BLOCK;
    const double inertia = row_sum(l->plane[EQ_inertia] + row->at, row->floats);
    const column_range touched = newton_touched(args, row);
    for (int k = 0; k < 6; k++) {
        const float *pressed = l->plane[EQ_contact + k] + row->at + touched.begin;
        sums[k] = row_sum(pressed, touched.end - touched.begin) + (k < 3 ? inertia : 0.0);
    }
}

void CPU_FN(newton_forces)(const newton_args *args, int row_begin, int row_end) {
    const newton_level *l = &args->state->level[0];
    CPU_FN(newton_couple_places)(args);
    for (int j = row_begin; j < row_end; j++) {
        const system_row *row = &l->table->row[j];
        if (newton_rests(args, row)) {
            continue;
        }
        force_row(args, row);
        l->row_motion[j] = motion_of_row(args, row, l->row_sums + SUMS * j + SUM_WAY);
        if (newton_is_loose(args, row->panel)) {
            sum_row(args, row, j);
        }
        if (CPU_FN(newton_self_has)(args, row)) { /* a move of the whole cloth does not feel it */
            CPU_FN(newton_self_forces)(args, row);
            invert_row(args, row, (column_range){0, row->floats});
            first_sweep(l, row);
        }
    }
}

/* ---- moves --------------------------------------------------------------------------------------
 */

/* Contacts of cloth with cloth, within bounds. */
void CPU_FN(newton_meet)(const newton_args *args, int row_begin, int row_end) {
    const newton_level *l = &args->state->level[0];
    for (int j = row_begin; j < row_end; j++) {
        const system_row *row = &l->table->row[j];
        if (!newton_rests(args, row) && CPU_FN(newton_meet_forces)(args, row)) {
            CPU_FN(newton_meet_inverses)(args, row);
            CPU_FN(newton_couple_inverses)(args, row);
            first_sweep(l, row);
        }
    }
}

void CPU_FN(newton_local)(const newton_args *args, int row_begin, int row_end) {
    const newton_level *l = &args->state->level[0];
    for (int j = row_begin; j < row_end; j++) {
        const system_row *row = &l->table->row[j];
        const rows3 x = positions(args, row), z = rows3_at(&l->plane[EQ_guess], row->at);
        const int floats = row->floats;
#pragma omp simd
        for (int i = 0; i < floats; i++) {
            rows3_store(x, i, solve_local(rows3_load(x, i), rows3_load(z, i)));
        }
    }
}

/* Returns the longest, squared. */
static float move_row(const newton_args *args, const system_row *row) {
    const rows3 x = positions(args, row);
    const rows3 d = rows3_at(&args->state->level[0].plane[EQ_move], row->at);
    const float *restrict inertia = args->state->level[0].plane[EQ_inertia] + row->at;
    const v3 shift = newton_part_of(args, row->panel)->shift;
    float most[GRID_VECTOR] = {0.0f}, longest = 0.0f;
    for (int vector = 0; vector < row->floats; vector += GRID_VECTOR) {
#pragma omp simd
        for (int lane = 0; lane < GRID_VECTOR; lane++) {
            float free = k_select(inertia[vector + lane] > 0.0f, 1.0f, 0.0f);
            v3 move = v3_madd(rows3_load(d, vector + lane), shift, free);
            v3 place = v3_add(rows3_load(x, vector + lane), move);
            rows3_store(d, vector + lane, move);
            rows3_store(x, vector + lane, place);
            most[lane] = k_max(most[lane], solve_moved(place, move));
        }
    }
    for (int lane = 0; lane < GRID_VECTOR; lane++) {
        longest = k_max(longest, most[lane]);
    }
    return longest;
}

void CPU_FN(newton_move)(const newton_args *args, int row_begin, int row_end) {
    const newton_level *l = &args->state->level[0];
    for (int j = row_begin; j < row_end; j++) {
        const system_row *row = &l->table->row[j];
        if (!newton_rests(args, row)) {
            l->row_moved[j] = k_sqrt(move_row(args, row));
        }
    }
}

void CPU_FN(newton_pressed)(const newton_args *args, int row_begin, int row_end) {
    for (int j = row_begin; j < row_end; j++) {
        const system_row *row = &args->state->level[0].table->row[j];
        if (!newton_rests(args, row)) {
            CPU_FN(newton_press)(args, row);
        }
    }
}

void CPU_FN(newton_end)(const newton_args *args, int row_begin, int row_end) {
    for (int j = row_begin; j < row_end; j++) {
        CPU_FN(newton_rub)(args, &args->state->level[0].table->row[j]);
    }
}
