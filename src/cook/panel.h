/* A cooked panel: everything about a piece of cloth that does not change while stepping. */
#ifndef TOILE_COOK_PANEL_H
#define TOILE_COOK_PANEL_H

#include <stdatomic.h>

#include "cook/flat_mesh.h"
#include "cook/grid.h"
#include "cook/mapping.h"
#include "model/outline.h"

struct toile_panel {
    atomic_int users;
    toile_panel_def def; /* with what was chosen filled in: edges, and of outlines the size. outline
                            is NULL: the polygons below are kept instead */
    bool rectangle;      /* every texel exists, and the render mesh has a vertex at each */
    grid grid;           /* of scale 1 */
    outline outline;     /* along warp and weft, its box at (0, 0); a rectangle has one too */
    double center[2];    /* m, middle of the box of the outline as it was defined, seen from the
                            grid: texel (u, v) starts at turn(grain) ((u, v) - center) */
    uint8_t *mask;       /* a texel, row by row: 1 where it exists */
    float *coverage;     /* a plane of the grid: cloth in each cell */
    size_t texel_count;  /* that exist */
    int parts;
    flat_mesh coarse, render;
    sampling sampling; /* coarse mesh to texels */
    projection coarse_projection, render_projection;
};
typedef struct toile_panel panel;

/* toile_panel_cook without its ranges, for cloths whose scale makes them fit. */
toile_result panel_cook(const toile_panel_def *def, panel **out);

/* The grid of a definition whose size is known, that of an outline being its box. */
toile_result panel_lay_grid(grid *g, const toile_panel_def *def, bool rectangle);

/* Memory of a panel with one user and nothing in it but its grid, for cooking and for loading. */
panel *panel_allocate(const grid *g);

/* One more user, and one fewer: the last one frees it. */
const panel *panel_retain(const panel *p);
void panel_release(const panel *p); /* NULL is fine */

/* Where texels start on a scaled grid: 3 floats a texel, row by row, 0 where there is none. */
void panel_place(const panel *p, const grid *scaled, const toile_transform *transform,
                 float *positions);

/* Share of a full-width thread from a texel to its right (upper) neighbour; 0: they are not
 * connected. */
static inline float panel_thread_right(const panel *p, int column, int row) {
    const float *c = p->coverage + grid_index(&p->grid, column, row);
    return 0.5f * (c[0] + c[-p->grid.stride]);
}

static inline float panel_thread_up(const panel *p, int column, int row) {
    const float *c = p->coverage + grid_index(&p->grid, column, row);
    return 0.5f * (c[0] + c[-1]);
}

#endif
