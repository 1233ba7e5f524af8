/* Between the levels: Schmitt 2013 section 5.3. Positions go down by picking representatives,
 * changes come up by bilinear interpolation.
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
#include "kernel/vec.h"

/* Positions arrive on a level before it is bent, if it is: bending goes from there to x, y, z. */
static level_plane arrival(const pass_args *args, int depth) {
    bool bends = !args->again && args->params->bend_share[depth] > 0.0f;
    return bends ? LEVEL_qx : LEVEL_x;
}

/* In the first cycle of a substep all multipliers are zero. */
static void restrict_multipliers(const pass_args *args, const level_state *coarse, level_edge kind,
                                 const uint32_t *source, size_t first) {
    const int columns = coarse->table->grid.columns;
    const float scale = (float)(1 << args->level);
    const float *restrict multiplier = args->hierarchy->levels[0].at.plane[LEVEL_lu + (int)kind];
    float *restrict out = coarse->at.plane[LEVEL_lu + (int)kind] + first;
    float *restrict before = coarse->at.plane[LEVEL_bu + (int)kind] + first;
    if (args->again) {
        for (int i = 0; i < columns; i++) {
            out[i] = before[i] = scale * multiplier[source[i]];
        }
    } else {
        memset(out, 0, (size_t)columns * sizeof *out);
        memset(before, 0, (size_t)columns * sizeof *before);
    }
}

static void restrict_row(const pass_args *args, int row) {
    const level_state *fine = &args->hierarchy->levels[0],
                      *coarse = &args->hierarchy->levels[args->level];
    const grid *g = &coarse->table->grid;
    const uint32_t *source = coarse->table->source + (size_t)row * (size_t)g->columns;
    const size_t first = grid_index(g, 0, row);
    const level_plane from = arrival(args, 0), to = arrival(args, args->level);
    for (int axis = 0; axis < 3; axis++) {
        const float *restrict x = fine->at.plane[(int)from + axis];
        float *restrict out = coarse->at.plane[(int)to + axis] + first;
        float *restrict before = coarse->at.plane[LEVEL_bx + axis] + first;
        for (int i = 0; i < g->columns; i++) {
            out[i] = before[i] = x[source[i]];
        }
    }
    for (int e = 0; e < EDGE_KINDS; e++) {
        restrict_multipliers(args, coarse, (level_edge)e, source, first);
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
    return 0.5f * ((r.now[0][i] - r.before[0][i]) + (r.now[1][i] - r.before[1][i]));
}

/* Adds what positions of a coarse row have changed to a fine one, in odd columns that of both
 * coarse columns beside. */
static inline void add_change(change_row r, float *restrict out, const float *restrict even,
                              int pairs) {
#pragma omp simd
    for (int i = 0; i < pairs; i++) {
        float here = change_at(r, i), next = 0.5f * (here + change_at(r, i + 1));
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
        float here = change_at(r, i), own = k_select(coverage[i] > 0.0f, 0.5f, 0.0f);
        float either = k_select(coverage[i + beside] > 0.0f, 0.5f, own);
        float next = across ? 0.5f * (here + change_at(r, i + 1)) : here;
        out[2 * i] += either * here;
        out[2 * i + 1] += (across ? own : either) * next;
    }
}

/* Texels that the usual weights do not fit. */
static void add_odd_changes(const level_state *coarse, const level_state *fine, level_plane to,
                            int row) {
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
            fine->at.plane[(int)to + axis][odd->texel] += sum;
        }
    }
}

static void upsample_row(const pass_args *args, int row) {
    const level_state *fine = &args->hierarchy->levels[args->level],
                      *coarse = &args->hierarchy->levels[args->level + 1];
    const grid *g = &fine->table->grid;
    const size_t first = grid_index(g, 0, row);
    const int pairs = row_floats(g) / 2, below = row / 2;
    const bool between = row % 2 != 0;
    const level_plane to = arrival(args, args->level);
    for (int axis = 0; axis < 3; axis++) {
        change_row change = change_of(coarse, (level_plane)(LEVEL_x + axis),
                                      (level_plane)(LEVEL_bx + axis), below, between);
        add_change(change, fine->at.plane[(int)to + axis] + first, coarse->table->even + first,
                   pairs);
    }
    add_odd_changes(coarse, fine, to, row);
    const grid *wide = &coarse->table->grid;
    const float *coverage = coarse->bend_coverage + grid_index(wide, 0, below);
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
