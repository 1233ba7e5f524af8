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
    toile_panel_def def; /* outline is NULL: the polygons below are kept instead */
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

/* One more user, and one fewer: the last one frees it. */
const panel *panel_retain(const panel *p);
void panel_release(const panel *p);

#endif
