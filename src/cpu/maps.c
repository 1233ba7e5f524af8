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

/* A pair of cameras, and what they see at the pixel of a point, or else at the nearest one on the
 * body. */
typedef struct sight {
    const map_set *set;
    const body_map *body;
    int axis, layer;
    float column, row, u, v; /* of the pixel, and m, its middle */
    v4 front, back, inner;
    bool empty; /* the point's own pixel is */
} sight;

/* False: all of the view is empty. */
static bool look(sight *s, v3 q) {
    const body_map *b = s->body;
    const v3 low = maps_view(b->low, s->axis);
    s->column = maps_pixel(q.x, low.x, b->pixel, (float)b->size[(s->axis + 1) % 3]);
    s->row = maps_pixel(q.y, low.y, b->pixel, (float)b->size[(s->axis + 2) % 3]);
    s->front = pixel_at(s->set, s->layer + MAPS_FRONT, s->column, s->row);
    s->inner = pixel_at(s->set, s->layer + MAPS_INNER, s->column, s->row);
    s->empty = maps_empty(s->front);
    if (s->empty && maps_blank(s->inner)) {
        return false;
    }
    if (s->empty) {
        s->column = s->inner.x;
        s->row = s->inner.y;
        s->front = pixel_at(s->set, s->layer + MAPS_FRONT, s->column, s->row);
        s->inner = pixel_at(s->set, s->layer + MAPS_INNER, s->column, s->row);
    }
    s->back = pixel_at(s->set, s->layer + MAPS_BACK, s->column, s->row);
    s->u = maps_middle(s->column, low.x, b->pixel);
    s->v = maps_middle(s->row, low.y, b->pixel);
    return true;
}

/* How far the surface that is next to a point there goes in the step. */
static v3 way_of(const sight *s, v3 q) {
    bool is_front = maps_is_front(q, s->u, s->v, s->front, s->back);
    int image = is_front ? MAPS_FRONT_WAY : MAPS_BACK_WAY;
    return v4_xyz(pixel_at(s->set, s->layer + image, s->column, s->row));
}

/* What a view of a body says about a point: unit normal in the view and distance, the way of the
 * surface in the step, and the answer's rank. */
static map_hit view_answer(sight *s, v3 q, float time, float reach, float *rank) {
    const body_map *b = s->body;
    map_hit hit = {0};
    if (!look(s, q)) {
        *rank = MAPS_NONE;
        return hit;
    }
    if (b->images == MAPS_MOVING_IMAGES) {
        const v3 now = q;
        for (int i = 0; i < MAPS_FOLLOWS && time < 1.0f; i++) {
            q = maps_ahead(now, way_of(s, q), time);
            look(s, q);
        }
        hit.way = way_of(s, q);
    }
    float slack = b->views > 1 ? 1.0f : 0.0f;
    if (maps_beside(q, s->u, s->v, b->pixel, s->empty, slack)) {
        hit.distance = maps_around(q, s->u, s->v, s->front, s->back, b->pixel);
        *rank = maps_rank_around(hit.distance, b->pixel, reach);
        return hit;
    }
    hit.distance = maps_between(q, s->u, s->v, s->front, s->back);
    *rank = maps_hidden(q, s->inner)
                ? MAPS_NONE
                : maps_rank(q, s->u, s->v, s->front, s->back, hit.distance, b->pixel, reach);
    return hit;
}

map_hit maps_distance(const map_set *set, int body, v3 p, float time, float reach) {
    const body_map *b = &set->bodies[body];
    const map_hit far = {.distance = {0.0f, 0.0f, 0.0f, MAPS_NONE}};
    const float wide = reach + b->longest_way;
    map_hit hit = far;
    float best = MAPS_NONE;
    if (!(box_squared(p, b->low, b->high) <= wide * wide)) {
        return far; /* what is not finite, too */
    }
    for (int view = 0; view < b->views; view++) {
        const int axis = map_axis(b, view);
        sight s = {.set = set, .body = b, .axis = axis, .layer = b->layer + b->images * view};
        float rank;
        map_hit answer = view_answer(&s, maps_view(p, axis), time, reach, &rank);
        if (rank < best) {
            best = rank;
            hit.distance = v4_make(maps_body(v4_xyz(answer.distance), axis), answer.distance.w);
            hit.way = maps_body(answer.way, axis);
        }
    }
    hit = hit.distance.w < -reach ? far : hit;
    hit.hidden = best == MAPS_NONE;
    return hit;
}

/* The same in the world, of a body of the plan. One that deforms is in the world. */
static map_hit world_distance(const map_set *set, const pass_args *args, int body, v3 p) {
    const shape_args *s = &args->plan->bodies[body].shape[args->parity];
    v3 local = shape_local_point(p, s->center, s->axis_x, s->axis_y, s->axis_z);
    map_hit hit = maps_distance(set, body, local, s->time, MAPS_REACH * args->params->spacing);
    v3 normal = shape_world_direction(v4_xyz(hit.distance), s->axis_x, s->axis_y, s->axis_z);
    hit.distance = v4_make(normal, hit.distance.w);
    return hit;
}

/* ---- texels -------------------------------------------------------------------------------------
 */

typedef struct texel {
    v3 x, v;
    float pressure; /* m/s, of coarse levels */
} texel;

/* Answers a contact of a texel that will be `ahead`; returns whether it touches. */
static bool answer(const pass_args *args, int body, v3 ahead, const map_hit *hit, texel *t) {
    const shape_args *s = &args->plan->bodies[body].shape[args->parity];
    const float substep = args->plan->substep, distance = args->params->contact_distance[body];
    v3 n = v4_xyz(hit->distance);
    v3 surface = plan_surface_velocity(args->plan, s, ahead, hit->way);
    float gap = contact_gap(t->x, ahead, hit->distance.w - distance, n, surface, substep);
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
            v3 ahead = v3_madd(t->x, t->v, args->plan->substep);
            map_hit hit = world_distance(set, args, b, ahead);
            *hidden |= hit.hidden;
            count += answer(args, b, ahead, &hit, t);
        }
    }
    return count;
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
            texel t = {planes_get(places, k), planes_get(velocities, k),
                       push / args->plan->substep};
            bool hidden = false;
            for (int sweep = 0;
                 sweep < CONTACT_SWEEPS && respond_to_all(set, args, &t, &hidden) > 1; sweep++) {
            }
            planes_put(places, k, t.x);
            planes_put(velocities, k, t.v);
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
            v3 p = planes_get(&l->at.plane[LEVEL_x], k),
               before = planes_get(&l->at.plane[LEVEL_bx], k);
            for (int b = 0; b < args->plan->body_count; b++) {
                if (args->plan->bodies[b].solid) {
                    v4 hit = world_distance(set, args, b, p).distance;
                    float was = world_distance(set, args, b, before).distance.w;
                    float out = contact_push(hit.w - k_min(was, args->params->contact_distance[b]));
                    p = v3_madd(p, v4_xyz(hit), out);
                    l->at.push[k] += out;
                }
            }
            planes_put(&l->at.plane[LEVEL_x], k, p);
        }
    }
}

/* ---- planes -------------------------------------------------------------------------------------
 */

/* The plane of the nearest surface at a texel; returns whether there is one near. */
static bool put_plane(const implicit_planes *c, const map_set *set, const pass_args *args, size_t k,
                      v3 p, bool *hidden) {
    int nearest = -1;
    float gap = PLANE_REACH * args->params->spacing;
    map_hit found = {0};
    v3 way = {0.0f, 0.0f, 0.0f};
    c->reflection[k] = 0.0f;
    for (int b = 0; b < args->plan->body_count; b++) {
        if (args->plan->bodies[b].solid) {
            map_hit hit = world_distance(set, args, b, p);
            *hidden |= hit.hidden;
            if (hit.distance.w - args->params->contact_distance[b] < gap) {
                gap = hit.distance.w - args->params->contact_distance[b];
                nearest = b;
                found = hit;
            }
        }
    }
    if (nearest >= 0) {
        const shape_args *s = &args->plan->bodies[nearest].shape[args->parity];
        v3 surface = plan_surface_velocity(args->plan, s, p, found.way);
        way = v3_scale(surface, args->plan->substep);
        c->reflection[k] = s->reflection;
    }
    const v3 normal = v4_xyz(found.distance);
    planes_put((float *const[]){c->mx, c->my, c->mz}, k, normal);
    planes_put((float *const[]){c->wx, c->wy, c->wz}, k, way);
    c->level[k] = nearest >= 0 ? v3_dot(normal, p) - gap : -FLT_MAX;
    c->friction[k] = nearest >= 0 ? args->params->contact_friction[nearest] : 0.0f;
    return nearest >= 0;
}

uint64_t maps_planes(implicit_state *s, const map_set *set, const pass_args *args, int row_begin,
                     int row_end) {
    const grid *g = &args->state->grid;
    uint64_t count = 0;
    for (int row = row_begin; row < row_end; row++) {
        bool any = false;
        for (int column = 0; column < g->columns; column++) {
            size_t k = grid_index(g, column, row);
            if (args->state->at.inverse_mass[k] > 0.0f) {
                bool hidden = false;
                v3 p = planes_get(&args->hierarchy->levels[0].at.plane[LEVEL_x], k);
                any |= put_plane(&s->at, set, args, k, p, &hidden);
                count += hidden;
            }
        }
        s->row_meshes[row] = any;
    }
    return count;
}
