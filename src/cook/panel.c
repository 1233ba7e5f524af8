/* Cooking a panel: from its outline to grid, coverage, meshes, and the tables between them. */
#include "cook/panel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cook/cover.h"
#include "cook/triangulate.h"
#include "model/rotation.h"

/* Curves are cut into chords that stay this share of the finest length from them; those of the
 * coarse mesh this share of its edges, so that it needs no more vertices at a curve than inside. */
static const double FLATNESS = 0.002, COARSE_FLATNESS = 0.01;

/* A coarse mesh has about 1300 vertices, as that of Schmitt 2013 (section 6), unless its triangles
 * would be narrower than two texels: it would then know more than the grid. */
static const double COARSE_EDGES = 35.0, COARSE_SPACINGS = 2.0;

/* The most triangles a mesh may have: indices and counts stay far below 32 bits. */
static const double MOST_TRIANGLES = 1e8;

/* About what a triangle costs while it is made. */
static const double BYTES_A_TRIANGLE = 400.0;

toile_panel_def toile_default_panel_def(void) {
    return (toile_panel_def){.size = {1.0f, 1.0f}, .spacing = 0.02f};
}

/* ---- users --------------------------------------------------------------------------------------
 */

panel *panel_allocate(const grid *g) {
    panel *p = memory_alloc(1, sizeof *p, "a panel");
    if (!p) {
        return NULL;
    }
    atomic_init(&p->users, 1);
    p->grid = *g;
    p->mask = memory_alloc(grid_texels(g), sizeof *p->mask, "the texels of a panel");
    p->coverage = memory_alloc(g->size, sizeof *p->coverage, "the coverage of a panel");
    if (!p->mask || !p->coverage) {
        panel_release(p);
        return NULL;
    }
    return p;
}

/* Panels never change but for the number of their users. */
const panel *panel_retain(const panel *p) {
    atomic_fetch_add_explicit(&((panel *)p)->users, 1, memory_order_relaxed);
    return p;
}

void panel_release(const panel *p) {
    panel *own = (panel *)p;
    if (!own || atomic_fetch_sub_explicit(&own->users, 1, memory_order_acq_rel) > 1) {
        return;
    }
    outline_free(&own->outline);
    free(own->mask);
    free(own->coverage);
    flat_mesh_free(&own->coarse);
    flat_mesh_free(&own->render);
    sampling_free(&own->sampling);
    projection_free(&own->coarse_projection);
    projection_free(&own->render_projection);
    free(own);
}

void toile_panel_destroy(toile_panel *p) {
    panel_release(p);
}

toile_panel_info toile_panel_get_info(const toile_panel *p) {
    TOILE_ASSERT(p);
    return (toile_panel_info){.columns = p->grid.columns,
                              .rows = p->grid.rows,
                              .texels = p->texel_count,
                              .size = {p->grid.size_u, p->grid.size_v},
                              .spacing = p->grid.spacing,
                              .area = p->outline.area,
                              .coarse_vertices = p->coarse.vertex_count,
                              .coarse_triangles = p->coarse.triangle_count,
                              .render_vertices = p->render.vertex_count,
                              .render_triangles = p->render.triangle_count,
                              .parts = p->parts};
}

/* ---- outline and grid ---------------------------------------------------------------------------
 */

/* An outline along its threads, and how it got there. */
typedef struct layout {
    outline outline;
    double origin[2]; /* m, lower left corner of its box, turned but not yet moved */
    double center[2]; /* as a panel has it */
} layout;

/* The middle of the box is found before the outline is turned to lie along its threads. */
static toile_result lay_outline(layout *l, const toile_panel_def *def) {
    outline *o = &l->outline;
    double finest = (double)def->spacing;
    if (def->render_edge > 0.0f) {
        finest = fmin(finest, (double)def->render_edge);
    }
    toile_result result = outline_create(o, def->outline, FLATNESS * finest);
    if (result != TOILE_OK) {
        return result;
    }
    double middle[2] = {0.5 * (o->low[0] + o->high[0]), 0.5 * (o->low[1] + o->high[1])};
    double angle = -(double)def->grain * (3.14159265358979323846 / 180.0);
    outline_turn(o, -(double)def->grain);
    memcpy(l->origin, o->low, sizeof l->origin);
    l->center[0] = cos(angle) * middle[0] - sin(angle) * middle[1] - l->origin[0];
    l->center[1] = sin(angle) * middle[0] + cos(angle) * middle[1] - l->origin[1];
    outline_move(o, -l->origin[0], -l->origin[1]);
    return TOILE_OK;
}

static toile_result lay_rectangle(layout *l, const toile_panel_def *def) {
    l->center[0] = 0.5 * (double)def->size[0];
    l->center[1] = 0.5 * (double)def->size[1];
    return outline_create_rectangle(&l->outline, (double)def->size[0], (double)def->size[1]);
}

toile_result panel_lay_grid(grid *g, const toile_panel_def *def, bool rectangle) {
    return rectangle ? grid_create(g, def->size, def->spacing)
                     : grid_create_for(g, (double)def->size[0], (double)def->size[1],
                                       (double)def->spacing);
}

static toile_result cover(panel *p) {
    if (p->rectangle) {
        memset(p->mask, 1, grid_texels(&p->grid));
        grid_cover(&p->grid, p->coverage);
        p->texel_count = grid_texels(&p->grid);
        p->parts = 1;
        return TOILE_OK;
    }
    toile_result result = cover_outline(&p->outline, &p->grid, p->mask, p->coverage);
    if (result == TOILE_OK) {
        result = cover_count_parts(&p->grid, p->coverage, p->mask, &p->parts);
    }
    for (size_t t = 0, n = grid_texels(&p->grid); t < n; t++) {
        p->texel_count += p->mask[t];
    }
    return result;
}

/* ---- meshes -------------------------------------------------------------------------------------
 */

static double perimeter(const outline *o) {
    double sum = 0.0;
    for (int l = 0, begin = 0; l < o->loop_count; begin = (int)o->loop_ends[l++]) {
        int end = (int)o->loop_ends[l];
        for (int i = begin; i < end; i++) {
            const double *a = o->points[i], *b = o->points[i + 1 < end ? i + 1 : begin];
            sum += hypot(b[0] - a[0], b[1] - a[1]);
        }
    }
    return sum;
}

/* An edge that makes more triangles than fit is refused before the first one is made. */
static toile_result check_edge(const outline *o, const char *name, double edge) {
    double triangles = 2.5 * o->area / (edge * edge) + 2.0 * perimeter(o) / edge;
    double have = (double)memory_machine_bytes(), bytes = triangles * BYTES_A_TRIANGLE;
    if (triangles > MOST_TRIANGLES || (have > 0.0 && bytes > 0.8 * have)) {
        return error_set(TOILE_ERROR_MEMORY,
                         "%s %g m makes about %.3g triangles, which need about %.3g GB; this "
                         "machine has %.3g GB: expected a larger one",
                         name, edge, triangles, bytes / 1e9, have / 1e9);
    }
    return TOILE_OK;
}

static void choose_edges(panel *p) {
    toile_panel_def *def = &p->def;
    if (def->coarse_edge == 0.0f) {
        def->coarse_edge = (float)fmax(COARSE_SPACINGS * (double)def->spacing,
                                       sqrt(p->outline.area) / COARSE_EDGES);
    }
    if (def->render_edge == 0.0f || p->rectangle) {
        def->render_edge = def->spacing;
    }
}

/* With longer chords where they do not make an outline cross itself that does not. */
static toile_result triangulate_coarsely(panel *p, const toile_outline *def,
                                         const double origin[2]) {
    double edge = (double)p->def.coarse_edge;
    outline o = {0};
    toile_result result = outline_create(&o, def, COARSE_FLATNESS * edge);
    if (result != TOILE_OK) {
        outline_free(&o);
        return result == TOILE_ERROR_MEMORY ? result : triangulate(&p->outline, edge, &p->coarse);
    }
    outline_turn(&o, -(double)p->def.grain);
    outline_move(&o, -origin[0], -origin[1]);
    bool fewer = o.point_count < p->outline.point_count;
    result = triangulate(fewer ? &o : &p->outline, edge, &p->coarse);
    outline_free(&o);
    return result;
}

static toile_result make_coarse_mesh(panel *p, const toile_outline *def, const double origin[2]) {
    double edge = (double)p->def.coarse_edge;
    toile_result result = check_edge(&p->outline, "coarse_edge", edge);
    if (result != TOILE_OK) {
        return result;
    }
    result = p->rectangle ? triangulate_rectangle((double)p->grid.size_u, (double)p->grid.size_v,
                                                  edge, &p->coarse)
                          : triangulate_coarsely(p, def, origin);
    if (result == TOILE_OK && p->def.snap) {
        snap_inner_vertices(&p->coarse, &p->grid);
    }
    return result;
}

/* Diagonals alternate from cell to cell, so that folds have no preferred direction. */
static void list_cell_triangles(const grid *g, uint32_t *indices) {
    uint32_t columns = (uint32_t)g->columns;
    for (uint32_t j = 0; j + 1 < (uint32_t)g->rows; j++) {
        for (uint32_t i = 0; i + 1 < columns; i++, indices += 6) {
            uint32_t a = j * columns + i, b = a + 1, c = b + columns, d = a + columns;
            const uint32_t even[6] = {a, b, c, a, c, d}, odd[6] = {a, b, d, b, c, d};
            memcpy(indices, (i + j) % 2 == 0 ? even : odd, sizeof even);
        }
    }
}

/* The render mesh of a rectangle: a vertex for each texel, those of the last column and row moved
 * onto the exact outline. Its fractions are exact, so that vertices are where their texels are. */
static toile_result make_texel_mesh(panel *p) {
    const grid *g = &p->grid;
    uint32_t columns = (uint32_t)g->columns, rows = (uint32_t)g->rows, v = 0;
    projection *to = &p->render_projection;
    toile_result result =
        flat_mesh_allocate(&p->render, columns * rows, 2 * (columns - 1) * (rows - 1));
    to->texels = memory_alloc(grid_texels(g), sizeof *to->texels, "the projection of a panel");
    to->fractions =
        memory_alloc(grid_texels(g), 2 * sizeof *to->fractions, "the projection of a panel");
    if (result != TOILE_OK || !to->texels || !to->fractions) {
        return TOILE_ERROR_MEMORY;
    }
    list_cell_triangles(g, p->render.indices);
    for (uint32_t j = 0; j < rows; j++) {
        for (uint32_t i = 0; i < columns; i++, v++) {
            bool last_u = i == columns - 1, last_v = j == rows - 1;
            p->render.uv[2 * v] = last_u ? g->size_u : (float)i * g->spacing;
            p->render.uv[2 * v + 1] = last_v ? g->size_v : (float)j * g->spacing;
            to->texels[v] = (last_u ? i - 1 : i) + columns * (last_v ? j - 1 : j);
            to->fractions[2 * v] = last_u ? g->last_u : 0.0f;
            to->fractions[2 * v + 1] = last_v ? g->last_v : 0.0f;
        }
    }
    return TOILE_OK;
}

static toile_result make_render_mesh(panel *p) {
    if (p->rectangle) {
        return make_texel_mesh(p);
    }
    double edge = (double)p->def.render_edge;
    toile_result result = check_edge(&p->outline, "render_edge", edge);
    if (result == TOILE_OK) {
        result = triangulate(&p->outline, edge, &p->render);
    }
    if (result == TOILE_OK) {
        result = projection_create(&p->render_projection, &p->render, &p->grid, p->mask);
    }
    return result;
}

/* ---- the whole ----------------------------------------------------------------------------------
 */

static toile_result check_range(const char *name, float value, float most) {
    if (!(value >= 0.0f && value <= most)) {
        return error_set(TOILE_ERROR_INVALID, "%s is %g: expected 0 to %g m", name, (double)value,
                         (double)most);
    }
    return TOILE_OK;
}

/* Those that do not depend on the outline. */
static toile_result check_def(const toile_panel_def *def) {
    const float unknown[2] = {1.0f, 1.0f};
    toile_result result = grid_check(def->outline ? unknown : def->size, def->spacing, 1.0f);
    if (result == TOILE_OK) {
        result = check_range("coarse_edge", def->coarse_edge, 1e5f);
    }
    if (result == TOILE_OK) {
        result = check_range("render_edge", def->render_edge, 1e5f);
    }
    if (result == TOILE_OK && !(fabsf(def->grain) <= 360.0f)) {
        result = error_set(TOILE_ERROR_INVALID, "grain is %g: expected -360 to 360 degrees",
                           (double)def->grain);
    }
    if (result == TOILE_OK && !def->outline && def->grain != 0.0f) {
        result = error_set(TOILE_ERROR_INVALID,
                           "grain is %g: expected 0 for a rectangle; only outlines have a grain of "
                           "their own",
                           (double)def->grain);
    }
    return result;
}

static toile_result cook_parts(panel *p, const toile_outline *def, const double origin[2]) {
    toile_result result = cover(p);
    choose_edges(p);
    if (result == TOILE_OK) {
        result = make_coarse_mesh(p, def, origin);
    }
    if (result == TOILE_OK) {
        result = sampling_create(&p->sampling, &p->coarse, &p->grid, p->mask);
    }
    if (result == TOILE_OK) {
        result = projection_create(&p->coarse_projection, &p->coarse, &p->grid, p->mask);
    }
    return result == TOILE_OK ? make_render_mesh(p) : result;
}

toile_result panel_cook(const toile_panel_def *def, panel **out) {
    toile_panel_def own = *def;
    layout l = {0};
    toile_result result = def->outline ? lay_outline(&l, def) : lay_rectangle(&l, def);
    if (result == TOILE_OK && def->outline) {
        own.size[0] = (float)l.outline.high[0];
        own.size[1] = (float)l.outline.high[1];
    }
    grid g;
    if (result == TOILE_OK) {
        result = panel_lay_grid(&g, &own, !def->outline);
    }
    panel *p = result == TOILE_OK ? panel_allocate(&g) : NULL;
    if (!p) {
        outline_free(&l.outline);
        return result == TOILE_OK ? TOILE_ERROR_MEMORY : result;
    }
    p->rectangle = !def->outline;
    p->def = own;
    p->def.outline = NULL;
    p->outline = l.outline;
    memcpy(p->center, l.center, sizeof l.center);
    result = cook_parts(p, def->outline, l.origin);
    if (result != TOILE_OK) {
        panel_release(p);
        return result;
    }
    *out = p;
    return TOILE_OK;
}

toile_result toile_panel_cook(const toile_panel_def *def, toile_panel **out) {
    TOILE_ASSERT(def && out);
    *out = NULL;
    toile_result result = check_def(def);
    return result == TOILE_OK ? panel_cook(def, out) : result;
}

/* ---- where texels start -------------------------------------------------------------------------
 */

void panel_place(const panel *p, const grid *scaled, const toile_transform *transform,
                 float *positions) {
    if (p->rectangle) {
        grid_place(scaled, transform, positions);
        return;
    }
    quat turn = quat_from_degrees(transform->rotate);
    double grain = (double)p->def.grain * (3.14159265358979323846 / 180.0);
    double c = cos(grain), s = sin(grain), scale = (double)transform->scale;
    for (size_t t = 0, n = grid_texels(scaled); t < n; t++, positions += 3) {
        size_t columns = (size_t)scaled->columns, row = t / columns;
        double u = (double)(t % columns) * (double)scaled->spacing - p->center[0] * scale;
        double v = (double)row * (double)scaled->spacing - p->center[1] * scale;
        double flat[3] = {c * u - s * v, s * u + c * v, 0.0}, placed[3];
        quat_rotate(turn, flat, placed);
        for (int k = 0; k < 3; k++) {
            positions[k] = p->mask[t] ? (float)(placed[k] + (double)transform->translate[k]) : 0.0f;
        }
    }
}
