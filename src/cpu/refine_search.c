#include "cpu/refine_search.h"

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

int refine_winding(const refine_scene *s, const refine_body *b, v3 p) {
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

typedef struct exit_point {
    bool found;
    float squared;
    v3 offset, normal;
} exit_point;

static void visit_exit(const corners *at, v3 p, v3 side, float beyond, exit_point *best) {
    const v3 normal = refine_normal(at->a, at->b, at->c);
    if (!refine_is_exit(p, at->a, normal, side)) {
        return;
    }
    const v3 offset = v4_xyz(triangle_offset(p, at->a, at->b, at->c, normal));
    const float squared = v3_dot(offset, offset);
    if (squared > beyond && squared < best->squared) {
        *best = (exit_point){true, squared, offset, normal};
    }
}

/* The nearest one that is farther than `beyond`, squared. */
static exit_point find_exit(const refine_scene *s, const refine_body *b, v3 p, v3 side,
                            float beyond) {
    exit_point best = {.squared = 1e30f};
    waiting w = {.nodes = {b->root}, .count = 1};
    while (w.count > 0) {
        const refine_node *n = &s->nodes[w.nodes[--w.count]];
        if (box_squared(p, n->low, n->high) > best.squared) {
            continue;
        }
        if (n->count == 0.0f) {
            const refine_node *first = &s->nodes[(size_t)n->first], *second = first + 1;
            push_children(&w, n);
            if (box_squared(p, second->low, second->high) <
                box_squared(p, first->low, first->high)) {
                w.nodes[w.count - 1] = (size_t)n->first + 1;
                w.nodes[w.count - 2] = (size_t)n->first;
            }
        }
        for (size_t t = 0; t < (size_t)n->count; t++) {
            const corners at = get_corners(s, s->end, (size_t)n->first + t);
            visit_exit(&at, p, side, beyond, &best);
        }
    }
    return best;
}

/* The first body that a point is in; NULL: none. */
static const refine_body *find_around(const refine_scene *s, v3 p) {
    for (size_t i = 0; i < s->body_count; i++) {
        const refine_body *b = &s->bodies[i];
        if (b->kept && box_squared(p, b->low, b->high) <= 0.0f && refine_winding(s, b, p) != 0) {
            return b;
        }
    }
    return NULL;
}

/* The nearest exit of a body that leads out of all of them; or else just the nearest, and false. */
static bool leave_body(const refine_scene *s, const refine_body *b, v3 side, float thickness,
                       v3 *p) {
    float beyond = -1.0f;
    v3 nearest = *p;
    for (int i = 0; i < REFINE_EXITS; i++) {
        const exit_point to = find_exit(s, b, *p, side, beyond);
        if (!to.found) {
            break;
        }
        const v3 outside = refine_out(*p, to.offset, to.normal, thickness);
        if (!find_around(s, outside)) {
            *p = outside;
            return true;
        }
        nearest = i == 0 ? outside : nearest;
        beyond = REFINE_FARTHER * to.squared;
    }
    *p = nearest;
    return false;
}

v3 refine_leave(const refine_scene *s, v3 p, v3 side, float thickness) {
    v3 towards = side;
    for (int i = 0; i < REFINE_ATTEMPTS; i++) {
        const refine_body *b = find_around(s, p);
        if (!b || leave_body(s, b, towards, thickness, &p)) {
            break;
        }
        towards = NO_SIDE;
    }
    return p;
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
        waiting w = {.nodes = {s->bodies[i].root}, .count = s->bodies[i].kept ? 1 : 0};
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
