/* Texels that bodies hold, on all grids of a cycle.
 *
 * A held texel of the finest grid moves along the surface alone, and what coarse grids add to it is
 * cut down to that. The threads beside it resist the cut, of which the coarse matrices know
 * nothing; without more, their corrections are too long, and cloth that lands on its edge is thrown
 * into the air. The basis functions of the coarse grids, cut where texels are held, have a matrix
 * that is larger than theirs by about the diagonal of the held texels (Kornhuber 1994, "Monotone
 * multigrid methods for elliptic variational inequalities", computes it anew). So each held texel
 * adds its diagonal to the coarse ones that it follows, by the weights of the prolongation, along
 * its normal. Holding coarse texels altogether if they touch a held one (Mandel 1984) is stable
 * too, but leaves the cloth around a contact to the finest grid. */
#include "cpu/held.h"
#include <string.h>

#include "cpu/couplings.h"
#include "kernel/cycle.h"
#include "kernel/implicit.h"

void CPU_FN(hold_row)(const cycle_level *l, int row, cycle_plane from) {
    if (!l->row_held[row]) {
        return;
    }
    size_t first = grid_index(&l->matrix->grid, 0, row);
    const field normal = field_from(l->at.nx, l->at.ny, l->at.nz, first);
    const float *restrict hold = l->at.hold + first;
    float *restrict x = l->at.plane[from] + first, *restrict y = l->at.plane[from + 1] + first,
                    *restrict z = l->at.plane[from + 2] + first;
    const int columns = row_floats(&l->matrix->grid);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        v3 e = grip_part(v3_make(x[i], y[i], z[i]), field_at(normal, i), hold[i]);
        x[i] = e.x;
        y[i] = e.y;
        z[i] = e.z;
    }
}

void CPU_FN(land_row)(const cycle_level *finest, int row, cycle_plane from) {
    if (!finest->row_held[row]) {
        return;
    }
    const cycle_planes *c = &finest->at;
    size_t first = grid_index(&finest->matrix->grid, 0, row);
    const field normal = field_from(c->nx, c->ny, c->nz, first);
    const float *restrict hold = c->hold + first, *restrict gap = c->gap + first;
    float *restrict x = c->plane[from] + first, *restrict y = c->plane[from + 1] + first,
                    *restrict z = c->plane[from + 2] + first;
    const int columns = row_floats(&finest->matrix->grid);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        v3 e = grip_move(v3_make(x[i], y[i], z[i]), field_at(normal, i), gap[i], hold[i]);
        x[i] = e.x;
        y[i] = e.y;
        z[i] = e.z;
    }
}

/* ---- coarse grids -------------------------------------------------------------------------------
 */

static void hold_coarse(const cycle_level *l, const cycle_level *finer, size_t k, size_t below,
                        bool finest) {
    const ptrdiff_t up = finer->matrix->grid.stride;
    v3 sum = {0.0f, 0.0f, 0.0f};
    float total = 0.0f;
    for (int n = 0; n < 9; n++) {
        int across = n % 3 - 1, along = n / 3 - 1;
        size_t f = below + (size_t)(across + along * up);
        float hold = finer->at.hold[f];
        if (hold != 0.0f) {
            float stiffness = grip_stiffness(hold, finer->matrix->plane[MATRIX_INVERSE][f], finest);
            float w = cycle_weight(across, along) * k_abs(stiffness);
            v3 normal = v3_make(finer->at.nx[f], finer->at.ny[f], finer->at.nz[f]);
            total += w;
            sum = v3_madd(sum, normal, hold < 0.0f ? 0.0f : w);
        }
    }
    v4 coarse = grip_coarse(sum, total);
    l->at.nx[k] = coarse.x;
    l->at.ny[k] = coarse.y;
    l->at.nz[k] = coarse.z;
    l->at.hold[k] = coarse.w;
}

void CPU_FN(hold_coarse_row)(const cycle_level *l, const cycle_level *finer, int row, bool finest) {
    bool held = false;
    for (int r = 2 * row - 1; r <= 2 * row + 1; r++) {
        held |= r >= 0 && r < finer->matrix->grid.rows && finer->row_held[r];
    }
    size_t first = grid_index(&l->matrix->grid, 0, row);
    if (held) {
        size_t below = grid_index(&finer->matrix->grid, 0, 2 * row);
        for (size_t i = 0; i < (size_t)l->matrix->grid.columns; i++) {
            hold_coarse(l, finer, first + i, below + 2 * i, finest);
        }
    } else if (l->row_held[row]) {
        memset(l->at.hold + first, 0, (size_t)row_floats(&l->matrix->grid) * sizeof(float));
    }
    l->row_held[row] = held;
}

void CPU_FN(sweep_held_row)(const cycle_level *l, int row, cycle_plane from, cycle_plane to,
                            float kept) {
    if (!l->row_held[row]) {
        return;
    }
    size_t first = grid_index(&l->matrix->grid, 0, row);
    const field normal = field_from(l->at.nx, l->at.ny, l->at.nz, first);
    const field e =
        field_from(l->at.plane[from], l->at.plane[from + 1], l->at.plane[from + 2], first);
    const float *restrict hold = l->at.hold + first, *restrict inverse =
                                                         l->matrix->plane[MATRIX_INVERSE] + first;
    float *restrict x = l->at.plane[to] + first, *restrict y = l->at.plane[to + 1] + first,
                    *restrict z = l->at.plane[to + 2] + first;
    const int columns = row_floats(&l->matrix->grid);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        v3 s = grip_sweep(v3_make(x[i], y[i], z[i]), field_at(e, i), kept, field_at(normal, i),
                          hold[i], inverse[i]);
        x[i] = s.x;
        y[i] = s.y;
        z[i] = s.z;
    }
}

/* ---- the coarsest grid --------------------------------------------------------------------------
 */

/* Conjugate gradients among what bodies allow stand for the matrix's inverse. */

typedef enum held_vector { HELD_RESIDUAL, HELD_WAY, HELD_IMAGE } held_vector;

static float *held_plane(const cycle_state *s, held_vector v, int axis) {
    const size_t size = s->levels[s->count - 1].matrix->grid.size;
    return s->held + (size_t)(3 * (int)v + axis) * size;
}

static v3 held_at(const cycle_state *s, held_vector v, size_t k) {
    return v3_make(held_plane(s, v, 0)[k], held_plane(s, v, 1)[k], held_plane(s, v, 2)[k]);
}

static void put_held(const cycle_state *s, held_vector v, size_t k, v3 value) {
    held_plane(s, v, 0)[k] = value.x;
    held_plane(s, v, 1)[k] = value.y;
    held_plane(s, v, 2)[k] = value.z;
}

/* On the finest grid, which is the coarsest of a small cloth, held texels do not move along the
 * normal at all. */
static v3 allowed(const cycle_state *s, const cycle_level *l, size_t k, v3 a) {
    v3 normal = v3_make(l->at.nx[k], l->at.ny[k], l->at.nz[k]);
    return s->count == 1 ? grip_part(a, normal, l->at.hold[k]) : a;
}

/* The residual divided by A's diagonal. */
static v3 scaled(const cycle_state *s, const cycle_level *l, size_t k) {
    v3 none = {0.0f, 0.0f, 0.0f}, normal = v3_make(l->at.nx[k], l->at.ny[k], l->at.nz[k]);
    float inverse = l->matrix->plane[MATRIX_INVERSE][k];
    v3 e = v3_scale(held_at(s, HELD_RESIDUAL, k), inverse);
    return s->count == 1 ? e : grip_sweep(e, none, 0.0f, normal, l->at.hold[k], inverse);
}

/* The image of the way; returns its product with the way. */
static double image_of_way(const cycle_state *s, const cycle_level *l) {
    const grid *g = &l->matrix->grid;
    double sum = 0.0;
    for (int row = 0; row < g->rows; row++) {
        const size_t first = grid_index(g, 0, row);
        const coupling_row c = couplings(l->matrix, first);
        for (int column = 0; column < g->columns; column++) {
            size_t k = first + (size_t)column;
            float inverse = l->matrix->plane[MATRIX_INVERSE][k];
            float own = inverse > 0.0f ? 1.0f / inverse : 0.0f;
            v3 way = held_at(s, HELD_WAY, k);
            v3 near = v3_make(around(c, held_plane(s, HELD_WAY, 0) + first, column, g->stride),
                              around(c, held_plane(s, HELD_WAY, 1) + first, column, g->stride),
                              around(c, held_plane(s, HELD_WAY, 2) + first, column, g->stride));
            v3 image = v3_sub(v3_scale(way, own), near);
            if (s->count > 1) {
                v3 normal = v3_make(l->at.nx[k], l->at.ny[k], l->at.nz[k]);
                image = v3_add(image, grip_pull(way, normal, l->at.hold[k]));
            }
            image = allowed(s, l, k, image);
            put_held(s, HELD_IMAGE, k, image);
            sum += (double)v3_dot(way, image);
        }
    }
    return sum;
}

/* From nothing, or on the finest grid, which is the coarsest of a small cloth, from where bodies
 * push texels to: that is the first way, and it is gone. */
static void begin_held(const cycle_state *s, const cycle_level *l) {
    const grid *g = &l->matrix->grid;
    const v3 none = {0.0f, 0.0f, 0.0f};
    for (int row = 0; row < g->rows; row++) {
        for (int column = 0; column < g->columns; column++) {
            size_t k = grid_index(g, column, row);
            v3 normal = v3_make(l->at.nx[k], l->at.ny[k], l->at.nz[k]);
            v3 pushed = s->count == 1 ? grip_move(none, normal, l->at.gap[k], l->at.hold[k]) : none;
            put_held(s, HELD_WAY, k, pushed);
            l->at.ex[k] = l->at.ey[k] = l->at.ez[k] = 0.0f;
            put_held(s, HELD_RESIDUAL, k,
                     allowed(s, l, k, v3_make(l->at.rx[k], l->at.ry[k], l->at.rz[k])));
        }
    }
    image_of_way(s, l);
}

/* Goes that far; returns what is left. */
static double go_held(const cycle_state *s, const cycle_level *l, float far) {
    const grid *g = &l->matrix->grid;
    double sum = 0.0;
    for (int row = 0; row < g->rows; row++) {
        for (int column = 0; column < g->columns; column++) {
            size_t k = grid_index(g, column, row);
            v3 way = held_at(s, HELD_WAY, k);
            l->at.ex[k] += far * way.x;
            l->at.ey[k] += far * way.y;
            l->at.ez[k] += far * way.z;
            v3 r = v3_madd(held_at(s, HELD_RESIDUAL, k), held_at(s, HELD_IMAGE, k), -far);
            put_held(s, HELD_RESIDUAL, k, r);
            sum += (double)v3_dot(r, scaled(s, l, k));
        }
    }
    return sum;
}

static void turn_held(const cycle_state *s, const cycle_level *l, float keep) {
    const grid *g = &l->matrix->grid;
    for (int row = 0; row < g->rows; row++) {
        for (int column = 0; column < g->columns; column++) {
            size_t k = grid_index(g, column, row);
            put_held(s, HELD_WAY, k, v3_madd(scaled(s, l, k), held_at(s, HELD_WAY, k), keep));
        }
    }
}

bool CPU_FN(is_held)(const cycle_level *l) {
    bool held = false;
    for (int row = 0; row < l->matrix->grid.rows; row++) {
        held |= l->row_held[row] != 0;
    }
    return held;
}

void CPU_FN(solve_held)(const cycle_state *s) {
    const cycle_level *l = &s->levels[s->count - 1];
    begin_held(s, l);
    double left = go_held(s, l, 1.0f);
    const double enough = HELD_ENOUGH * left;
    turn_held(s, l, 0.0f);
    for (int i = 0; i < HELD_MOST && left > enough; i++) {
        double bent = image_of_way(s, l);
        if (!(bent > 0.0)) {
            return;
        }
        double next = go_held(s, l, (float)(left / bent));
        turn_held(s, l, (float)(next / left));
        left = next;
    }
}
