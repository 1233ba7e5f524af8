#include "view/skin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Vertices along a side below which a grid is no picture of the cloth. */
enum { LEAST_VERTICES = 3 };

/* A cloth whose level is being made. */
typedef struct gridding {
    toile_cloth_info info;
    const uint8_t *mask;
    int stride;
    uint32_t *numbers; /* a texel: its vertex + 1, 0: none */
} gridding;

static bool has_level(const toile_cloth_info *info, int level) {
    return (info->columns - 1) >> level >= LEAST_VERTICES - 1 &&
           (info->rows - 1) >> level >= LEAST_VERTICES - 1;
}

static toile_result no_memory(const char *name) {
    return error_set(TOILE_ERROR_MEMORY, "not enough memory to show cloth '%s'", name);
}

/* ---- meshes -------------------------------------------------------------------------------------
 */

/* What vertices are taken from texels with, where those are not read back. */
static toile_result make_squares(skin_cloth *c, const toile_world *world, toile_cloth_id id) {
    if (toile_cloth_get_gl_texels(world, id, &c->layout) != TOILE_OK) {
        return TOILE_OK;
    }
    c->columns = toile_cloth_get_info(world, id).columns;
    c->squares = memory_alloc(c->mesh.vertices, sizeof *c->squares, "a cloth's vertices");
    return c->squares ? toile_cloth_get_mesh_squares(world, id, c->squares, c->mesh.vertices)
                      : TOILE_ERROR_MEMORY;
}

static toile_result make_render_mesh(skin_cloth *c, const toile_world *world, toile_cloth_id id) {
    toile_cloth_info info = toile_cloth_get_info(world, id);
    if (!mesh_allocate(&c->mesh, info.vertices, info.triangles, false, true)) {
        return no_memory(info.name);
    }
    toile_result result =
        toile_cloth_get_mesh_coordinates(world, id, c->mesh.coordinates, info.vertices);
    if (result == TOILE_OK) {
        result = toile_cloth_get_mesh_triangles(world, id, c->mesh.indices, info.triangles);
    }
    return result == TOILE_OK ? make_squares(c, world, id) : result;
}

static toile_result make_coarse_mesh(skin_cloth *c, const toile_world *world, toile_cloth_id id) {
    toile_cloth_info info = toile_cloth_get_info(world, id);
    if (!mesh_allocate(&c->mesh, info.coarse_vertices, info.coarse_triangles, false, true)) {
        return no_memory(info.name);
    }
    toile_result result =
        toile_cloth_get_coarse_coordinates(world, id, c->mesh.coordinates, info.coarse_vertices);
    return result == TOILE_OK
               ? toile_cloth_get_coarse_triangles(world, id, c->mesh.indices, info.coarse_triangles)
               : result;
}

/* ---- grids --------------------------------------------------------------------------------------
 */

static size_t number_vertices(const gridding *g) {
    size_t count = 0;
    for (int j = 0; j < g->info.rows; j += g->stride) {
        for (int i = 0; i < g->info.columns; i += g->stride) {
            size_t t = (size_t)j * (size_t)g->info.columns + (size_t)i;
            g->numbers[t] = g->mask[t] ? (uint32_t)++count : 0;
        }
    }
    return count;
}

/* The triangles of the cell above and right of a texel: two, or one where a corner is missing.
 * Returns how many indices; fills them in when there is room. */
static size_t cell_triangles(const gridding *g, int i, int j, uint32_t *indices) {
    size_t columns = (size_t)g->info.columns, stride = (size_t)g->stride;
    const uint32_t *low = g->numbers + (size_t)j * columns + (size_t)i;
    const uint32_t *high = low + stride * columns;
    const uint32_t around[4] = {low[0], low[stride], high[stride], high[0]};
    uint32_t corners[4];
    size_t count = 0;
    for (int k = 0; k < 4; k++) {
        if (around[k]) {
            corners[count++] = around[k] - 1;
        }
    }
    if (count < 3) {
        return 0;
    }
    if (indices) {
        memcpy(indices, corners, 3 * sizeof *indices);
        if (count == 4) {
            memcpy(indices + 3, (uint32_t[3]){corners[0], corners[2], corners[3]},
                   3 * sizeof *indices);
        }
    }
    return count == 4 ? 6 : 3;
}

static size_t grid_triangles(const gridding *g, uint32_t *indices) {
    size_t count = 0;
    for (int j = 0; j + g->stride < g->info.rows; j += g->stride) {
        for (int i = 0; i + g->stride < g->info.columns; i += g->stride) {
            count += cell_triangles(g, i, j, indices ? indices + count : NULL);
        }
    }
    return count / 3;
}

static void place_vertices(const gridding *g, skin_cloth *c) {
    size_t vertex = 0;
    for (int j = 0; j < g->info.rows; j += g->stride) {
        for (int i = 0; i < g->info.columns; i += g->stride) {
            size_t t = (size_t)j * (size_t)g->info.columns + (size_t)i;
            if (g->numbers[t]) {
                c->texels[vertex] = (uint32_t)t;
                c->mesh.coordinates[2 * vertex] = (float)i * g->info.spacing;
                c->mesh.coordinates[2 * vertex + 1] = (float)j * g->info.spacing;
                vertex++;
            }
        }
    }
}

static toile_result make_grid(skin_cloth *c, gridding *g) {
    size_t vertices = number_vertices(g);
    size_t triangles = grid_triangles(g, NULL);
    c->texels = memory_alloc(vertices, sizeof *c->texels, "a grid");
    if (!c->texels || !mesh_allocate(&c->mesh, vertices, triangles, false, true)) {
        return no_memory(g->info.name);
    }
    place_vertices(g, c);
    grid_triangles(g, c->mesh.indices);
    return TOILE_OK;
}

static toile_result make_level(skin_cloth *c, int level, const toile_world *world,
                               toile_cloth_id id) {
    gridding g = {.info = toile_cloth_get_info(world, id)};
    /* A cloth that has fewer levels is shown on its last. */
    while (level > 0 && !has_level(&g.info, level)) {
        level--;
    }
    g.stride = 1 << level;
    uint8_t *mask = memory_alloc(g.info.texels, sizeof *mask, "a mask");
    g.mask = mask;
    g.numbers = memory_alloc(g.info.texels, sizeof *g.numbers, "a grid");
    toile_result result = mask && g.numbers ? TOILE_OK : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        result = toile_cloth_get_texel_mask(world, id, mask, g.info.texels);
    }
    if (result == TOILE_OK) {
        result = make_grid(c, &g);
    }
    free(mask);
    free(g.numbers);
    return result;
}

/* ---- all of them --------------------------------------------------------------------------------
 */

static int count_levels(const toile_world *world, const toile_cloth_id *cloths, int cloth_count) {
    int levels = 1;
    for (int c = 0; c < cloth_count; c++) {
        toile_cloth_info info = toile_cloth_get_info(world, cloths[c]);
        while (levels < TOILE_MAX_LEVELS && has_level(&info, levels)) {
            levels++;
        }
    }
    return levels;
}

static toile_result make_skin(skins *s, int which, const toile_world *world,
                              const toile_cloth_id *cloths) {
    skin *k = &s->items[which];
    k->kind = which == 0 ? SKIN_MESH : which == s->count - 1 ? SKIN_COARSE : SKIN_LEVEL;
    k->level = k->kind == SKIN_LEVEL ? which - 1 : 0;
    k->cloths = memory_alloc((size_t)s->cloth_count, sizeof *k->cloths, "cloths");
    toile_result result = k->cloths ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (int c = 0; c < s->cloth_count && result == TOILE_OK; c++) {
        result = k->kind == SKIN_MESH     ? make_render_mesh(&k->cloths[c], world, cloths[c])
                 : k->kind == SKIN_COARSE ? make_coarse_mesh(&k->cloths[c], world, cloths[c])
                                          : make_level(&k->cloths[c], k->level, world, cloths[c]);
        if (result == TOILE_OK) {
            result = skins_read(s, which, world, cloths[c], c, k->cloths[c].mesh.positions);
        }
    }
    return result;
}

toile_result skins_make(skins *s, const toile_world *world, const toile_cloth_id *cloths,
                        int cloth_count) {
    *s = (skins){.count = 2 + count_levels(world, cloths, cloth_count), .cloth_count = cloth_count};
    size_t most = 0;
    for (int c = 0; c < cloth_count; c++) {
        size_t texels = toile_cloth_get_info(world, cloths[c]).texels;
        most = texels > most ? texels : most;
    }
    s->items = memory_alloc((size_t)s->count, sizeof *s->items, "what can be shown");
    s->texels = memory_alloc(most, 3 * sizeof *s->texels, "texels");
    const bool marked = toile_world_get_def(world).solver.kind == TOILE_SOLVER_REFINE;
    s->marks = marked ? memory_alloc(most, sizeof *s->marks, "texels") : NULL;
    toile_result result =
        s->items && s->texels && (s->marks || !marked) ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (int i = 0; i < s->count && result == TOILE_OK; i++) {
        result = make_skin(s, i, world, cloths);
    }
    if (result != TOILE_OK) {
        skins_free(s);
    }
    return result;
}

void skins_free(skins *s) {
    for (int i = 0; s->items && i < s->count; i++) {
        for (int c = 0; s->items[i].cloths && c < s->cloth_count; c++) {
            mesh_free(&s->items[i].cloths[c].mesh);
            free(s->items[i].cloths[c].texels);
            free(s->items[i].cloths[c].squares);
        }
        free(s->items[i].cloths);
    }
    free(s->items);
    free(s->texels);
    free(s->marks);
    *s = (skins){0};
}

toile_result skins_read(const skins *s, int which, const toile_world *world, toile_cloth_id id,
                        int cloth, float *positions) {
    const skin *k = &s->items[which];
    const skin_cloth *c = &k->cloths[cloth];
    if (k->kind == SKIN_MESH) {
        return toile_cloth_get_mesh_positions(world, id, positions, c->mesh.vertices);
    }
    if (k->kind == SKIN_COARSE) {
        return toile_cloth_get_coarse_positions(world, id, positions, c->mesh.vertices);
    }
    size_t texels = toile_cloth_get_info(world, id).texels;
    toile_result result = toile_cloth_get_texel_positions(world, id, s->texels, texels);
    for (size_t v = 0; v < c->mesh.vertices && result == TOILE_OK; v++) {
        memcpy(positions + 3 * v, s->texels + 3 * (size_t)c->texels[v], 3 * sizeof *positions);
    }
    return result;
}

/* The number of the nearest texel along a side. */
static size_t nearest(float place, float spacing, int count) {
    const float number = roundf(place / spacing);
    return (size_t)fminf(fmaxf(number, 0.0f), (float)(count - 1));
}

toile_result skins_read_marks(const skins *s, int which, const toile_world *world,
                              toile_cloth_id id, int cloth, uint16_t *out) {
    const mesh_data *mesh = &s->items[which].cloths[cloth].mesh;
    const toile_cloth_info info = toile_cloth_get_info(world, id);
    toile_result result = toile_cloth_get_refine_marks(world, id, s->marks, info.texels);
    for (size_t v = 0; v < mesh->vertices && result == TOILE_OK; v++) {
        const size_t i = nearest(mesh->coordinates[2 * v], info.spacing, info.columns);
        const size_t j = nearest(mesh->coordinates[2 * v + 1], info.spacing, info.rows);
        out[v] = s->marks[j * (size_t)info.columns + i];
    }
    return result;
}
