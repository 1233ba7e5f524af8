#include "cpu/path.h"

#include <math.h>

#include "cpu/sweep.h"
#include "kernel/ccd.h"
#include "kernel/contact.h"
#include "kernel/shape.h"
#include "kernel/triangle.h"
#include "model/winding.h"

/* m, the least that is kept from a mesh: above what rounding makes of places some metres from the
 * origin, so that the side of a surface that a texel is on is never in doubt. */
static const float LEAST = 5e-5f;

/* Of the distance that is kept: nearer than this is a contact, up to as much early. What rests
 * does so farther away and meets nothing. */
static const float THICKNESS = 0.1f, TOLERANCE = 0.025f;

/* Distances kept: a point farther from the box around a mesh is far from it. */
static const float FAR = 20.0f;

float path_distance(const pass_args *args, int body) {
    return k_max(args->params->contact_distance[body], LEAST);
}

float path_thickness(const pass_args *args, int body) {
    return THICKNESS * path_distance(args, body);
}

float path_tolerance(const pass_args *args, int body) {
    return TOLERANCE * path_distance(args, body);
}

float path_contact(const pass_args *args, int body) {
    return 2.0f * (THICKNESS + TOLERANCE) * path_distance(args, body);
}

float path_reflection(const pass_args *args, int body) {
    bool rebounds = args->implicit->there; /* at the end of the substep instead */
    return rebounds ? 0.0f : args->plan->bodies[body].shape[args->parity].reflection;
}

/* ---- the way ------------------------------------------------------------------------------------
 */

typedef struct search {
    sweep sweep;
    v3 from, to; /* of the world */
    float thickness, tolerance;
    path_hit best;
    int body;
} search;

/* Of two at the same time the face that was given first counts, wherever the tree has it. */
static bool is_first(const search *s, float time, uint32_t face) {
    const uint32_t *number = s->sweep.solid->face_triangle;
    return !s->best.found || time < s->best.time ||
           (time == s->best.time && s->best.body == s->body && number[face] < number[s->best.face]);
}

/* The side is told by the face: of those around the corner or edge that is met first, one has the
 * point in front of it, if it is outside. */
static void visit_face(void *user, uint32_t face) {
    search *s = user;
    solid_corners a = sweep_corners(&s->sweep, face, false),
                  b = sweep_corners(&s->sweep, face, true);
    ccd_quad start = ccd_from_triangle(s->from, a.a, a.b, a.c);
    ccd_quad end = ccd_from_triangle(s->to, b.a, b.b, b.c);
    ccd_hit hit = ccd_first_contact(start, end, s->thickness, s->tolerance);
    if (!hit.found || !is_first(s, hit.time, face)) {
        return;
    }
    ccd_quad then = ccd_at(start, end, hit.time);
    v3 outwards = ccd_face_normal(then), weights = ccd_on_triangle(then);
    float side = v3_dot(outwards, hit.normal), touch = v3_dot(hit.normal, hit.normal);
    v3 surface_from = ccd_point(weights, a.a, a.b, a.c),
       surface = ccd_point(weights, b.a, b.b, b.c);
    v3 way = v3_sub(v3_sub(s->to, s->from), v3_sub(surface, surface_from));
    v3 normal = touch > 0.5f && side > 0.0f ? hit.normal : outwards;
    bool behind = side < 0.0f && v3_dot(then.a, outwards) < 0.0f;
    if (behind || !(v3_dot(way, normal) < 0.0f)) {
        return; /* it was inside, or it parts from what it touched */
    }
    s->best = (path_hit){true,         s->body, face, hit.time, normal, ccd_face_normal(end),
                         surface_from, surface};
}

path_hit path_first_hit(const pass_args *args, v3 from, v3 to) {
    search s = {.from = from, .to = to};
    for (int b = 0; b < args->plan->body_count; b++) {
        const plan_body *other = &args->plan->bodies[b];
        if (!other->solid) {
            continue;
        }
        s.body = b;
        s.thickness = path_thickness(args, b);
        s.tolerance = path_tolerance(args, b);
        s.sweep = sweep_around(other->solid, &other->shape[args->parity], &from, &to, 1,
                               s.thickness + s.tolerance, args->plan->moment);
        sweep_walk(&s.sweep, visit_face, &s);
    }
    return s.best;
}

/* ---- its end ------------------------------------------------------------------------------------
 */

path_end path_find_end(const pass_args *args, v3 point, int hint_body, uint32_t hint_face) {
    path_end found = {.body = -1, .face = SOLID_NONE, .gap = INFINITY, .nearest = INFINITY};
    for (int b = 0; b < args->plan->body_count; b++) {
        const plan_body *other = &args->plan->bodies[b];
        if (!other->solid) {
            continue;
        }
        const shape_args *s = &other->shape[args->parity];
        const float keep = path_distance(args, b);
        v3 local = shape_local_point(point, s->center, s->axis_x, s->axis_y, s->axis_z);
        solid_boxes root = solid_boxes_at(other->solid, 0, s->time);
        float box = k_sqrt(box_squared(local, v3_min(root.low[0], root.low[1]),
                                       v3_max(root.high[0], root.high[1])));
        solid_touch touch = {.distance = {.w = box}, .face = SOLID_NONE};
        if (!(box > FAR * keep)) {
            uint32_t hint = hint_body == b ? hint_face : SOLID_NONE;
            touch = solid_nearest(other->solid, local, INFINITY, s->time, hint);
        }
        found.nearest = k_min(found.nearest, k_abs(touch.distance.w));
        if (touch.distance.w - keep < found.gap) {
            found.body = b;
            found.face = touch.face;
            found.distance = touch.distance.w;
            found.gap = touch.distance.w - keep;
            found.normal =
                shape_world_direction(v4_xyz(touch.distance), s->axis_x, s->axis_y, s->axis_z);
            found.velocity = plan_surface_velocity(args->plan, s, point, touch.way);
        }
    }
    return found;
}

bool path_is_inside(const pass_args *args, int body, v3 point) {
    const shape_args *s = &args->plan->bodies[body].shape[args->parity];
    v3 local = shape_local_point(point, s->center, s->axis_x, s->axis_y, s->axis_z);
    const solid *mesh = args->plan->bodies[body].solid;
    return !mesh->open && solid_winding(mesh, local, s->time) > 0;
}
