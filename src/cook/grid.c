#include "cook/grid.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/rotation.h"

/* A size within this share of a spacing from a multiple is that multiple. */
static const double MULTIPLE_TOLERANCE = 1e-3;

/* Along a side. TOILE_MAX_LEVELS levels make at most 32 texels of so many, which is what coarsest
 * levels are made for. */
static const double MOST_CELLS = 1e6;

/* About what a texel of a plane, halos included, costs in the solver, the checks and the exports,
 * for refusing what cannot fit. */
static const double BYTES_A_TEXEL = 240.0;

toile_result grid_check(const float size[2], float spacing, float scale) {
    for (int k = 0; k < 2; k++) {
        if (!(size[k] > 0.0f && isfinite(size[k]))) {
            return error_set(TOILE_ERROR_INVALID,
                             "size is %g: expected a positive number of metres", (double)size[k]);
        }
    }
    if (!(spacing > 0.0f && isfinite(spacing))) {
        return error_set(TOILE_ERROR_INVALID, "spacing is %g: expected a positive number of metres",
                         (double)spacing);
    }
    grid g = grid_scaled(&(grid){.spacing = spacing, .size_u = size[0], .size_v = size[1]}, scale);
    if (!(g.spacing >= 1e-5f && g.spacing <= 100.0f && g.size_u <= 1e4f && g.size_v <= 1e4f)) {
        return error_set(
            TOILE_ERROR_INVALID,
            "a cloth of %g x %g m with spacing %g m, scale applied: expected a spacing "
            "of 1e-5 to 100 m and sizes up to 10000 m",
            (double)g.size_u, (double)g.size_v, (double)g.spacing);
    }
    return TOILE_OK;
}

toile_result grid_check_transform(const toile_transform *t) {
    if (!(t->scale >= 1e-3f && t->scale <= 1e3f)) {
        return error_set(TOILE_ERROR_INVALID, "transform.scale is %g: expected 0.001 to 1000",
                         (double)t->scale);
    }
    for (int k = 0; k < 3; k++) {
        if (!isfinite(t->translate[k]) || fabsf(t->translate[k]) > 1e4f ||
            !isfinite(t->rotate[k])) {
            return error_set(
                TOILE_ERROR_INVALID,
                "transform: expected finite rotations and translations within 10000 m");
        }
    }
    return TOILE_OK;
}

/* Cells along one side, and the width of the last one in spacings. */
static double count_cells(double size, double spacing, float *last) {
    double ratio = size / spacing;
    double nearest = round(ratio);
    if (nearest >= 1.0 && fabs(ratio - nearest) < MULTIPLE_TOLERANCE) {
        *last = 1.0f;
        return nearest;
    }
    double cells = ceil(ratio - 0.5 - GRID_TOUCH_TOLERANCE);
    *last = (float)(ratio - cells + 1.0);
    return cells;
}

void grid_set_texels(grid *g, int columns, int rows) {
    g->columns = columns;
    g->rows = rows;
    g->stride = (grid_floats(g) + GRID_VECTOR + GRID_LINE - 1) / GRID_LINE * GRID_LINE;
    g->size = GRID_LINE + (size_t)g->stride * ((size_t)rows + 2 * GRID_HALO);
}

/* Fills in what follows from the number of cells. */
static toile_result set_cells(grid *g, double cells_u, double cells_v) {
    if (cells_u > MOST_CELLS || cells_v > MOST_CELLS) {
        return error_set(TOILE_ERROR_INVALID,
                         "spacing %g m makes %.0f x %.0f cells: expected at most %.0f along a "
                         "side, with a larger spacing",
                         (double)g->spacing, cells_u, cells_v, MOST_CELLS);
    }
    grid_set_texels(g, (int)cells_u + 1, (int)cells_v + 1);
    double texels = (cells_u + 1.0) * (cells_v + 1.0);
    double bytes = (double)g->size * BYTES_A_TEXEL, have = (double)memory_machine_bytes();
    if (texels > 1e9 || (have > 0.0 && bytes > 0.8 * have)) {
        return error_set(
            TOILE_ERROR_MEMORY,
            "spacing %g m makes %.0f x %.0f = %.3g texels, which need about %.3g GB; this "
            "machine has %.3g GB: expected a larger spacing",
            (double)g->spacing, cells_u + 1.0, cells_v + 1.0, texels, bytes / 1e9, have / 1e9);
    }
    return TOILE_OK;
}

toile_result grid_create(grid *g, const float size[2], float spacing) {
    *g = (grid){.spacing = spacing, .size_u = size[0], .size_v = size[1]};
    double cells_u = count_cells((double)size[0], (double)spacing, &g->last_u);
    double cells_v = count_cells((double)size[1], (double)spacing, &g->last_v);
    if (cells_u < 1.0 || cells_v < 1.0) {
        return error_set(
            TOILE_ERROR_INVALID,
            "spacing %g m is too coarse for a cloth of %g x %g m: at least 2 x 2 texels are "
            "needed, so expected less than %g m",
            (double)spacing, (double)size[0], (double)size[1],
            2.0 * (double)fminf(size[0], size[1]));
    }
    return set_cells(g, cells_u, cells_v);
}

toile_result grid_create_for(grid *g, double size_u, double size_v, double spacing) {
    const float size[2] = {(float)size_u, (float)size_v};
    toile_result result = grid_check(size, (float)spacing, 1.0f);
    if (result != TOILE_OK) {
        return result;
    }
    *g = (grid){.spacing = (float)spacing, .size_u = size[0], .size_v = size[1]};
    double cells[2];
    float *last[2] = {&g->last_u, &g->last_v};
    for (int k = 0; k < 2; k++) {
        double own = k == 0 ? size_u : size_v;
        cells[k] = count_cells(own, spacing, last[k]);
        if (cells[k] < 1.0) { /* narrower than half a spacing: one cell, as full as that */
            cells[k] = 1.0;
            *last[k] = (float)(own / spacing);
        }
    }
    return set_cells(g, cells[0], cells[1]);
}

grid grid_scaled(const grid *g, float scale) {
    grid scaled = *g;
    scaled.spacing = (float)((double)g->spacing * (double)scale);
    scaled.size_u = (float)((double)g->size_u * (double)scale);
    scaled.size_v = (float)((double)g->size_v * (double)scale);
    return scaled;
}

void grid_cover(const grid *g, float *plane) {
    for (int j = 0; j < g->rows - 1; j++) {
        float v = j == g->rows - 2 ? g->last_v : 1.0f;
        for (int i = 0; i < g->columns - 1; i++) {
            plane[grid_index(g, i, j)] = v * (i == g->columns - 2 ? g->last_u : 1.0f);
        }
    }
}

float grid_texel_share(const grid *g, const float *coverage, int column, int row) {
    const float *c = coverage + grid_index(g, column, row);
    const float *below = c - g->stride;
    return 0.25f * ((c[0] + c[-1]) + (below[0] + below[-1]));
}

/* Coordinate of a texel from the middle of the cloth. Written so that a cloth of a whole number of
 * spacings is its own mirror image to the bit. */
static double from_middle(int index, int count, float last, double spacing) {
    double middle = 0.5 * (double)(count - 1);
    double beyond = 0.5 * (1.0 - (double)last); /* the last texels stick out by twice this */
    return ((double)index - middle + beyond) * spacing;
}

void grid_place(const grid *g, const toile_transform *transform, float *positions) {
    quat turn = quat_from_degrees(transform->rotate);
    for (int j = 0; j < g->rows; j++) {
        for (int i = 0; i < g->columns; i++) {
            double flat[3] = {from_middle(i, g->columns, g->last_u, (double)g->spacing),
                              from_middle(j, g->rows, g->last_v, (double)g->spacing), 0.0};
            double placed[3];
            quat_rotate(turn, flat, placed);
            for (int k = 0; k < 3; k++) {
                *positions++ = (float)(placed[k] + (double)transform->translate[k]);
            }
        }
    }
}
