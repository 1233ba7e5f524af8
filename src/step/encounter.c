/* Cloth that starts inside a body. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/solid_build.h"
#include "step/world.h"

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
static void mark_pinned(const toile_world *world, size_t index, bool *pinned) {
    for (size_t i = 0; i < world->pins.count; i++) {
        const pin *p = world_pin(world, i);
        bool held = p && p->stiffness == 0.0f;
        for (uint32_t t = 0; held && p->cloth == index && t < p->count; t++) {
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
        if (depth > START_TOLERANCE) {
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
    for (uint32_t h = 0; h < 3 * s->triangle_count; h++) {
        const float *a = s->positions + 3 * (size_t)s->triangles[h];
        const float *b = s->positions + 3 * (size_t)s->triangles[half_edge_next(h)];
        double from[3], along[3], place[3], share[2];
        for (int k = 0; k < 3; k++) {
            from[k] = (double)a[k] - c.origin[k];
            along[k] = (double)b[k] - (double)a[k];
        }
        double height = dot3(from, c.normal), rise = dot3(along, c.normal);
        if (s->twins[h] < h || (height > 0.0) == (height + rise > 0.0)) {
            continue; /* seen from its other triangle, or on one side */
        }
        for (int k = 0; k < 3; k++) {
            place[k] = (double)a[k] - along[k] * height / rise;
        }
        if (share_of(&c, place, share) && !is_held(e, share[0], share[1])) {
            in.depth = fmax(in.depth, depth_beside(e, &c, place));
        }
    }
    in.depth = in.depth > START_TOLERANCE ? in.depth : 0.0;
    return in;
}

/* A body thinner than the spacing may pass between the texels. */
static inside measure_between(const encounter *e) {
    if (shape_is_mesh(e->body->def.shape)) {
        return measure_crossings(e);
    }
    piece all = piece_of(e, 0, 0, e->columns - 1, e->rows - 1);
    double u, v, depth = deepest(e, &all, CUTS, &u, &v);
    return (inside){.depth = depth > START_TOLERANCE && !is_held(e, u, v) ? depth : 0.0};
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
                depth_bound(e, &cell) <= START_TOLERANCE) {
                continue;
            }
            double u, v, depth = deepest(e, &cell, CELL_CUTS, &u, &v);
            size_t nearest = (v < 0.5 ? t : above) + (u < 0.5 ? 0 : 1);
            if (depth > START_TOLERANCE && !e->pinned[nearest] && depth > in.depth) {
                in.depth = depth;
            }
        }
    }
    return in;
}

/* ---- the whole world ----------------------------------------------------------------------------
 */

static toile_result refuse_inside(const cloth *c, const body *b, inside in) {
    if (in.count == 0) {
        return error_set(TOILE_ERROR_INVALID,
                         "the body \"%s\" starts in \"%s\" between its texels, %.3g mm deep: "
                         "expected them apart",
                         b->def.name, c->name, in.depth * 1e3);
    }
    return error_set(TOILE_ERROR_INVALID,
                     "%zu texel%s of \"%s\" start%s inside the body \"%s\", up to %.3g mm deep: "
                     "expected them apart",
                     in.count, in.count == 1 ? "" : "s", c->name, in.count == 1 ? "s" : "",
                     b->def.name, in.depth * 1e3);
}

/* A ball around the texels that exist. */
typedef struct ball {
    double middle[3];
    double radius;
} ball;

static ball ball_around(const encounter *e) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0, n = (size_t)e->columns * (size_t)e->rows; i < n; i++) {
        for (int k = 0; k < 3 && e->mask[i]; k++) {
            low[k] = fmin(low[k], (double)e->positions[3 * i + (size_t)k]);
            high[k] = fmax(high[k], (double)e->positions[3 * i + (size_t)k]);
        }
    }
    ball b = {0};
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        b.middle[k] = 0.5 * (low[k] + high[k]);
        square += (high[k] - low[k]) * (high[k] - low[k]);
    }
    b.radius = 0.5 * sqrt(square);
    return b;
}

/* The texels tell alone where the cloth is not as flat as it was made. */
static inside measure(const encounter *e, const cloth *c) {
    inside in = measure_texels(e);
    if (in.count > 0 || !c->fresh || c->placed) {
        return in;
    }
    bool whole = c->panel->rectangle || shape_is_mesh(e->body->def.shape);
    return whole ? measure_between(e) : measure_cells(e);
}

static toile_result check_cloth(const toile_world *w, size_t index, bool *pinned) {
    const cloth *c = world_cloth(w, index);
    encounter e = {.positions = cloth_read(w, c, FIELD_POSITION),
                   .mask = c->panel->mask,
                   .pinned = pinned,
                   .columns = c->grid.columns,
                   .rows = c->grid.rows};
    mark_pinned(w, index, pinned);
    ball around = ball_around(&e);
    for (size_t i = 0; i < w->bodies.count; i++) {
        const world_body *other = world_body_at(w, i);
        if (!other || !(c->fresh || other->fresh)) {
            continue;
        }
        e.body = &other->body;
        e.shape = body_shape_pose(e.body, &e.body->now);
        /* No shape says that it is farther away than it is. */
        if (depth_of(&e, around.middle) < -1.001 * around.radius) {
            continue;
        }
        inside in = measure(&e, c);
        if (in.depth > 0.0) {
            return refuse_inside(c, e.body, in);
        }
    }
    return TOILE_OK;
}

static bool any_fresh(const toile_world *w, bool *bodies) {
    bool any = false;
    *bodies = false;
    for (size_t i = 0; i < w->cloths.count; i++) {
        any |= world_cloth(w, i) && world_cloth(w, i)->fresh;
    }
    for (size_t i = 0; i < w->bodies.count; i++) {
        *bodies |= world_body_at(w, i) && world_body_at(w, i)->fresh;
    }
    return any || *bodies;
}

void start_settle(toile_world *w) {
    for (size_t i = 0; i < w->cloths.count; i++) {
        if (world_cloth(w, i)) {
            world_cloth(w, i)->fresh = false;
        }
    }
    for (size_t i = 0; i < w->bodies.count; i++) {
        if (world_body_at(w, i)) {
            world_body_at(w, i)->fresh = false;
        }
    }
}

toile_result start_check(toile_world *w, size_t *cloth_index) {
    bool fresh_bodies;
    toile_result result = TOILE_OK;
    if (!any_fresh(w, &fresh_bodies)) {
        return TOILE_OK;
    }
    for (size_t i = 0; i < w->cloths.count && result == TOILE_OK; i++) {
        const cloth *c = world_cloth(w, i);
        if (c && (c->fresh || fresh_bodies)) {
            bool *pinned = memory_alloc(grid_texels(&c->grid), sizeof *pinned, "pinned texels");
            *cloth_index = i;
            result = pinned ? check_cloth(w, i, pinned) : TOILE_ERROR_MEMORY;
            free(pinned);
        }
    }
    const bool untangles = w->def.start == TOILE_START_UNTANGLE;
    if (result == TOILE_OK && !untangles) {
        result = overlaps_check(w, cloth_index);
    }
    if (result == TOILE_OK && !untangles) {
        result = piercing_check(w, cloth_index);
    }
    w->tangled |= result == TOILE_OK && untangles;
    if (result == TOILE_OK) {
        start_settle(w);
    }
    return result;
}
