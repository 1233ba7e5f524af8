/* A cooked panel as bytes: one walk over all that is in it takes its size, saves and loads it, so
 * that they cannot disagree. Numbers are little-endian on every machine. Loading trusts nothing:
 * first the bytes must hold as much as they say, then everything in them must fit together. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "cook/cover.h"
#include "cook/panel.h"

#define PANEL_MAGIC UINT64_C(0x316c656e61506c54) /* "TlPanel1": the last one is the version */

enum { HEADER_BYTES = 24 }; /* magic, bytes that follow, their checksum */

typedef enum walk_kind { WALK_SIZE, WALK_SAVE, WALK_LOAD } walk_kind;

typedef struct walk {
    walk_kind kind;
    unsigned char *at; /* WALK_SAVE, WALK_LOAD: where the bytes begin; loading only reads them */
    size_t size;       /* bytes so far */
    size_t end;        /* WALK_LOAD: all there are */
    toile_result result;
} walk;

static uint64_t get_number(const unsigned char *at, size_t width) {
    uint64_t number = 0;
    for (size_t b = 0; b < width; b++) {
        number |= (uint64_t)at[b] << (8 * b);
    }
    return number;
}

static void put_number(unsigned char *at, size_t width, uint64_t number) {
    for (size_t b = 0; b < width; b++) {
        at[b] = (unsigned char)(number >> (8 * b));
    }
}

/* As hash_bytes, but over little-endian words on every machine. */
static uint64_t checksum(const unsigned char *at, size_t size) {
    uint64_t hash = hash_word(HASH_SEED, size);
    for (; size >= 8; size -= 8, at += 8) {
        hash = hash_word(hash, get_number(at, 8));
    }
    return hash_word(hash, get_number(at, size));
}

static bool has_left(walk *k, uint64_t count, size_t width) {
    if (k->result == TOILE_OK && k->kind == WALK_LOAD && count > (k->end - k->size) / width) {
        k->result = error_set(TOILE_ERROR_FORMAT,
                              "panel holds fewer numbers than it says: %zu bytes are left for %llu "
                              "of %zu bytes",
                              k->end - k->size, (unsigned long long)count, width);
    }
    return k->result == TOILE_OK;
}

/* Numbers of 1, 4 or 8 bytes. */
static void visit(walk *k, void *numbers, size_t count, size_t width) {
    if (!has_left(k, count, width)) {
        return;
    }
    unsigned char *own = numbers;
    for (size_t i = 0; k->kind != WALK_SIZE && i < count; i++, own += width) {
        unsigned char *at = k->at + k->size + i * width;
        uint32_t narrow;
        uint64_t wide;
        if (width == 1 && k->kind == WALK_SAVE) {
            *at = *own;
        } else if (width == 1) {
            *own = *at;
        } else if (width == 4 && k->kind == WALK_SAVE) {
            memcpy(&narrow, own, 4);
            put_number(at, 4, narrow);
        } else if (width == 4) {
            narrow = (uint32_t)get_number(at, 4);
            memcpy(own, &narrow, 4);
        } else if (k->kind == WALK_SAVE) {
            memcpy(&wide, own, 8);
            put_number(at, 8, wide);
        } else {
            wide = get_number(at, 8);
            memcpy(own, &wide, 8);
        }
    }
    k->size += count * width;
}

/* An array that loading makes; what it costs is bounded by the bytes that are there. */
static void *visit_array(walk *k, void *array, size_t count, size_t width) {
    if (!has_left(k, count, width)) {
        return array;
    }
    if (k->kind == WALK_LOAD) {
        array = memory_alloc(count, width, "a panel");
        if (!array) {
            k->result = TOILE_ERROR_MEMORY;
            return NULL;
        }
    }
    visit(k, array, count, width);
    return array;
}

static void visit_flag(walk *k, bool *flag) {
    uint8_t byte = *flag;
    visit(k, &byte, 1, 1);
    if (k->kind == WALK_LOAD && k->result == TOILE_OK) {
        if (byte > 1) {
            k->result = error_set(TOILE_ERROR_FORMAT, "panel holds a flag of %d", byte);
        }
        *flag = byte != 0;
    }
}

/* ---- the walk -----------------------------------------------------------------------------------
 */

/* What the grid follows from, and its size. */
typedef struct panel_head {
    bool rectangle;
    toile_panel_def def;
    uint32_t columns, rows;
} panel_head;

static void visit_head(walk *k, panel_head *h) {
    visit_flag(k, &h->rectangle);
    visit_flag(k, &h->def.snap);
    visit(k, h->def.size, 2, 4);
    visit(k, &h->def.spacing, 1, 4);
    visit(k, &h->def.grain, 1, 4);
    visit(k, &h->def.coarse_edge, 1, 4);
    visit(k, &h->def.render_edge, 1, 4);
    visit(k, &h->columns, 1, 4);
    visit(k, &h->rows, 1, 4);
}

static void visit_outline(walk *k, outline *o) {
    uint32_t loops = (uint32_t)o->loop_count;
    visit(k, &loops, 1, 4);
    visit(k, &o->point_count, 1, 4);
    visit(k, &o->area, 1, 8);
    o->loop_ends = visit_array(k, o->loop_ends, loops, 4);
    if (has_left(k, o->point_count, 16)) {
        o->points = visit_array(k, o->points, 2 * (size_t)o->point_count, 8);
        o->loop_count = (int)loops; /* there were as many ends in the bytes */
    }
}

static void visit_mesh(walk *k, flat_mesh *m) {
    visit(k, &m->vertex_count, 1, 4);
    visit(k, &m->triangle_count, 1, 4);
    m->uv = visit_array(k, m->uv, 2 * (size_t)m->vertex_count, 4);
    m->indices = visit_array(k, m->indices, 3 * (size_t)m->triangle_count, 4);
}

static void visit_projection(walk *k, projection *p, size_t vertices) {
    p->texels = visit_array(k, p->texels, vertices, 4);
    p->fractions = visit_array(k, p->fractions, 2 * vertices, 4);
}

static void visit_body(walk *k, panel *p) {
    const grid *g = &p->grid;
    visit(k, p->center, 2, 8);
    visit_outline(k, &p->outline);
    visit(k, p->mask, grid_texels(g), 1);
    for (int j = 0; j < g->rows - 1; j++) {
        visit(k, p->coverage + grid_index(g, 0, j), (size_t)g->columns - 1, 4);
    }
    visit_mesh(k, &p->coarse);
    visit_mesh(k, &p->render);
    p->sampling.vertices = visit_array(k, p->sampling.vertices, 3 * grid_texels(g), 4);
    p->sampling.weights = visit_array(k, p->sampling.weights, 3 * grid_texels(g), 4);
    visit_projection(k, &p->coarse_projection, p->coarse.vertex_count);
    visit_projection(k, &p->render_projection, p->render.vertex_count);
}

/* Saving and measuring change nothing. */
static void visit_panel(walk *k, const panel *p) {
    panel_head h = {p->rectangle, p->def, (uint32_t)p->grid.columns, (uint32_t)p->grid.rows};
    visit_head(k, &h);
    visit_body(k, (panel *)p);
}

/* ---- checks -------------------------------------------------------------------------------------
 */

static bool is_within(double value, double low, double high) {
    return value >= low && value <= high;
}

static bool outline_is_sound(const panel *p) {
    const outline *o = &p->outline;
    double tolerance = (double)p->grid.spacing;
    double sum = 0.0;
    uint32_t begin = 0;
    for (int l = 0; l < o->loop_count; l++) {
        uint32_t end = o->loop_ends[l];
        if (end > o->point_count || end < begin || end - begin < 3) {
            return false;
        }
        for (uint32_t i = begin; i < end; i++) {
            const double *a = o->points[i], *b = o->points[i + 1 < end ? i + 1 : begin];
            if (!is_within(a[0], -tolerance, (double)p->grid.size_u + tolerance) ||
                !is_within(a[1], -tolerance, (double)p->grid.size_v + tolerance)) {
                return false;
            }
            sum += 0.5 * (a[0] * b[1] - a[1] * b[0]);
        }
        begin = end;
    }
    return o->loop_count > 0 && begin == o->point_count && o->area > 0.0 &&
           fabs(sum - o->area) <= 1e-6 * o->area;
}

/* Cells with cloth have four texels, texels have cloth, and there is as much as the outline says.
 */
static bool coverage_is_sound(const panel *p) {
    const grid *g = &p->grid;
    double sum = 0.0, cell = (double)g->spacing * (double)g->spacing;
    for (int j = 0; j < g->rows; j++) {
        const uint8_t *mask = p->mask + (size_t)j * (size_t)g->columns;
        for (int i = 0; i < g->columns; i++, mask++) {
            float c = p->coverage[grid_index(g, i, j)];
            bool whole = j + 1 < g->rows && i + 1 < g->columns && mask[0] && mask[1] &&
                         mask[g->columns] && mask[g->columns + 1];
            bool shared = grid_texel_share(g, p->coverage, i, j) > 0.0f;
            if (*mask > 1 || !(c >= 0.0f && c <= 64.0f) || (c > 0.0f && !whole) ||
                shared != (*mask == 1) || (p->rectangle && !*mask)) {
                return false;
            }
            sum += (double)c * cell;
        }
    }
    return fabs(sum - p->outline.area) <= 1e-3 * p->outline.area;
}

static bool mesh_is_sound(const flat_mesh *m, const grid *g) {
    double tolerance = (double)g->spacing;
    for (size_t v = 0; v < m->vertex_count; v++) {
        if (!is_within((double)m->uv[2 * v], -tolerance, (double)g->size_u + tolerance) ||
            !is_within((double)m->uv[2 * v + 1], -tolerance, (double)g->size_v + tolerance)) {
            return false;
        }
    }
    for (size_t t = 0; t < m->triangle_count; t++) {
        const uint32_t *v = m->indices + 3 * t;
        if (v[0] >= m->vertex_count || v[1] >= m->vertex_count || v[2] >= m->vertex_count ||
            v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) {
            return false;
        }
    }
    return m->vertex_count > 2 && m->triangle_count > 0;
}

/* Weights of points somewhat beyond their triangle are no larger than this. */
static const double LARGEST_WEIGHT = 1e5;

static bool sampling_is_sound(const panel *p) {
    for (size_t t = 0, n = grid_texels(&p->grid); t < n; t++) {
        const uint32_t *v = p->sampling.vertices + 3 * t;
        const float *w = p->sampling.weights + 3 * t;
        double sum = 0.0, largest = 0.0;
        for (int k = 0; k < 3; k++) {
            if (v[k] >= p->coarse.vertex_count || !isfinite(w[k])) {
                return false;
            }
            sum += (double)w[k];
            largest = fmax(largest, fabs((double)w[k]));
        }
        if (largest > LARGEST_WEIGHT ||
            (p->mask[t] ? fabs(sum - 1.0) > 1e-5 * (1.0 + largest) : largest != 0.0)) {
            return false;
        }
    }
    return true;
}

static bool projection_is_sound(const panel *p, const projection *from, size_t vertices) {
    size_t columns = (size_t)p->grid.columns, rows = (size_t)p->grid.rows;
    for (size_t v = 0; v < vertices; v++) {
        size_t t = from->texels[v];
        if (t % columns + 1 >= columns || t / columns + 1 >= rows ||
            !(p->mask[t] && p->mask[t + 1] && p->mask[t + columns] && p->mask[t + columns + 1])) {
            return false;
        }
        if (!(fabs((double)from->fractions[2 * v]) <= LARGEST_WEIGHT &&
              fabs((double)from->fractions[2 * v + 1]) <= LARGEST_WEIGHT)) {
            return false;
        }
    }
    return true;
}

static toile_result refuse(const char *what) {
    return error_set(TOILE_ERROR_FORMAT, "panel holds %s that no panel has", what);
}

static toile_result check_body(const panel *p) {
    double most = 4.0 * ((double)p->grid.size_u + (double)p->grid.size_v);
    if (!(fabs(p->center[0]) <= most && fabs(p->center[1]) <= most)) {
        return refuse("a middle");
    }
    if (!outline_is_sound(p)) {
        return refuse("an outline");
    }
    if (!coverage_is_sound(p)) {
        return refuse("a coverage");
    }
    if (!mesh_is_sound(&p->coarse, &p->grid) || !mesh_is_sound(&p->render, &p->grid) ||
        (p->rectangle && p->render.vertex_count != grid_texels(&p->grid))) {
        return refuse("a mesh");
    }
    if (!sampling_is_sound(p) ||
        !projection_is_sound(p, &p->coarse_projection, p->coarse.vertex_count) ||
        !projection_is_sound(p, &p->render_projection, p->render.vertex_count)) {
        return refuse("weights");
    }
    return TOILE_OK;
}

static toile_result check_head(const panel_head *h, size_t left, grid *g) {
    const toile_panel_def *def = &h->def;
    const float numbers[] = {def->size[0], def->size[1], def->spacing};
    for (int k = 0; k < 3; k++) { /* a cloth checks them again with its scale */
        if (!(numbers[k] > 0.0f && numbers[k] <= 1e8f)) {
            return refuse("a size or spacing");
        }
    }
    toile_result result = panel_lay_grid(g, def, h->rectangle);
    if (result != TOILE_OK) {
        error_prefix("panel: ");
        return TOILE_ERROR_FORMAT;
    }
    if ((uint32_t)g->columns != h->columns || (uint32_t)g->rows != h->rows) {
        return refuse("a number of texels");
    }
    if (!(fabsf(def->grain) <= 360.0f) || (h->rectangle && def->grain != 0.0f) ||
        !(def->coarse_edge > 0.0f && def->coarse_edge <= 1e6f) ||
        !(def->render_edge > 0.0f && def->render_edge <= 1e6f)) {
        return refuse("a grain or an edge");
    }
    if (grid_texels(g) > left) {
        return error_set(TOILE_ERROR_FORMAT, "panel is cut short: %zu bytes for %zu texels", left,
                         grid_texels(g));
    }
    return TOILE_OK;
}

/* ---- the calls ----------------------------------------------------------------------------------
 */

size_t toile_panel_size(const toile_panel *p) {
    TOILE_ASSERT(p);
    walk k = {.kind = WALK_SIZE};
    visit_panel(&k, p);
    return HEADER_BYTES + k.size;
}

toile_result toile_panel_save(const toile_panel *p, void *bytes, size_t size) {
    TOILE_ASSERT(p && bytes);
    size_t expected = toile_panel_size(p);
    if (size != expected) {
        return error_set(TOILE_ERROR_INVALID, "size is %zu: expected toile_panel_size(), %zu", size,
                         expected);
    }
    unsigned char *header = bytes;
    walk k = {.kind = WALK_SAVE, .at = header + HEADER_BYTES};
    visit_panel(&k, p);
    put_number(header, 8, PANEL_MAGIC);
    put_number(header + 8, 8, k.size);
    put_number(header + 16, 8, checksum(k.at, k.size));
    return TOILE_OK;
}

/* Of at least HEADER_BYTES. */
static toile_result check_header(const unsigned char *bytes, size_t size) {
    if (get_number(bytes, 8) != PANEL_MAGIC) {
        return error_set(TOILE_ERROR_FORMAT,
                         "this is no cooked panel, or one of another version of Toile");
    }
    if (get_number(bytes + 8, 8) != size - HEADER_BYTES) {
        return error_set(TOILE_ERROR_FORMAT, "panel is cut short, or too long: %zu bytes", size);
    }
    if (get_number(bytes + 16, 8) != checksum(bytes + HEADER_BYTES, size - HEADER_BYTES)) {
        return error_set(TOILE_ERROR_FORMAT, "panel was altered: its checksum does not match");
    }
    return TOILE_OK;
}

static void find_box(outline *o) {
    for (int k = 0; k < 2; k++) {
        o->low[k] = o->high[k] = o->points[0][k];
        for (uint32_t i = 1; i < o->point_count; i++) {
            o->low[k] = fmin(o->low[k], o->points[i][k]);
            o->high[k] = fmax(o->high[k], o->points[i][k]);
        }
    }
}

static toile_result load_body(walk *k, panel *p) {
    visit_body(k, p);
    if (k->result == TOILE_OK && k->size != k->end) {
        return error_set(TOILE_ERROR_FORMAT, "panel holds %zu bytes too many", k->end - k->size);
    }
    toile_result result = k->result == TOILE_OK ? check_body(p) : k->result;
    if (result != TOILE_OK) {
        return result;
    }
    find_box(&p->outline);
    for (size_t t = 0, n = grid_texels(&p->grid); t < n; t++) {
        p->texel_count += p->mask[t];
    }
    p->parts = 1;
    return p->rectangle ? TOILE_OK : cover_count_parts(&p->grid, p->coverage, p->mask, &p->parts);
}

toile_result toile_panel_load(const void *bytes, size_t size, toile_panel **out) {
    TOILE_ASSERT((bytes || size == 0) && out);
    *out = NULL;
    if (size < HEADER_BYTES) {
        return error_set(TOILE_ERROR_FORMAT, "panel is cut short: %zu bytes", size);
    }
    toile_result result = check_header(bytes, size);
    if (result != TOILE_OK) {
        return result;
    }
    walk k = {.kind = WALK_LOAD,
              .at = (unsigned char *)bytes + HEADER_BYTES, /* read only */
              .end = size - HEADER_BYTES};
    panel_head h = {0};
    visit_head(&k, &h);
    grid g;
    result = k.result == TOILE_OK ? check_head(&h, k.end - k.size, &g) : k.result;
    if (result != TOILE_OK) {
        return result;
    }
    panel *p = panel_allocate(&g);
    if (!p) {
        return TOILE_ERROR_MEMORY;
    }
    p->rectangle = h.rectangle;
    p->def = h.def;
    result = load_body(&k, p);
    if (result != TOILE_OK) {
        panel_release(p);
        return result;
    }
    *out = p;
    return TOILE_OK;
}
