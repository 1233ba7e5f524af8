#include "device/refine_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/halving.h"
#include "base/memory.h"
#include "device/refine_search.h"

/* Triangles of a leaf, at most. */
enum { LEAF = 4 };

typedef struct box {
    v3 low, high;
} box;

static const box EMPTY = {{1e30f, 1e30f, 1e30f}, {-1e30f, -1e30f, -1e30f}};

static box box_add(box b, v3 p) {
    return (box){v3_min(b.low, p), v3_max(b.high, p)};
}

static bool boxes_meet(box a, box b) {
    return ccd_boxes_meet(a.low, a.high, b.low, b.high);
}

/* ---- trees --------------------------------------------------------------------------------------
 */

static box triangle_box(const refine_scene *s, size_t triangle) {
    box b = EMPTY;
    for (size_t k = 0; k < 3; k++) {
        const uint32_t vertex = s->corners[3 * triangle + k];
        b = box_add(box_add(b, s->start[vertex]), s->end[vertex]);
    }
    return b;
}

/* The node's part of the sorted triangles. Children lie next to each other, and behind it. */
static void build_node(refine_scene *s, halving *h, size_t node, uint32_t first, uint32_t count) {
    if (count <= LEAF) {
        s->nodes[node].first = (float)first;
        s->nodes[node].count = (float)count;
        return;
    }
    const uint32_t left = count / 2;
    const size_t children = s->node_count;
    s->node_count += 2;
    halving_split(h, first, count, left);
    s->nodes[node].first = (float)children;
    s->nodes[node].count = 0.0f;
    build_node(s, h, children, first, left);
    build_node(s, h, children + 1, first + left, count - left);
}

/* Puts the triangles of a body in the order of its tree. */
static void sort_triangles(refine_scene *s, const refine_body *b, const uint32_t *sorted,
                           uint32_t *copy) {
    uint32_t *corners = s->corners + 3 * (size_t)b->first_triangle;
    memcpy(copy, corners, 3 * (size_t)b->triangles * sizeof *copy);
    for (size_t i = 0; i < b->triangles; i++) {
        memcpy(corners + 3 * i, copy + 3 * (size_t)sorted[i], 3 * sizeof *copy);
    }
}

static toile_result build_tree(refine_scene *s, refine_body *b) {
    const char *what = "the tree of a body";
    const size_t first_node = s->node_count++;
    halving h = {0};
    float *middles = memory_alloc(b->triangles, 3 * sizeof *middles, what);
    uint32_t *copy = memory_alloc(b->triangles, 3 * sizeof *copy, what);
    toile_result result = middles && copy ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t t = 0; t < b->triangles && result == TOILE_OK; t++) {
        const box around = triangle_box(s, b->first_triangle + t);
        const v3 middle = v3_add(around.low, around.high);
        memcpy(middles + 3 * t, &middle, sizeof middle);
    }
    if (result == TOILE_OK) {
        result = halving_create(&h, middles, b->triangles, what);
    }
    if (result == TOILE_OK) {
        b->root = (uint32_t)first_node;
        build_node(s, &h, first_node, 0, b->triangles);
        sort_triangles(s, b, h.sorted[0], copy);
        for (size_t n = first_node; n < s->node_count; n++) {
            s->nodes[n].first += s->nodes[n].count > 0.0f ? (float)b->first_triangle : 0.0f;
        }
    }
    halving_free(&h);
    free(middles);
    free(copy);
    return result;
}

static box node_box(const refine_scene *s, const refine_node *n) {
    const size_t first = (size_t)n->first, count = (size_t)n->count;
    if (count == 0) {
        const refine_node *a = &s->nodes[first], *b = a + 1;
        return (box){v3_min(a->low, b->low), v3_max(a->high, b->high)};
    }
    box around = EMPTY;
    for (size_t t = first; t < first + count; t++) {
        const box one = triangle_box(s, t);
        around = (box){v3_min(around.low, one.low), v3_max(around.high, one.high)};
    }
    return around;
}

/* Children come after their parents. */
static void refit(refine_scene *s) {
    for (size_t n = s->node_count; n-- > 0;) {
        const box around = node_box(s, &s->nodes[n]);
        s->nodes[n].low = around.low;
        s->nodes[n].high = around.high;
    }
    for (size_t i = 0; i < s->body_count; i++) {
        s->bodies[i].low = s->nodes[s->bodies[i].root].low;
        s->bodies[i].high = s->nodes[s->bodies[i].root].high;
    }
}

/* ---- bodies -------------------------------------------------------------------------------------
 */

static void copy_body(refine_scene *s, const refine_object *o, refine_body *b) {
    *b = (refine_body){.first_vertex = (uint32_t)s->vertices,
                       .vertices = (uint32_t)o->vertices,
                       .first_triangle = (uint32_t)s->triangles,
                       .triangles = (uint32_t)o->triangle_count};
    for (size_t i = 0; i < 3 * o->triangle_count; i++) {
        s->corners[3 * s->triangles + i] = (uint32_t)s->vertices + o->triangles[i];
    }
    s->vertices += o->vertices;
    s->triangles += o->triangle_count;
}

toile_result refine_scene_make(refine_scene *s, const refine_def *def) {
    const char *what = "the bodies that cloth is refined against";
    const size_t coarse = (size_t)def->columns * (size_t)def->rows;
    size_t vertices = 0, triangles = 0;
    *s = (refine_scene){.body_count = def->object_count};
    for (size_t i = 0; i < def->object_count; i++) {
        vertices += def->objects[i].vertices;
        triangles += def->objects[i].triangle_count;
    }
    s->bodies = memory_alloc(def->object_count + 1, sizeof *s->bodies, what);
    s->start = memory_alloc(vertices + 1, sizeof *s->start, what);
    s->end = memory_alloc(vertices + 1, sizeof *s->end, what);
    s->corners = memory_alloc(3 * triangles + 1, sizeof *s->corners, what);
    /* Leaves have LEAF / 2 triangles or more, but for bodies with fewer. */
    s->nodes = memory_alloc(triangles + 2 * def->object_count + 1, sizeof *s->nodes, what);
    s->held = memory_alloc(coarse, sizeof *s->held, what);
    if (!s->bodies || !s->start || !s->end || !s->corners || !s->nodes || !s->held) {
        refine_scene_free(s);
        return TOILE_ERROR_MEMORY;
    }
    if (def->held) {
        memcpy(s->held, def->held, coarse);
    }
    for (size_t i = 0; i < def->object_count; i++) {
        copy_body(s, &def->objects[i], &s->bodies[i]);
    }
    return TOILE_OK;
}

void refine_scene_free(refine_scene *s) {
    free(s->bodies);
    free(s->start);
    free(s->end);
    free(s->corners);
    free(s->nodes);
    free(s->held);
    *s = (refine_scene){0};
}

static toile_result take_vertices(refine_scene *s, const refine_step *step) {
    for (size_t i = 0; i < s->body_count; i++) {
        const refine_body *b = &s->bodies[i];
        const float *end = step->end[i], *start = step->start ? step->start[i] : end;
        for (size_t k = 0; k < 3 * (size_t)b->vertices; k++) {
            if (!isfinite(end[k]) || !isfinite(start[k])) {
                return error_set(TOILE_ERROR_NUMERICAL, "object %zu: vertex %zu is not finite", i,
                                 k / 3);
            }
        }
        memcpy(s->end + b->first_vertex, end, b->vertices * sizeof *s->end);
        memcpy(s->start + b->first_vertex, start, b->vertices * sizeof *s->start);
    }
    return TOILE_OK;
}

static v3 coarse_at(const refine_step *step, size_t i) {
    return v3_make(step->coarse[3 * i], step->coarse[3 * i + 1], step->coarse[3 * i + 2]);
}

/* Their own step is continuous, but bodies that close on them leave them no room, and it takes its
 * time to bring out what it finds inside. No view is asked: they are few. */
static void bring_out(const refine_scene *s, const refine_def *def, const refine_step *step) {
    const size_t count = (size_t)def->columns * (size_t)def->rows;
    for (size_t i = 0; i < count; i++) {
        if (!s->held[i] && refine_within(s, coarse_at(step, i))) {
            const v3 none = {0.0f, 0.0f, 0.0f};
            const v3 p = refine_leave(s, coarse_at(step, i), none, def->options.thickness);
            memcpy(step->coarse + 3 * i, &p, sizeof p);
        }
    }
}

/* What corrections may move vertices out of the coarse cloth by. */
static float margin_of(const refine_def *def) {
    return 0.25f * k_max(def->spacing[0], def->spacing[1]) + 4.0f * def->options.thickness;
}

/* Chapter 8, 5: bodies that cannot touch the cloth are left out. They hide it at most, and being
 * closed they are then an even number of layers. */
static void filter(refine_scene *s, const refine_def *def, const refine_step *step) {
    const float margin = margin_of(def);
    const size_t count = (size_t)def->columns * (size_t)def->rows;
    box around = EMPTY;
    for (size_t i = 0; i < count; i++) {
        around = box_add(around, coarse_at(step, i));
    }
    around.low = ccd_box_low(around.low, margin);
    around.high = ccd_box_high(around.high, margin);
    s->kept = 0;
    for (size_t i = 0; i < s->body_count; i++) {
        refine_body *b = &s->bodies[i];
        b->kept = !def->options.filter_objects || boxes_meet(around, (box){b->low, b->high});
        s->kept += b->kept;
    }
}

/* ---- views --------------------------------------------------------------------------------------
 */

static v3 unit(v3 a) {
    return v3_scale(a, v3_inverse_length(a));
}

/* Perpendicular to the view: across and up. */
static void find_axes(v3 forward, v3 up, v3 axes[2]) {
    v3 across = v3_cross(forward, up);
    if (v3_dot(across, across) < 1e-6f) {
        const v3 x = {1.0f, 0.0f, 0.0f}, y = {0.0f, 1.0f, 0.0f};
        across = v3_cross(forward, k_abs(forward.x) > k_abs(forward.y) ? y : x);
    }
    axes[0] = unit(across);
    axes[1] = v3_cross(axes[0], forward);
}

/* Distances from `from` along an axis, times a scale. */
static v4 make_row(v3 axis, v3 from, float scale) {
    return v4_make(v3_scale(axis, scale), -scale * v3_dot(axis, from));
}

static refine_view camera_view(const refine_camera *c, int side) {
    const float range = c->end - c->begin;
    v3 axes[2], forward = unit(c->forward);
    refine_view v = {
        .eye = c->eye, .forward = forward, .begin = c->begin, .end = c->end, .perspective = 1.0f};
    find_axes(forward, c->up, axes);
    v.x = make_row(axes[0], c->eye, 1.0f / c->tangents[0]);
    v.y = make_row(axes[1], c->eye, 1.0f / c->tangents[1]);
    v.w = make_row(forward, c->eye, 1.0f);
    v.z = make_row(forward, c->eye, (c->end + c->begin) / range);
    v.z.w -= 2.0f * c->end * c->begin / range;
    v.pixel = 2.0f * k_max(c->tangents[0], c->tangents[1]) / (float)side;
    return v;
}

/* Extent along an axis: of the cloth, or of the cloth and all bodies that are kept. */
static void find_extent(const refine_scene *s, const refine_def *def, const refine_step *step,
                        v3 axis, bool bodies, float out[2]) {
    const size_t count = (size_t)def->columns * (size_t)def->rows;
    out[0] = INFINITY;
    out[1] = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        const float at = v3_dot(coarse_at(step, i), axis);
        out[0] = k_min(out[0], at);
        out[1] = k_max(out[1], at);
    }
    for (size_t i = 0; i < s->body_count && bodies; i++) {
        for (int corner = 0; corner < 8 && s->bodies[i].kept; corner++) {
            const v3 low = s->bodies[i].low, high = s->bodies[i].high;
            const float at =
                v3_dot(v3_make(corner & 1 ? low.x : high.x, corner & 2 ? low.y : high.y,
                               corner & 4 ? low.z : high.z),
                       axis);
            out[0] = k_min(out[0], at);
            out[1] = k_max(out[1], at);
        }
    }
}

/* Parallel lines of sight; the image has the whole cloth, and the depth all bodies. */
static refine_view direction_view(const refine_scene *s, const refine_def *def,
                                  const refine_step *step, v3 forward) {
    const float margin = margin_of(def);
    const v3 up = {0.0f, 1.0f, 0.0f};
    v3 axes[2], eye = {0.0f, 0.0f, 0.0f};
    refine_view v = {.forward = forward};
    v4 rows[2];
    find_axes(forward, up, axes);
    for (int k = 0; k < 2; k++) {
        float extent[2];
        find_extent(s, def, step, axes[k], false, extent);
        const float half = 0.5f * (extent[1] - extent[0]) + margin;
        rows[k] = v4_make(v3_scale(axes[k], 1.0f / half), -0.5f * (extent[0] + extent[1]) / half);
        eye = v3_madd(eye, axes[k], 0.5f * (extent[0] + extent[1]));
        v.pixel = k_max(v.pixel, 2.0f * half / (float)def->options.resolution);
    }
    float extent[2];
    find_extent(s, def, step, forward, true, extent);
    v.begin = extent[0] - margin;
    v.end = extent[1] + margin;
    v.eye = eye;
    v.x = rows[0];
    v.y = rows[1];
    v.z = v4_make(v3_scale(forward, 2.0f / (v.end - v.begin)),
                  -(v.end + v.begin) / (v.end - v.begin));
    v.w = (v4){0.0f, 0.0f, 0.0f, 1.0f};
    return v;
}

/* The axes, the diagonals of a cube and those of its faces: each as far from the others as it can
 * be. */
static v3 direction(int number) {
    static const v3 all[REFINE_MOST_VIEWS] = {
        {0, 0, -1},  {0, -1, 0},  {-1, 0, 0},  {-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1},
        {0, -1, -1}, {-1, 0, -1}, {-1, -1, 0}, {0, 1, -1},   {1, 0, -1},  {-1, 1, 0}};
    return unit(all[number]);
}

static void place_views(refine_scene *s, const refine_def *def, const refine_step *step) {
    const refine_options *o = &def->options;
    s->view_count = o->directions > 0 ? o->directions : 1;
    for (int v = 0; v < o->directions; v++) {
        s->views[v] = direction_view(s, def, step, direction(v));
    }
    if (o->directions == 0) {
        s->views[0] = camera_view(step->camera, o->resolution);
    }
}

toile_result refine_scene_step(refine_scene *s, const refine_def *def, const refine_step *step) {
    toile_result result = take_vertices(s, step);
    for (size_t i = 0; i < s->body_count && !s->built && result == TOILE_OK; i++) {
        result = build_tree(s, &s->bodies[i]);
    }
    if (result != TOILE_OK) {
        s->node_count = s->built ? s->node_count : 0;
        return result;
    }
    s->built = true;
    refit(s);
    if (def->options.layers > 0 && def->options.correction >= REFINE_OBJECT) {
        bring_out(s, def, step);
    }
    filter(s, def, step);
    if (def->options.layers > 0) {
        place_views(s, def, step);
    }
    return TOILE_OK;
}
