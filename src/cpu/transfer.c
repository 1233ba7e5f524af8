/* Between the levels: Schmitt 2013 section 5.3. Changes come up by bilinear interpolation.
 *
 * Positions go down as means with the same weights. The paper picks every second texel instead. A
 * texel that trembles then makes its coarse edges pull, and a whole patch of cloth is moved to cure
 * what only one texel had: energy from nowhere, and cloth that never came to rest with three levels
 * or more. With means the momentum that the coarse level sees is that of the patch, and what it
 * takes from it, it has. Picking texels along the border alone was enough to keep a draped cloth
 * trembling: the speed of a light hem was taken for that of all the cloth beside it.
 *
 * Multipliers go along. A coarse thread stands for a strip of twice the width, so it pulls twice as
 * hard as a fine one in the same cloth: half of what it has changed is added to those it covers.
 * The finer level then finds edges that are already in balance (C = -a L) and leaves them alone;
 * without this it would start from L = 0 and pull a second time, and soft cloth would be stiffer
 * the more levels there are. This is so only where the fine edges have taken on the strain of the
 * coarse one. At a border they have not: representatives stand aside, weights are not the usual
 * ones, strips are narrower. A multiplier without its strain makes edges push, the light texels of
 * a border run away from it, and a flat panel at rest tore itself off a sphere within 20 frames.
 * So multipliers go along only in those cells whose corners are all in their middle. */
#include <string.h>

#include "cpu/passes.h"
#include "kernel/bend.h"
#include "kernel/transfer.h"

/* The steps from the first of the two finer edges below a coarse one to the second. */
static ptrdiff_t step_along(level_edge kind, ptrdiff_t up) {
    return kind == EDGE_U ? 1 : kind == EDGE_V ? up : kind == EDGE_RISING ? up + 1 : up - 1;
}

/* In the first cycle of a substep all multipliers are zero. In later ones a coarse thread has twice
 * the mean of the two that it stands for, so that it finds the same balance as they: its C is their
 * sum. One of the two alone was tried. What it trembled by was taken for a pull of the whole
 * thread, and four cycles or more tore a cloth apart that lay at rest. */
static void restrict_multipliers(const pass_args *args, level_edge kind, int row) {
    const level_state *fine = &args->hierarchy->levels[args->level - 1],
                      *coarse = &args->hierarchy->levels[args->level];
    const grid *below = &fine->table->grid;
    const int columns = coarse->table->grid.columns;
    const size_t first = grid_index(&coarse->table->grid, 0, row);
    float *restrict out = coarse->at.plane[LEVEL_lu + (int)kind] + first;
    float *restrict before = coarse->at.plane[LEVEL_bu + (int)kind] + first;
    if (!args->again || 2 * row >= below->rows) {
        memset(out, 0, (size_t)columns * sizeof *out);
        memset(before, 0, (size_t)columns * sizeof *before);
        return;
    }
    const int column = kind == EDGE_FALLING ? 1 : 0; /* a falling diagonal starts on the right */
    const float *restrict one =
        fine->at.plane[LEVEL_lu + (int)kind] + grid_index(below, column, 2 * row);
    const float *restrict other = one + step_along(kind, below->stride);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        out[i] = before[i] = one[2 * i] + other[2 * i];
    }
}

/* The means of 3 x 3 texels of a finer row and those beside it. */
static void restrict_means(const float *restrict x, ptrdiff_t up, const float *restrict mean,
                           float *restrict out, int columns) {
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        const float *restrict c = x + 2 * i;
        float below = transfer_row(c[-up - 1], c[-up], c[-up + 1]);
        float above = transfer_row(c[up - 1], c[up], c[up + 1]);
        float all = transfer_mean(below, transfer_row(c[-1], c[0], c[1]), above);
        out[i] = k_select(mean[i] > 0.0f, all, out[i]);
    }
}

/* One plane of a coarse row, from that of the finer level. */
static void restrict_plane(const pass_args *args, int row, const float *restrict finer,
                           float *restrict out) {
    const level *table = args->hierarchy->levels[args->level].table,
                *below = args->hierarchy->levels[args->level - 1].table;
    const grid *g = &table->grid;
    if (2 * row < below->grid.rows) {
        restrict_means(finer + grid_index(&below->grid, 0, 2 * row), below->grid.stride,
                       table->mean + grid_index(g, 0, row), out, grid_floats(g));
    }
    const uint32_t begin = table->part_rows[row], end = table->part_rows[row + 1];
    for (uint32_t p = begin; p < end; p++) {
        out[table->parts[p].column] = 0.0f;
    }
    for (uint32_t p = begin; p < end; p++) {
        out[table->parts[p].column] += table->parts[p].weight * finer[table->parts[p].texel];
    }
}

/* The level's share of bending (kernel/bend.h). A mean by mass of what forces do is what they do to
 * the coarse texel. */
static void bend_plane(const pass_args *args, const float *restrict inverse_mass,
                       const float *restrict push, float *restrict out) {
    const float stiff = args->params->bend_stiff[args->level],
                taken = args->params->bend_taken[args->level];
    const int columns = grid_floats(&args->hierarchy->levels[args->level].table->grid);
#pragma omp simd
    for (int i = 0; i < columns; i++) {
        float change = taken * bend_share(stiff, inverse_mass[i]) * push[i];
        out[i] += k_select(inverse_mass[i] > 0.0f, change, 0.0f);
    }
}

static void restrict_row(const pass_args *args, int row) {
    const level_state *fine = &args->hierarchy->levels[args->level - 1],
                      *coarse = &args->hierarchy->levels[args->level];
    const grid *g = &coarse->table->grid;
    const size_t first = grid_index(g, 0, row), bytes = (size_t)g->columns * sizeof(float);
    const bool bends = !args->again && args->params->bend_taken[args->level] > 0.0f;
    for (int axis = 0; axis < 3; axis++) {
        float *out = coarse->at.plane[LEVEL_x + axis] + first;
        restrict_plane(args, row, fine->at.plane[LEVEL_x + axis], out);
        memcpy(coarse->at.plane[LEVEL_bx + axis] + first, out, bytes);
        if (bends) {
            float *push = coarse->at.plane[LEVEL_ox + axis] + first;
            restrict_plane(args, row, fine->at.plane[LEVEL_ox + axis], push);
            bend_plane(args, coarse->inverse_mass + first, push, out);
        }
    }
    memset(coarse->at.push + first, 0, bytes);
    for (int e = 0; e < EDGE_KINDS; e++) {
        restrict_multipliers(args, (level_edge)e, row);
    }
}

void CPU_FN(restrict_rows)(const pass_args *args, int row_begin, int row_end) {
    for (int row = row_begin; row < row_end; row++) {
        restrict_row(args, row);
    }
}

/* A plane of the coarse level at one or two of its rows, and what it was. */
typedef struct change_row {
    const float *restrict now[2], *restrict before[2];
} change_row;

static change_row change_of(const level_state *coarse, level_plane now, level_plane before, int row,
                            bool between) {
    size_t low = grid_index(&coarse->table->grid, 0, row);
    size_t high = between ? low + (size_t)coarse->table->grid.stride : low;
    return (change_row){{coarse->at.plane[now] + low, coarse->at.plane[now] + high},
                        {coarse->at.plane[before] + low, coarse->at.plane[before] + high}};
}

static inline float change_at(change_row r, ptrdiff_t i) {
    return transfer_change(r.now[0][i], r.before[0][i], r.now[1][i], r.before[1][i]);
}

/* Adds what positions of a coarse row have changed to a fine one, in odd columns that of both
 * coarse columns beside. */
static inline void add_change(change_row r, float *restrict out, const float *restrict even,
                              int pairs) {
#pragma omp simd
    for (int i = 0; i < pairs; i++) {
        float here = change_at(r, i), next = transfer_between(here, change_at(r, i + 1));
        out[2 * i] += here * even[2 * i];
        out[2 * i + 1] += next * even[2 * i + 1];
    }
}

/* The same for what shapes moved them by, which began at zero. */
static inline void add_push(const float *restrict low, const float *restrict high,
                            float *restrict out, const float *restrict even, int pairs) {
#pragma omp simd
    for (int i = 0; i < pairs; i++) {
        float here = transfer_change(low[i], 0.0f, high[i], 0.0f);
        float beside = transfer_change(low[i + 1], 0.0f, high[i + 1], 0.0f);
        float next = transfer_between(here, beside);
        out[2 * i] += here * even[2 * i];
        out[2 * i + 1] += next * even[2 * i + 1];
    }
}

/* The same for multipliers, where a cell beside the fine edge is regular. Those along v also lie
 * between coarse ones. */
__attribute__((always_inline)) static inline void add_multipliers(change_row r, float *restrict out,
                                                                  const float *restrict coverage,
                                                                  ptrdiff_t beside, int pairs,
                                                                  bool across) {
#pragma omp simd
    for (int i = 0; i < pairs; i++) {
        float here = change_at(r, i), own = k_select(coverage[i] > 0.0f, TRANSFER_MULTIPLIER, 0.0f);
        float either = k_select(coverage[i + beside] > 0.0f, TRANSFER_MULTIPLIER, own);
        float next = across ? transfer_between(here, change_at(r, i + 1)) : here;
        out[2 * i] += either * here;
        out[2 * i + 1] += (across ? own : either) * next;
    }
}

/* Texels that the usual weights do not fit. */
static void add_odd_changes(const level_state *coarse, const level_state *fine, int row) {
    const level *table = coarse->table;
    for (uint32_t o = table->odd_rows[row]; o < table->odd_rows[row + 1]; o++) {
        const level_odd *odd = &table->odd[o];
        for (int axis = 0; axis < 3; axis++) {
            const float *now = coarse->at.plane[LEVEL_x + axis];
            const float *before = coarse->at.plane[LEVEL_bx + axis];
            float sum = 0.0f;
            for (int k = 0; k < 4; k++) {
                sum += odd->weights[k] * (now[odd->coarse[k]] - before[odd->coarse[k]]);
            }
            fine->at.plane[LEVEL_x + axis][odd->texel] += sum;
        }
        for (int k = 0; k < 4; k++) {
            fine->at.push[odd->texel] += odd->weights[k] * coarse->at.push[odd->coarse[k]];
        }
    }
}

static void upsample_row(const pass_args *args, int row) {
    const level_state *fine = &args->hierarchy->levels[args->level],
                      *coarse = &args->hierarchy->levels[args->level + 1];
    const grid *g = &fine->table->grid;
    const size_t first = grid_index(g, 0, row);
    const int pairs = grid_floats(g) / 2, below = row / 2;
    const bool between = row % 2 != 0;
    for (int axis = 0; axis < 3; axis++) {
        change_row change = change_of(coarse, (level_plane)(LEVEL_x + axis),
                                      (level_plane)(LEVEL_bx + axis), below, between);
        add_change(change, fine->at.plane[LEVEL_x + axis] + first, coarse->table->even + first,
                   pairs);
    }
    const grid *wide = &coarse->table->grid;
    const float *push = coarse->at.push + grid_index(wide, 0, below);
    add_push(push, between ? push + wide->stride : push, fine->at.push + first,
             coarse->table->even + first, pairs);
    add_odd_changes(coarse, fine, row);
    const float *coverage = coarse->table->regular + grid_index(wide, 0, below);
    for (int e = 0; e < EDGE_KINDS; e++) {
        float *out = fine->at.plane[LEVEL_lu + e] + first;
        change_row change = change_of(coarse, (level_plane)(LEVEL_lu + e),
                                      (level_plane)(LEVEL_bu + e), below, e == EDGE_U && between);
        if (e == EDGE_V) {
            add_multipliers(change, out, coverage, -1, pairs, true);
        } else {
            ptrdiff_t beside = e == EDGE_U && !between ? -(ptrdiff_t)wide->stride : 0;
            add_multipliers(change, out, coverage, beside, pairs, false);
        }
    }
}

void CPU_FN(upsample_rows)(const pass_args *args, int row_begin, int row_end) {
    if (args->level + 1 >= args->hierarchy->count) {
        return; /* this cloth has fewer levels than another one */
    }
    for (int row = row_begin; row < row_end; row++) {
        upsample_row(args, row);
    }
}
