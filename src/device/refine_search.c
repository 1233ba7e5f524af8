#include "device/refine_search.h"

static const v3 NO_SIDE = {0.0f, 0.0f, 0.0f};

typedef struct corners {
    v3 a, b, c;
} corners;

static corners get_corners(const refine_scene *s, const v3 *vertices, size_t triangle) {
    const uint32_t *at = s->corners + 3 * triangle;
    return (corners){vertices[at[0]], vertices[at[1]], vertices[at[2]]};
}

/* Nodes that are still to be looked at. */
typedef struct waiting {
    size_t nodes[REFINE_TREE_DEPTH + 2];
    int count;
} waiting;

static void push_children(waiting *w, const refine_node *n) {
    w->nodes[w->count++] = (size_t)n->first + 1;
    w->nodes[w->count++] = (size_t)n->first;
}

/* How often a body winds around a point at the end of the step: not 0 inside. */
static int find_winding(const refine_scene *s, const refine_body *b, v3 p) {
    waiting w = {.nodes = {b->root}, .count = 1};
    int winding = 0;
    while (w.count > 0) {
        const refine_node *n = &s->nodes[w.nodes[--w.count]];
        if (!refine_ray_meets(p, n->low, n->high)) {
            continue;
        }
        if (n->count == 0.0f) {
            push_children(&w, n);
        }
        for (size_t t = 0; t < (size_t)n->count; t++) {
            const corners at = get_corners(s, s->end, (size_t)n->first + t);
            winding += refine_crossing(v3_sub(at.a, p), v3_sub(at.b, p), v3_sub(at.c, p));
        }
    }
    return winding;
}

bool refine_within(const refine_scene *s, v3 p) {
    for (size_t i = 0; i < s->body_count; i++) {
        if (find_winding(s, &s->bodies[i], p) != 0) {
            return true;
        }
    }
    return false;
}

/* The shortest way so far, of a point that has to face a side. */
typedef struct way_out {
    v3 from, side;
    bool inside;
    float thickness;
    float squared; /* m^2, of the distance to the surface */
    v3 to;
} way_out;

static void try_triangle(const refine_scene *s, size_t triangle, way_out *w) {
    const corners at = get_corners(s, s->end, triangle);
    const v3 normal = refine_normal(at.a, at.b, at.c);
    if (!refine_is_exit(w->from, at.a, normal, w->side, w->inside)) {
        return;
    }
    const v3 offset = v4_xyz(triangle_offset(w->from, at.a, at.b, at.c, normal));
    const float squared = v3_dot(offset, offset);
    const v3 to = refine_out(w->from, offset, normal, w->thickness, w->inside);
    if (squared < w->squared && !refine_within(s, to)) {
        w->squared = squared;
        w->to = to;
    }
}

static void try_body(const refine_scene *s, const refine_body *b, way_out *out) {
    waiting w = {.nodes = {b->root}, .count = 1};
    while (w.count > 0) {
        const refine_node *n = &s->nodes[w.nodes[--w.count]];
        if (box_squared(out->from, n->low, n->high) >= out->squared) {
            continue;
        }
        if (n->count == 0.0f) {
            const refine_node *first = &s->nodes[(size_t)n->first], *second = first + 1;
            push_children(&w, n);
            if (box_squared(out->from, second->low, second->high) <
                box_squared(out->from, first->low, first->high)) {
                w.nodes[w.count - 1] = (size_t)n->first + 1;
                w.nodes[w.count - 2] = (size_t)n->first;
            }
        }
        for (size_t t = 0; t < (size_t)n->count; t++) {
            try_triangle(s, (size_t)n->first + t, out);
        }
    }
}

v3 refine_leave(const refine_scene *s, v3 p, v3 side, float thickness) {
    const bool inside = refine_within(s, p);
    const float farthest = inside ? REFINE_FAR : thickness * thickness;
    way_out w = {p, side, inside, thickness, farthest, p};
    for (int attempt = 0; attempt < (inside ? 2 : 1) && w.squared == farthest; attempt++) {
        for (size_t i = 0; i < s->body_count; i++) {
            try_body(s, &s->bodies[i], &w);
        }
        w.side = NO_SIDE;
    }
    return w.to;
}

/* The first in time; of those at the same time, the one with the lower number. */
typedef struct first_met {
    float time;
    size_t triangle;
    v3 normal;
} first_met;

static void meet(const refine_scene *s, size_t t, v3 before, v3 p, first_met *first) {
    const corners from = get_corners(s, s->start, t), to = get_corners(s, s->end, t);
    const ccd_hit hit = refine_met(before, p, from.a, from.b, from.c, to.a, to.b, to.c);
    if (hit.found && (hit.time < first->time || (hit.time == first->time && t < first->triangle))) {
        *first = (first_met){hit.time, t, refine_normal(to.a, to.b, to.c)};
    }
}

v3 refine_met_normal(const refine_scene *s, v3 before, v3 p) {
    const v3 low = ccd_box_low(v3_min(before, p), 1e-5f);
    const v3 high = ccd_box_high(v3_max(before, p), 1e-5f);
    first_met first = {.time = CCD_NEVER};
    for (size_t i = 0; i < s->body_count; i++) {
        waiting w = {.nodes = {s->bodies[i].root}, .count = 1};
        while (w.count > 0) {
            const refine_node *n = &s->nodes[w.nodes[--w.count]];
            if (!ccd_boxes_meet(low, high, n->low, n->high)) {
                continue;
            }
            if (n->count == 0.0f) {
                push_children(&w, n);
            }
            for (size_t t = 0; t < (size_t)n->count; t++) {
                meet(s, (size_t)n->first + t, before, p, &first);
            }
        }
    }
    return first.normal;
}
