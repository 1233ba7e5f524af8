#include "cpu/maps.h"

#include <float.h>

#include "kernel/contact.h"
#include "kernel/shape.h"
#include "kernel/triangle.h"

/* ---- images -------------------------------------------------------------------------------------
 */

static v4 pixel_at(const map_set *set, int layer, float column, float row) {
    size_t side = (size_t)set->side;
    const float *at =
        set->images + 4 * (((size_t)layer * side + (size_t)row) * side + (size_t)column);
    return (v4){at[0], at[1], at[2], at[3]};
}

/* What a view of a body says about a point: unit normal in the view and distance, and its rank. */
static v4 view_answer(const map_set *set, const body_map *b, int view, v3 q, float reach,
                      float *rank) {
    const int axis = map_axis(b, view), layer = b->layer + MAPS_IMAGES * view;
    const v3 low = maps_view(b->low, axis);
    float column = maps_pixel(q.x, low.x, b->pixel, (float)b->size[(axis + 1) % 3]);
    float row = maps_pixel(q.y, low.y, b->pixel, (float)b->size[(axis + 2) % 3]);
    v4 front = pixel_at(set, layer + MAPS_FRONT, column, row);
    v4 inner = pixel_at(set, layer + MAPS_INNER, column, row);
    bool empty = maps_empty(front);
    if (empty && maps_blank(inner)) {
        *rank = MAPS_NONE;
        return inner;
    }
    if (empty) {
        column = inner.x;
        row = inner.y;
        front = pixel_at(set, layer + MAPS_FRONT, column, row);
        inner = pixel_at(set, layer + MAPS_INNER, column, row);
    }
    v4 back = pixel_at(set, layer + MAPS_BACK, column, row);
    float u = maps_middle(column, low.x, b->pixel), v = maps_middle(row, low.y, b->pixel);
    float slack = b->views > 1 ? 1.0f : 0.0f;
    if (maps_beside(q, u, v, b->pixel, empty, slack)) {
        v4 hit = maps_around(q, u, v, front, back, b->pixel);
        *rank = maps_rank_around(hit, b->pixel, reach);
        return hit;
    }
    v4 hit = maps_between(q, u, v, front, back);
    *rank =
        maps_hidden(q, inner) ? MAPS_NONE : maps_rank(q, u, v, front, back, hit, b->pixel, reach);
    return hit;
}

v4 maps_distance(const map_set *set, int body, v3 p, float reach, bool *hidden) {
    const body_map *b = &set->bodies[body];
    const v4 far = v4_make(v3_make(0.0f, 0.0f, 0.0f), MAPS_NONE);
    v4 hit = far;
    float best = MAPS_NONE;
    *hidden = false;
    if (!(box_squared(p, b->low, b->high) <= reach * reach)) {
        return far; /* what is not finite, too */
    }
    for (int view = 0; view < b->views; view++) {
        const int axis = map_axis(b, view);
        float rank;
        v4 answer = view_answer(set, b, view, maps_view(p, axis), reach, &rank);
        if (rank < best) {
            best = rank;
            hit = v4_make(maps_body(v4_xyz(answer), axis), answer.w);
        }
    }
    *hidden = best == MAPS_NONE;
    return hit.w < -reach ? far : hit;
}

/* The same in the world, of a body of the plan. */
static v4 world_distance(const map_set *set, const pass_args *args, int body, v3 p, bool *hidden) {
    const shape_args *s = &args->plan->bodies[body].shape[args->parity];
    v3 local = shape_local_point(p, s->center, s->axis_x, s->axis_y, s->axis_z);
    v4 hit = maps_distance(set, body, local, MAPS_REACH * args->params->spacing, hidden);
    v3 normal = shape_world_direction(v4_xyz(hit), s->axis_x, s->axis_y, s->axis_z);
    return v4_make(normal, hit.w);
}

/* ---- texels -------------------------------------------------------------------------------------
 */

typedef struct texel {
    v3 x, v;
    float pressure; /* m/s, of coarse levels */
} texel;

/* Answers a contact of a texel that will be `ahead`; returns whether it touches. */
static bool answer(const pass_args *args, int body, v3 ahead, v4 hit, texel *t) {
    const shape_args *s = &args->plan->bodies[body].shape[args->parity];
    const float substep = args->plan->substep, distance = args->params->contact_distance[body];
    v3 n = v4_xyz(hit);
    v3 surface = contact_surface_velocity(s->velocity, s->spin, v3_sub(ahead, s->center));
    float gap = contact_gap(t->x, ahead, hit.w - distance, n, surface, substep);
    bool reached = contact_reached(t->v, n, gap, surface, substep);
    float pressure = gap < distance ? t->pressure : 0.0f;
    t->x = v3_madd(t->x, n, contact_shift(gap, reached, s->reflection));
    if (reached || pressure > 0.0f) {
        t->v = contact_velocity(t->v, n, surface, reached, pressure,
                                args->params->contact_friction[body], s->reflection);
    }
    return reached || gap < 0.0f;
}

/* One sweep over the bodies; returns how many were touched. */
static int respond_to_all(const map_set *set, const pass_args *args, texel *t, bool *hidden) {
    int count = 0;
    for (int b = 0; b < args->plan->body_count; b++) {
        if (args->plan->bodies[b].solid) {
            bool unseen;
            v3 ahead = v3_madd(t->x, t->v, args->plan->substep);
            v4 hit = world_distance(set, args, b, ahead, &unseen);
            *hidden |= unseen;
            count += answer(args, b, ahead, hit, t);
        }
    }
    return count;
}

static v3 plane_at(float *const *planes, size_t k) {
    return v3_make(planes[0][k], planes[1][k], planes[2][k]);
}

static void put(float *const *planes, size_t k, v3 value) {
    planes[0][k] = value.x;
    planes[1][k] = value.y;
    planes[2][k] = value.z;
}

uint64_t maps_respond(const map_set *set, const pass_args *args, int row_begin, int row_end) {
    const grid *g = &args->state->grid;
    float *const *places = &args->state->at.plane[PLANE_x];
    float *const *velocities = &args->state->at.plane[PLANE_vx];
    const bool levels_there = args->hierarchy->count > 0;
    uint64_t count = 0;
    for (int row = row_begin; row < row_end; row++) {
        for (int column = 0; column < g->columns; column++) {
            size_t k = grid_index(g, column, row);
            if (!(args->state->at.inverse_mass[k] > 0.0f)) {
                continue;
            }
            float push = levels_there ? args->hierarchy->levels[0].at.push[k] : 0.0f;
            texel t = {plane_at(places, k), plane_at(velocities, k), push / args->plan->substep};
            bool hidden = false;
            for (int sweep = 0;
                 sweep < CONTACT_SWEEPS && respond_to_all(set, args, &t, &hidden) > 1; sweep++) {
            }
            put(places, k, t.x);
            put(velocities, k, t.v);
            count += hidden;
        }
    }
    return count;
}

void maps_push_out(const map_set *set, const pass_args *args, int row_begin, int row_end) {
    const level_state *l = &args->hierarchy->levels[args->level];
    const grid *g = &l->table->grid;
    for (int row = row_begin; row < row_end; row++) {
        for (int column = 0; column < g->columns; column++) {
            size_t k = grid_index(g, column, row);
            if (!(l->inverse_mass[k] > 0.0f)) {
                continue;
            }
            v3 p = plane_at(&l->at.plane[LEVEL_x], k), before = plane_at(&l->at.plane[LEVEL_bx], k);
            for (int b = 0; b < args->plan->body_count; b++) {
                if (args->plan->bodies[b].solid) {
                    bool hidden;
                    v4 hit = world_distance(set, args, b, p, &hidden);
                    float was = world_distance(set, args, b, before, &hidden).w;
                    float out = contact_push(hit.w - k_min(was, args->params->contact_distance[b]));
                    p = v3_madd(p, v4_xyz(hit), out);
                    l->at.push[k] += out;
                }
            }
            put(&l->at.plane[LEVEL_x], k, p);
        }
    }
}

/* ---- planes -------------------------------------------------------------------------------------
 */

/* In spacings: planes are known this far from a surface. */
static const float NEAR = 2.0f;

/* The plane of the nearest surface at a texel; returns whether there is one near. */
static bool put_plane(const cycle_planes *c, const map_set *set, const pass_args *args, size_t k,
                      v3 p, bool *hidden) {
    int nearest = -1;
    float gap = NEAR * args->params->spacing;
    v3 normal = {0.0f, 0.0f, 0.0f}, way = {0.0f, 0.0f, 0.0f};
    c->reflection[k] = 0.0f;
    for (int b = 0; b < args->plan->body_count; b++) {
        if (args->plan->bodies[b].solid) {
            bool unseen;
            v4 hit = world_distance(set, args, b, p, &unseen);
            *hidden |= unseen;
            if (hit.w - args->params->contact_distance[b] < gap) {
                gap = hit.w - args->params->contact_distance[b];
                nearest = b;
                normal = v4_xyz(hit);
            }
        }
    }
    if (nearest >= 0) {
        const shape_args *s = &args->plan->bodies[nearest].shape[args->parity];
        v3 surface = contact_surface_velocity(s->velocity, s->spin, v3_sub(p, s->center));
        way = v3_scale(surface, args->plan->substep);
        c->reflection[k] = s->reflection;
    }
    put((float *const[]){c->mx, c->my, c->mz}, k, normal);
    put((float *const[]){c->wx, c->wy, c->wz}, k, way);
    c->level[k] = nearest >= 0 ? v3_dot(normal, p) - gap : -FLT_MAX;
    c->friction[k] = nearest >= 0 ? args->params->contact_friction[nearest] : 0.0f;
    return nearest >= 0;
}

uint64_t maps_planes(cycle_state *s, const map_set *set, const pass_args *args, int row_begin,
                     int row_end) {
    const grid *g = &args->state->grid;
    uint64_t count = 0;
    for (int row = row_begin; row < row_end; row++) {
        bool any = false;
        for (int column = 0; column < g->columns; column++) {
            size_t k = grid_index(g, column, row);
            if (args->state->at.inverse_mass[k] > 0.0f) {
                bool hidden = false;
                v3 p = plane_at(&args->hierarchy->levels[0].at.plane[LEVEL_x], k);
                any |= put_plane(&s->levels[0].at, set, args, k, p, &hidden);
                count += hidden;
            }
        }
        s->row_meshes[row] = any;
    }
    return count;
}
