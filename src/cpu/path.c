#include "cpu/path.h"

#include <math.h>

#include "kernel/ccd.h"
#include "kernel/contact.h"
#include "kernel/shape.h"
#include "kernel/triangle.h"

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

float path_contact(const pass_args *args, int body) {
    return 2.0f * (THICKNESS + TOLERANCE) * path_distance(args, body);
}

/* ---- the way ------------------------------------------------------------------------------------
 */

typedef struct search {
    const solid *solid;
    const shape_args *shape;
    v3 from, to;  /* of the world */
    v3 low, high; /* box around the way, in the frame of the shape */
    float thickness, tolerance;
    path_hit best;
    int body;
} search;

static v3 place(v3 p, v3 center, v3 axis_x, v3 axis_y, v3 axis_z) {
    return v3_add(center, shape_world_direction(p, axis_x, axis_y, axis_z));
}

/* A face in the world at the start or the end of the substep. */
static solid_corners face_at(const search *s, uint32_t face, bool end) {
    const shape_args *f = s->shape;
    solid_corners c = solid_corners_at(s->solid, face, end ? f->time : f->from);
    if (solid_deforms(s->solid)) {
        return c; /* it is in the world's frame */
    }
    v3 center = end ? f->center : f->from_center, x = end ? f->axis_x : f->from_x,
       y = end ? f->axis_y : f->from_y, z = end ? f->axis_z : f->from_z;
    return (solid_corners){place(c.a, center, x, y, z), place(c.b, center, x, y, z),
                           place(c.c, center, x, y, z)};
}

/* Of two at the same time the face that was given first counts, wherever the tree has it. */
static bool is_first(const search *s, float time, uint32_t face) {
    const uint32_t *number = s->solid->face_triangle;
    return !s->best.found || time < s->best.time ||
           (time == s->best.time && s->best.body == s->body && number[face] < number[s->best.face]);
}

/* The side is told by the face: of those around the corner or edge that is met first, one has the
 * point in front of it, if it is outside. */
static void visit_face(search *s, uint32_t face) {
    solid_corners a = face_at(s, face, false), b = face_at(s, face, true);
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

/* The box of a child during the substep. */
static bool child_is_met(const search *s, const solid_boxes *from, const solid_boxes *to,
                         int child) {
    return ccd_boxes_meet(s->low, s->high, v3_min(from->low[child], to->low[child]),
                          v3_max(from->high[child], to->high[child]));
}

static void visit_node(search *s, uint32_t index) {
    const solid_node *n = &s->solid->nodes[index];
    const solid_boxes from = solid_boxes_at(s->solid, index, s->shape->from);
    const solid_boxes to = solid_boxes_at(s->solid, index, s->shape->time);
    for (int child = 0; child < 2; child++) {
        if (!child_is_met(s, &from, &to, child)) {
            continue;
        }
        if (n->count[child] == 0) {
            visit_node(s, n->first[child]);
        }
        for (uint32_t i = 0; i < n->count[child]; i++) {
            visit_face(s, n->first[child] + i);
        }
    }
}

/* In the frame of a body that turns, a way that is straight in the world is bent: a point of the
 * body and one that gets as near to it as the thickness are farther apart there by no more than the
 * turn times the way. */
static void set_box(search *s, float moment) {
    const shape_args *f = s->shape;
    v3 from = shape_local_point(s->from, f->from_center, f->from_x, f->from_y, f->from_z);
    v3 to = shape_local_point(s->to, f->center, f->axis_x, f->axis_y, f->axis_z);
    v3 way = v3_sub(to, from);
    float turn = k_sqrt(v3_dot(f->spin, f->spin)) * moment;
    float margin = s->thickness + s->tolerance + 2.0f * s->solid->grain;
    margin += 2.0f * turn * (k_sqrt(v3_dot(way, way)) + margin);
    s->low = ccd_box_low(v3_min(from, to), margin);
    s->high = ccd_box_high(v3_max(from, to), margin);
}

path_hit path_first_hit(const pass_args *args, v3 from, v3 to) {
    search s = {.from = from, .to = to};
    for (int b = 0; b < args->plan->body_count; b++) {
        s.solid = args->plan->bodies[b].solid;
        s.shape = &args->plan->bodies[b].shape[args->parity];
        s.body = b;
        s.thickness = THICKNESS * path_distance(args, b);
        s.tolerance = TOLERANCE * path_distance(args, b);
        if (s.solid) {
            set_box(&s, args->plan->moment);
            visit_node(&s, 0);
        }
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

/* ---- how often a ray leaves ---------------------------------------------------------------------
 */

typedef struct ray {
    const solid *solid;
    float time;
    v3 from, along;
    int leaves; /* the winding number of where it begins */
} ray;

/* On which side of a ray an edge passes. Neighbours find the same with the other sign, so that what
 * goes past one face is in the other. */
static float edge_side(v3 along, v3 a, v3 b) {
    return v3_dot(v3_cross(a, b), along);
}

static void cross_face(ray *r, uint32_t face) {
    solid_corners at = solid_corners_at(r->solid, face, r->time);
    v3 a = v3_sub(at.a, r->from), b = v3_sub(at.b, r->from), c = v3_sub(at.c, r->from);
    float ab = edge_side(r->along, a, b), bc = edge_side(r->along, b, c),
          ca = edge_side(r->along, c, a);
    bool out = ab >= 0.0f && bc >= 0.0f && ca >= 0.0f, in = ab < 0.0f && bc < 0.0f && ca < 0.0f;
    float ahead = v3_dot(v3_cross(a, b), c); /* the sign of its distance times the side */
    if ((out && ahead > 0.0f) || (in && ahead < 0.0f)) {
        r->leaves += out ? 1 : -1;
    }
}

/* Does the ray meet a box? Slabs; what is not finite, where it runs along one, counts as met. */
static bool meets_box(const ray *r, v3 low, v3 high) {
    const float from[3] = {r->from.x, r->from.y, r->from.z};
    const float along[3] = {r->along.x, r->along.y, r->along.z};
    const float lows[3] = {low.x, low.y, low.z}, highs[3] = {high.x, high.y, high.z};
    float begin = 0.0f, end = FLT_MAX;
    for (int k = 0; k < 3; k++) {
        if (k_abs(along[k]) < 1e-6f) {
            if (from[k] < lows[k] - r->solid->grain || from[k] > highs[k] + r->solid->grain) {
                return false;
            }
            continue;
        }
        float a = (lows[k] - from[k]) / along[k], b = (highs[k] - from[k]) / along[k];
        begin = k_max(begin, k_min(a, b) - r->solid->grain);
        end = k_min(end, k_max(a, b) + r->solid->grain);
    }
    return begin <= end;
}

static void cross_node(ray *r, uint32_t index) {
    const solid_node *n = &r->solid->nodes[index];
    const solid_boxes boxes = solid_boxes_at(r->solid, index, r->time);
    for (int child = 0; child < 2; child++) {
        if (!meets_box(r, boxes.low[child], boxes.high[child])) {
            continue;
        }
        if (n->count[child] == 0) {
            cross_node(r, n->first[child]);
        }
        for (uint32_t i = 0; i < n->count[child]; i++) {
            cross_face(r, n->first[child] + i);
        }
    }
}

bool path_is_inside(const pass_args *args, int body, v3 point, v3 along) {
    const shape_args *s = &args->plan->bodies[body].shape[args->parity];
    v3 ahead = v3_add(s->center, along);
    ray r = {.solid = args->plan->bodies[body].solid,
             .time = s->time,
             .from = shape_local_point(point, s->center, s->axis_x, s->axis_y, s->axis_z),
             .along = shape_local_point(ahead, s->center, s->axis_x, s->axis_y, s->axis_z)};
    cross_node(&r, 0);
    return r.leaves > 0;
}
