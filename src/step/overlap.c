/* Cloths that start in the same place: self-collision cannot tell which side of the other each
 * belongs to, and what it does to layers without any distance throws them apart.
 *
 * Two cloths are in the same place where an edge of one goes through a triangle of the other, or
 * where a vertex or the middle of a triangle lies on it. Borders may touch, and cross by no more
 * than a quarter of a spacing, as the borders of panels that belong together do: a border counts
 * neither as what lies on the other cloth nor as what something lies on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/solid_build.h"
#include "step/world.h"

/* Of the mean thickness of two cloths: nearer, one lies on the other. */
static const double SHARE_OF_THICKNESS = 0.1;
/* Of the spacing: the width of a border. */
static const double BORDER_WIDTH = 0.25;

typedef struct box3 {
    double low[3], high[3];
} box3;

typedef struct sheet {
    const cloth *cloth;
    float *vertices;
    uint8_t *outer; /* a triangle: which of its edges are the border's */
    bool *border;   /* a vertex */
    box3 box;
    double border_width;
    solid tree; /* positions and triangles are the cloth's; nodes only when they were needed */
} sheet;

/* A triangle, as the tests need it. */
typedef struct facet {
    double corners[3][3], normal[3]; /* unit */
    bool outer[3];                   /* the edge from a corner on */
    bool border[3];                  /* the corner */
    double border_width;
} facet;

/* ---- vectors ------------------------------------------------------------------------------------
 */

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void subtract(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = a[k] - b[k];
    }
}

static void cross(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = a[i] * b[j] - a[j] * b[i];
    }
}

static void box_add(box3 *b, const double p[3]) {
    for (int k = 0; k < 3; k++) {
        b->low[k] = fmin(b->low[k], p[k]);
        b->high[k] = fmax(b->high[k], p[k]);
    }
}

static const box3 NOTHING = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static bool boxes_meet(const box3 *a, const box3 *b, double reach) {
    for (int k = 0; k < 3; k++) {
        if (!(a->low[k] <= b->high[k] + reach && b->low[k] <= a->high[k] + reach)) {
            return false;
        }
    }
    return true;
}

/* ---- two triangles ------------------------------------------------------------------------------
 */

static void load_vertex(const sheet *s, uint32_t v, double out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = (double)s->vertices[3 * (size_t)v + (size_t)k];
    }
}

static facet facet_of(const sheet *s, uint32_t triangle) {
    const uint32_t *v = s->cloth->panel->render.indices + 3 * (size_t)triangle;
    facet f = {.border_width = s->border_width};
    double ab[3], ac[3];
    for (int k = 0; k < 3; k++) {
        load_vertex(s, v[k], f.corners[k]);
        f.outer[k] = s->outer[triangle] >> k & 1;
        f.border[k] = s->border[v[k]];
    }
    subtract(f.corners[1], f.corners[0], ab);
    subtract(f.corners[2], f.corners[0], ac);
    cross(ab, ac, f.normal);
    double length = sqrt(dot(f.normal, f.normal));
    for (int k = 0; k < 3 && length > 0.0; k++) {
        f.normal[k] /= length;
    }
    return f;
}

static double height_of(const facet *f, const double p[3]) {
    double from[3];
    subtract(p, f->corners[0], from);
    return dot(from, f->normal);
}

/* Is a point of its plane in the triangle, and not at the border of its cloth? */
static bool covers(const facet *f, const double p[3]) {
    for (int k = 0; k < 3; k++) {
        double along[3], inwards[3], from[3];
        subtract(f->corners[(k + 1) % 3], f->corners[k], along);
        cross(f->normal, along, inwards);
        subtract(p, f->corners[k], from);
        double least = f->outer[k] ? f->border_width : -START_TOLERANCE;
        if (!(dot(inwards, from) > least * sqrt(dot(along, along))) ||
            (f->border[k] && dot(from, from) <= f->border_width * f->border_width)) {
            return false;
        }
    }
    return true;
}

static bool lies_on(const facet *f, const double p[3], double nearest) {
    return fabs(height_of(f, p)) <= nearest && covers(f, p);
}

static bool goes_through(const facet *f, const double p[3], const double q[3], double place[3]) {
    double above = height_of(f, p), below = height_of(f, q);
    if (above < below) {
        double swapped = above;
        above = below;
        below = swapped;
    }
    if (!(above > START_TOLERANCE && below < -START_TOLERANCE)) {
        return false;
    }
    double share = fabs(height_of(f, p)) / (above - below);
    for (int k = 0; k < 3; k++) {
        place[k] = p[k] + share * (q[k] - p[k]);
    }
    return covers(f, place);
}

/* Does the first one go through the second, or lie on it? */
static bool is_in(const facet *f, const facet *other, double nearest, double place[3]) {
    for (int k = 0; k < 3; k++) {
        place[k] = (f->corners[0][k] + f->corners[1][k] + f->corners[2][k]) / 3.0;
    }
    bool found = lies_on(other, place, nearest);
    for (int k = 0; k < 3 && !found; k++) {
        const double *p = f->corners[k], *q = f->corners[(k + 1) % 3];
        found = !f->outer[k] && goes_through(other, p, q, place);
        if (!found && !f->border[k]) {
            memcpy(place, p, 3 * sizeof *place);
            found = lies_on(other, place, nearest);
        }
    }
    return found;
}

/* ---- two cloths ---------------------------------------------------------------------------------
 */

typedef struct encounter {
    const sheet *first; /* has a tree */
    double nearest;     /* m, that is too near */
    double place[3];    /* where they meet */
} encounter;

static bool meets_faces(encounter *e, const facet *f, uint32_t begin, uint32_t count) {
    for (uint32_t i = begin; i < begin + count; i++) {
        facet other = facet_of(e->first, e->first->tree.face_triangle[i]);
        if (is_in(f, &other, e->nearest, e->place) || is_in(&other, f, e->nearest, e->place)) {
            return true;
        }
    }
    return false;
}

static box3 child_box(const solid_node *node, int child) {
    v3 low = node->low[child], high = node->high[child];
    return (box3){{(double)low.x, (double)low.y, (double)low.z},
                  {(double)high.x, (double)high.y, (double)high.z}};
}

/* The tree is no deeper than the logarithm of its triangles. */
static bool meets_node(encounter *e, const facet *f, const box3 *box, uint32_t index) {
    const solid_node *node = &e->first->tree.nodes[index];
    bool found = false;
    for (int child = 0; child < 2 && !found; child++) {
        box3 there = child_box(node, child);
        if (boxes_meet(box, &there, e->nearest)) {
            found = node->count[child] > 0
                        ? meets_faces(e, f, node->first[child], node->count[child])
                        : meets_node(e, f, box, node->first[child]);
        }
    }
    return found;
}

static bool meets_tree(encounter *e, const facet *f, const box3 *box) {
    bool single = e->first->tree.triangle_count == 1; /* has no two halves */
    return single ? meets_faces(e, f, 0, 1) : meets_node(e, f, box, 0);
}

static bool sheets_meet(encounter *e, const sheet *second) {
    uint32_t count = second->cloth->panel->render.triangle_count;
    for (uint32_t t = 0; t < count; t++) {
        facet f = facet_of(second, t);
        box3 box = NOTHING;
        for (int k = 0; k < 3; k++) {
            box_add(&box, f.corners[k]);
        }
        if (boxes_meet(&box, &e->first->box, e->nearest) && meets_tree(e, &f, &box)) {
            return true;
        }
    }
    return false;
}

/* ---- all of them --------------------------------------------------------------------------------
 */

static toile_result sheet_read(const toile_world *w, const cloth *c, sheet *s) {
    const flat_mesh *mesh = &c->panel->render;
    const char *what = "the check of a start";
    s->cloth = c;
    s->box = NOTHING;
    s->border_width = fmax(START_TOLERANCE, BORDER_WIDTH * (double)c->grid.spacing);
    s->vertices = memory_alloc(mesh->vertex_count, 3 * sizeof *s->vertices, what);
    s->border = memory_alloc(mesh->vertex_count, sizeof *s->border, what);
    s->outer = flat_mesh_outer_edges(mesh);
    if (!s->vertices || !s->border || !s->outer) {
        return TOILE_ERROR_MEMORY;
    }
    surface_positions(c->panel, cloth_read(w, c, FIELD_POSITION), s->vertices);
    for (uint32_t h = 0; h < 3 * mesh->triangle_count; h++) {
        if (s->outer[h / 3] >> h % 3 & 1) {
            s->border[mesh->indices[h]] = s->border[mesh->indices[half_edge_next(h)]] = true;
        }
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        double p[3];
        load_vertex(s, v, p);
        box_add(&s->box, p);
    }
    return TOILE_OK;
}

/* Made for those that have another one near them. */
static toile_result sheet_grow_tree(sheet *s) {
    const flat_mesh *mesh = &s->cloth->panel->render;
    if (s->tree.nodes) {
        return TOILE_OK;
    }
    s->tree = (solid){.positions = s->vertices,
                      .triangles = mesh->indices,
                      .triangle_count = mesh->triangle_count};
    s->tree.face_triangle =
        memory_alloc(mesh->triangle_count, sizeof *s->tree.face_triangle, "the check of a start");
    return s->tree.face_triangle ? solid_build_tree(&s->tree) : TOILE_ERROR_MEMORY;
}

static void sheets_free(sheet *sheets, size_t count) {
    for (size_t i = 0; i < count; i++) {
        free(sheets[i].vertices);
        free(sheets[i].outer);
        free(sheets[i].border);
        free(sheets[i].tree.nodes);
        free(sheets[i].tree.face_triangle);
    }
    free(sheets);
}

static toile_result check_pair(sheet *a, const sheet *b) {
    double thickness =
        0.5 * ((double)a->cloth->def.fabric.thickness + (double)b->cloth->def.fabric.thickness);
    encounter e = {.first = a, .nearest = fmax(START_TOLERANCE, SHARE_OF_THICKNESS * thickness)};
    if (!(a->cloth->fresh || b->cloth->fresh) || !boxes_meet(&a->box, &b->box, e.nearest)) {
        return TOILE_OK;
    }
    toile_result result = sheet_grow_tree(a);
    if (result == TOILE_OK && sheets_meet(&e, b)) {
        result = error_set(TOILE_ERROR_INVALID,
                           "\"%s\" starts in the same place as \"%s\", such as at (%.4g, %.4g, "
                           "%.4g): expected cloths apart, except where their borders touch",
                           b->cloth->name, a->cloth->name, e.place[0], e.place[1], e.place[2]);
    }
    return result;
}

toile_result overlaps_check(const toile_world *w, size_t *cloth_index) {
    size_t count = 0;
    sheet *sheets = memory_alloc(w->cloths.count, sizeof *sheets, "the check of a start");
    toile_result result = sheets ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t i = 0; i < w->cloths.count && result == TOILE_OK; i++) {
        const cloth *c = world_cloth(w, i);
        if (c) {
            *cloth_index = i;
            result = sheet_read(w, c, &sheets[count++]);
        }
        for (size_t other = 0; c && other + 1 < count && result == TOILE_OK; other++) {
            result = check_pair(&sheets[other], &sheets[count - 1]);
        }
    }
    sheets_free(sheets, count);
    return result;
}
