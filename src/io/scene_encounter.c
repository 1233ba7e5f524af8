#include "io/scene_encounter.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/json.h"
#include "step/world.h"

/* Deeper than this is inside: rounding of positions some metres from the origin stays below. */
static const double DEPTH_TOLERANCE = 1e-5;

/* A cloth as it starts and a body. What is measured between texels takes the cloth for flat. */
typedef struct encounter {
    const float *positions; /* of the texels */
    const uint8_t *mask;    /* of the texels that exist */
    const bool *pinned;
    int columns, rows;
    const body *body;
    pose shape; /* of the body */
} encounter;

typedef struct inside {
    size_t count; /* texels; 0 when the body is between them */
    double depth; /* m, of the deepest */
} inside;

/* Texels that are pinned may be in a body: those that it carries usually are. */
static void mark_pinned(const toile_world *world, toile_cloth_id id, bool *pinned) {
    for (size_t i = 0; i < world->pins.count; i++) {
        const pin *p = world_pin(world, i);
        for (uint32_t t = 0; p && p->cloth == id.slot - 1 && t < p->count; t++) {
            pinned[p->texels[t]] = true;
        }
    }
}

static double depth_of(const encounter *e, const double place[3]) {
    double local[3];
    pose_apply_inverse(&e->shape, place, local);
    v3 p = v3_make((float)local[0], (float)local[1], (float)local[2]);
    return (double)body_depth(e->body, p);
}

static inside measure_texels(const encounter *e) {
    inside in = {0};
    for (size_t t = 0, n = (size_t)e->columns * (size_t)e->rows; t < n; t++) {
        const float *x = e->positions + 3 * t;
        if (!e->mask[t] || e->pinned[t]) {
            continue;
        }
        double depth = depth_of(e, (const double[3]){(double)x[0], (double)x[1], (double)x[2]});
        if (depth > DEPTH_TOLERANCE) {
            in.count++;
            in.depth = depth > in.depth ? depth : in.depth;
        }
    }
    return in;
}

/* A flat piece of the cloth, by its corners. */
typedef struct piece {
    const float *origin, *right, *top;
} piece;

static piece piece_of(const encounter *e, int column, int row, int width, int height) {
    const float *origin = e->positions + 3 * ((size_t)row * (size_t)e->columns + (size_t)column);
    return (piece){origin, origin + 3 * (size_t)width,
                   origin + 3 * (size_t)e->columns * (size_t)height};
}

/* Depth at shares u and v of the piece's width and height. */
static double depth_at(const encounter *e, const piece *p, double u, double v) {
    const float *origin = p->origin, *right = p->right, *top = p->top;
    double place[3];
    for (int k = 0; k < 3; k++) {
        double x = (double)origin[k];
        place[k] = x + u * ((double)right[k] - x) + v * ((double)top[k] - x);
    }
    return depth_of(e, place);
}

/* All bodies but meshes are convex and the cloth is flat, so that along any line across it the
 * depth rises to one maximum and falls: thirds are cut off at the lower side. */
enum { CUTS = 48, CELL_CUTS = 24 }; /* of a cloth, and of a single cell */

static double deepest_along_v(const encounter *e, const piece *p, int cuts, double u, double *v) {
    double low = 0.0, high = 1.0;
    for (int i = 0; i < cuts; i++) {
        double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
        if (depth_at(e, p, u, a) < depth_at(e, p, u, b)) {
            low = a;
        } else {
            high = b;
        }
    }
    *v = 0.5 * (low + high);
    return depth_at(e, p, u, *v);
}

static double deepest(const encounter *e, const piece *p, int cuts, double *u, double *v) {
    double low = 0.0, high = 1.0;
    for (int i = 0; i < cuts; i++) {
        double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
        if (deepest_along_v(e, p, cuts, a, v) < deepest_along_v(e, p, cuts, b, v)) {
            low = a;
        } else {
            high = b;
        }
    }
    *u = 0.5 * (low + high);
    return deepest_along_v(e, p, cuts, *u, v);
}

/* Also where there is no cloth. */
static bool is_held(const encounter *e, double u, double v) {
    size_t column = (size_t)(u * (e->columns - 1) + 0.5), row = (size_t)(v * (e->rows - 1) + 0.5);
    size_t t = row * (size_t)e->columns + column;
    return e->pinned[t] || !e->mask[t];
}

/* A mesh is not convex. Where its edges go through the cloth, it is inside to that side of the
 * cloth's plane to which its surface falls away: points there, nearer and nearer, tell how deep at
 * least. */
typedef struct crossing {
    double origin[3], sides[2][3], normal[3]; /* of the cloth, in the body's frame */
    double squared[2];                        /* lengths of the sides */
} crossing;

static crossing crossing_make(const encounter *e) {
    const float *corners[3] = {e->positions, e->positions + 3 * (size_t)(e->columns - 1),
                               e->positions + 3 * (size_t)e->columns * (size_t)(e->rows - 1)};
    double local[3][3];
    for (int i = 0; i < 3; i++) {
        double place[3] = {(double)corners[i][0], (double)corners[i][1], (double)corners[i][2]};
        pose_apply_inverse(&e->shape, place, local[i]);
    }
    crossing c = {0};
    for (int k = 0; k < 3; k++) {
        c.origin[k] = local[0][k];
        for (int side = 0; side < 2; side++) {
            c.sides[side][k] = local[side + 1][k] - local[0][k];
            c.squared[side] += c.sides[side][k] * c.sides[side][k];
        }
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        c.normal[k] = c.sides[0][i] * c.sides[1][j] - c.sides[0][j] * c.sides[1][i];
    }
    return c;
}

static double dot3(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Shares of the sides at a point of the plane; whether it is in the cloth. */
static bool share_of(const crossing *c, const double place[3], double share[2]) {
    double from[3] = {place[0] - c->origin[0], place[1] - c->origin[1], place[2] - c->origin[2]};
    bool in = true;
    for (int side = 0; side < 2; side++) {
        share[side] = dot3(from, c->sides[side]) / c->squared[side];
        in = in && share[side] >= 0.0 && share[side] <= 1.0;
    }
    return in;
}

/* Depth beside a place of the surface that is in the cloth's plane. */
static double depth_beside(const encounter *e, const crossing *c, const double place[3]) {
    v4 hit = body_distance(e->body, v3_make((float)place[0], (float)place[1], (float)place[2]));
    double normal[3] = {(double)hit.x, (double)hit.y, (double)hit.z};
    double out = dot3(normal, c->normal) / dot3(c->normal, c->normal), most = 0.0;
    double spacing = sqrt(c->squared[0]) / (e->columns - 1);
    for (int k = 0; k < 3; k++) {
        normal[k] -= out * c->normal[k];
    }
    for (int i = 0; i < 8; i++) {
        double share[2], beside[3], step = spacing / (1 << i);
        for (int k = 0; k < 3; k++) {
            beside[k] = place[k] - step * normal[k];
        }
        v3 p = v3_make((float)beside[0], (float)beside[1], (float)beside[2]);
        if (share_of(c, beside, share) && !is_held(e, share[0], share[1])) {
            most = fmax(most, (double)body_depth(e->body, p));
        }
    }
    return most;
}

static inside measure_crossings(const encounter *e) {
    const solid *s = &e->body->solid;
    crossing c = crossing_make(e);
    inside in = {0};
    for (size_t h = 0; h < 3 * s->triangle_count; h++) {
        size_t next = h % 3 == 2 ? h - 2 : h + 1;
        const float *a = s->positions + 3 * (size_t)s->triangles[h];
        const float *b = s->positions + 3 * (size_t)s->triangles[next];
        double from[3], along[3], place[3], share[2];
        for (int k = 0; k < 3; k++) {
            from[k] = (double)a[k] - c.origin[k];
            along[k] = (double)b[k] - (double)a[k];
        }
        double height = dot3(from, c.normal), rise = dot3(along, c.normal);
        if (s->triangles[h] > s->triangles[next] || (height > 0.0) == (height + rise > 0.0)) {
            continue; /* seen from its other triangle, or on one side */
        }
        for (int k = 0; k < 3; k++) {
            place[k] = (double)a[k] - along[k] * height / rise;
        }
        if (share_of(&c, place, share) && !is_held(e, share[0], share[1])) {
            in.depth = fmax(in.depth, depth_beside(e, &c, place));
        }
    }
    in.depth = in.depth > DEPTH_TOLERANCE ? in.depth : 0.0;
    return in;
}

/* A body thinner than the spacing may pass between the texels. */
static inside measure_between(const encounter *e) {
    if (e->body->def.shape == TOILE_SHAPE_MESH) {
        return measure_crossings(e);
    }
    piece all = piece_of(e, 0, 0, e->columns - 1, e->rows - 1);
    double u, v, depth = deepest(e, &all, CUTS, &u, &v);
    return (inside){.depth = depth > DEPTH_TOLERANCE && !is_held(e, u, v) ? depth : 0.0};
}

/* The most that the depth in a piece can be. The middle m of the piece is that of any point x and
 * one y across, so that depth(x) <= 2 depth(m) - depth(y), and y is nowhere less deep than at a
 * corner. */
static double depth_bound(const encounter *e, const piece *p) {
    double least = INFINITY;
    for (int k = 0; k < 4; k++) {
        int right = k % 2, top = k / 2;
        least = fmin(least, depth_at(e, p, right, top));
    }
    return 2.0 * depth_at(e, p, 0.5, 0.5) - least;
}

/* The same for an outline, cell by cell: what is deepest in its box may be in a hole. */
static inside measure_cells(const encounter *e) {
    inside in = {0};
    for (int j = 0; j + 1 < e->rows; j++) {
        for (int i = 0; i + 1 < e->columns; i++) {
            size_t t = (size_t)j * (size_t)e->columns + (size_t)i, above = t + (size_t)e->columns;
            piece cell = piece_of(e, i, j, 1, 1);
            if (!e->mask[t] || !e->mask[t + 1] || !e->mask[above] || !e->mask[above + 1] ||
                depth_bound(e, &cell) <= DEPTH_TOLERANCE) {
                continue;
            }
            double u, v, depth = deepest(e, &cell, CELL_CUTS, &u, &v);
            size_t nearest = (v < 0.5 ? t : above) + (u < 0.5 ? 0 : 1);
            if (depth > DEPTH_TOLERANCE && !e->pinned[nearest] && depth > in.depth) {
                in.depth = depth;
            }
        }
    }
    return in;
}

/* ---- the whole scene ----------------------------------------------------------------------------
 */

typedef struct start {
    const scene *scene;
    const toile_world *world;
    const scene_ids *ids;
} start;

static toile_result refuse_inside(const scene *s, int index, int other, inside in) {
    node root = node_root(s->source), cloths = node_member(&root, "cloths");
    node at = node_element(&cloths, (size_t)s->cloths[index].element);
    const char *name = s->cloths[index].def.name;
    const char *body_name = s->bodies[other].def.name;
    if (in.count == 0) {
        return node_error(&at,
                          "the body \"%s\" (bodies[%d]) starts in \"%s\" between its texels, "
                          "%.3g mm deep: expected them apart",
                          body_name, other, name, in.depth * 1e3);
    }
    return node_error(&at,
                      "%zu texel%s of \"%s\" start%s inside the body \"%s\" (bodies[%d]), up to "
                      "%.3g mm deep: expected them apart",
                      in.count, in.count == 1 ? "" : "s", name, in.count == 1 ? "s" : "", body_name,
                      other, in.depth * 1e3);
}

/* The texels of a cloth as the checks need them, one entry a texel. */
typedef struct texels {
    float *positions;
    uint8_t *mask;
    bool *pinned;
    bool full;        /* none is absent */
    double middle[3]; /* of the box around those that exist */
    double reach;     /* m, half its diagonal */
} texels;

static void find_box(texels *t, size_t count) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    t->full = true;
    for (size_t i = 0; i < count; i++) {
        t->full &= t->mask[i] != 0;
        for (int k = 0; k < 3 && t->mask[i]; k++) {
            low[k] = fmin(low[k], (double)t->positions[3 * i + (size_t)k]);
            high[k] = fmax(high[k], (double)t->positions[3 * i + (size_t)k]);
        }
    }
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        t->middle[k] = 0.5 * (low[k] + high[k]);
        square += (high[k] - low[k]) * (high[k] - low[k]);
    }
    t->reach = 0.5 * sqrt(square);
}

static toile_result read_texels(const toile_world *world, toile_cloth_id id, size_t count,
                                texels *t) {
    toile_result result = toile_cloth_get_texel_positions(world, id, t->positions, count);
    if (result == TOILE_OK) {
        result = toile_cloth_get_texel_mask(world, id, t->mask, count);
    }
    if (result == TOILE_OK) {
        mark_pinned(world, id, t->pinned);
        find_box(t, count);
    }
    return result;
}

/* The texels tell alone where the cloth does not start flat. */
static inside measure(const encounter *e, const scene_cloth *c, bool full) {
    inside in = measure_texels(e);
    if (in.count > 0 || c->piece) {
        return in;
    }
    bool whole = full || e->body->def.shape == TOILE_SHAPE_MESH;
    return whole ? measure_between(e) : measure_cells(e);
}

static toile_result check_cloth(const start *s, int index, texels *t) {
    toile_cloth_id id = s->ids->cloths[index];
    toile_cloth_info info = toile_cloth_get_info(s->world, id);
    toile_result result = read_texels(s->world, id, info.texels, t);
    for (int i = 0; i < s->scene->body_count && result == TOILE_OK; i++) {
        const world_body *owner = world_body_at(s->world, s->ids->bodies[i].slot - 1);
        TOILE_ASSERT(owner);
        const body *other = &owner->body;
        encounter e = {t->positions,
                       t->mask,
                       t->pinned,
                       info.columns,
                       info.rows,
                       other,
                       body_shape_pose(other, &other->now)};
        /* No shape says that it is farther away than it is. */
        if (depth_of(&e, t->middle) < -1.001 * t->reach) {
            continue;
        }
        inside in = measure(&e, &s->scene->cloths[index], t->full);
        if (in.depth > 0.0) {
            result = refuse_inside(s->scene, index, i, in);
        }
    }
    return result;
}

toile_result scene_check_encounters(const scene *s, const toile_world *world,
                                    const scene_ids *ids) {
    const start all = {s, world, ids};
    toile_result result = TOILE_OK;
    for (int i = 0; i < s->cloth_count && result == TOILE_OK; i++) {
        size_t count = toile_cloth_get_info(world, ids->cloths[i]).texels;
        texels t = {.positions = memory_alloc(count, 3 * sizeof *t.positions, "positions"),
                    .mask = memory_alloc(count, sizeof *t.mask, "existing texels"),
                    .pinned = memory_alloc(count, sizeof *t.pinned, "pinned texels")};
        bool enough = t.positions && t.mask && t.pinned;
        result = enough ? check_cloth(&all, i, &t) : TOILE_ERROR_MEMORY;
        free(t.positions);
        free(t.mask);
        free(t.pinned);
    }
    return result;
}
