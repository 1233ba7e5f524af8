/* The sweep of Shamos and Hoey (Geometric intersection problems, 1976) over the sides of all loops,
 * from left to right: sides that cross are neighbours at some time, and only neighbours are
 * compared. It stops at the first pair that meets, up to which the order from bottom to top is
 * consistent. A grid of sides was not used: a comb of long thin teeth makes it quadratic.
 *
 * Coordinates are integers here, so that no rounding can disturb the order. "Left" is smaller in x,
 * or in y where x is the same, which orders upright sides, too. */
#include "model/outline_check.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

static const uint32_t NONE = UINT32_MAX;

typedef __int128 wide; /* of products of coordinates */

typedef struct place {
    int64_t x, y;
    uint32_t point;
} place;

/* Sides that the sweep line crosses, from bottom to top: a treap. Side k runs from point k to the
 * next of its loop. */
typedef struct treap_node {
    uint32_t parent, child[2]; /* below, above */
    uint32_t priority;
} treap_node;

typedef struct sweep {
    const outline *outline;
    const uint32_t *curves;
    place *places;  /* of the points, as they are numbered */
    place *order;   /* of the points, from left to right */
    uint32_t *next; /* point of the same loop */
    uint32_t *previous;
    uint32_t *loops; /* of the points */
    bool *seen;      /* loops that have begun */
    treap_node *nodes;
    uint32_t root;
} sweep;

/* ---- geometry -----------------------------------------------------------------------------------
 */

static bool is_left(const place *a, const place *b) {
    return a->x != b->x ? a->x < b->x : a->y < b->y;
}

static uint32_t left_end(const sweep *s, uint32_t side) {
    uint32_t to = s->next[side];
    return is_left(&s->places[side], &s->places[to]) ? side : to;
}

static uint32_t right_end(const sweep *s, uint32_t side) {
    uint32_t to = s->next[side];
    return is_left(&s->places[side], &s->places[to]) ? to : side;
}

/* 1 where c is to the left of the way from a to b, -1 to the right, 0 in line. */
static int turn(const place *a, const place *b, const place *c) {
    wide one = (wide)(b->x - a->x) * (c->y - a->y), other = (wide)(b->y - a->y) * (c->x - a->x);
    return one > other ? 1 : one < other ? -1 : 0;
}

/* 1 where a point is above the line of a side, -1 below, 0 on it. */
static int height(const sweep *s, uint32_t side, uint32_t point) {
    return turn(&s->places[left_end(s, side)], &s->places[right_end(s, side)], &s->places[point]);
}

/* Whether a point that is in line with a side is on it. */
static bool is_between(const sweep *s, uint32_t side, uint32_t point) {
    const place *p = &s->places[point];
    return !is_left(p, &s->places[left_end(s, side)]) &&
           !is_left(&s->places[right_end(s, side)], p);
}

/* Whether two sides have a point in common. Neighbours of a loop have one end, and where one lies
 * on the other, insert finds the beginning of one on the other. */
static bool sides_meet(const sweep *s, uint32_t a, uint32_t b) {
    if (s->next[a] == b || s->next[b] == a) {
        return false;
    }
    uint32_t ends[2][2] = {{left_end(s, a), right_end(s, a)}, {left_end(s, b), right_end(s, b)}};
    int of_b[2] = {height(s, a, ends[1][0]), height(s, a, ends[1][1])};
    int of_a[2] = {height(s, b, ends[0][0]), height(s, b, ends[0][1])};
    if (of_a[0] * of_a[1] < 0 && of_b[0] * of_b[1] < 0) {
        return true;
    }
    for (int k = 0; k < 2; k++) {
        if ((of_b[k] == 0 && is_between(s, a, ends[1][k])) ||
            (of_a[k] == 0 && is_between(s, b, ends[0][k]))) {
            return true;
        }
    }
    return false;
}

/* ---- messages -----------------------------------------------------------------------------------
 */

/* Where the lines of two sides meet, or where one begins when they are parallel. */
static void find_meeting(const sweep *s, uint32_t a, uint32_t b, double out[2]) {
    double(*points)[2] = s->outline->points;
    const double *p = points[a], *q = points[s->next[a]];
    const double *r = points[b], *t = points[s->next[b]];
    double u[2] = {q[0] - p[0], q[1] - p[1]}, v[2] = {t[0] - r[0], t[1] - r[1]};
    double cross = u[0] * v[1] - u[1] * v[0];
    double along = cross == 0.0 ? 0.0 : ((r[0] - p[0]) * v[1] - (r[1] - p[1]) * v[0]) / cross;
    for (int k = 0; k < 2; k++) {
        out[k] = p[k] + along * u[k];
    }
}

static toile_result refuse_meeting(const sweep *s, uint32_t a, uint32_t b) {
    double at[2];
    find_meeting(s, a, b, at);
    if (s->loops[a] > s->loops[b] || (s->loops[a] == s->loops[b] && s->curves[a] > s->curves[b])) {
        uint32_t swap = a;
        a = b;
        b = swap;
    }
    if (s->loops[a] == s->loops[b] && s->curves[a] == s->curves[b]) {
        return error_set(TOILE_ERROR_INVALID,
                         "loops[%u].curves[%u] crosses or touches itself near (%g, %g): expected "
                         "an outline that does not",
                         s->loops[a], s->curves[a], at[0], at[1]);
    }
    return error_set(TOILE_ERROR_INVALID,
                     "loops[%u].curves[%u] crosses or touches loops[%u].curves[%u] near (%g, %g): "
                     "expected them apart",
                     s->loops[a], s->curves[a], s->loops[b], s->curves[b], at[0], at[1]);
}

/* ---- the order of the sides ---------------------------------------------------------------------
 */

static void rotate_up(sweep *s, uint32_t n) {
    treap_node *nodes = s->nodes;
    uint32_t parent = nodes[n].parent, above = nodes[parent].parent;
    int k = nodes[parent].child[1] == n;
    uint32_t moved = nodes[n].child[!k];
    nodes[parent].child[k] = moved;
    if (moved != NONE) {
        nodes[moved].parent = parent;
    }
    nodes[n].child[!k] = parent;
    nodes[parent].parent = n;
    nodes[n].parent = above;
    if (above == NONE) {
        s->root = n;
    } else {
        nodes[above].child[nodes[above].child[1] == parent] = n;
    }
}

/* The next side below (0) or above (1). */
static uint32_t neighbour(const sweep *s, uint32_t n, int direction) {
    const treap_node *nodes = s->nodes;
    uint32_t at = nodes[n].child[direction];
    if (at != NONE) {
        while (nodes[at].child[!direction] != NONE) {
            at = nodes[at].child[!direction];
        }
        return at;
    }
    for (at = nodes[n].parent; at != NONE && nodes[at].child[direction] == n;) {
        n = at;
        at = nodes[n].parent;
    }
    return at;
}

/* Where a side that begins now lies to another: 1 above, -1 below, 0 when they touch. */
static int compare(const sweep *s, uint32_t side, uint32_t other) {
    uint32_t begin = left_end(s, side);
    bool together = left_end(s, other) == begin;
    return height(s, other, together ? right_end(s, side) : begin);
}

static toile_result insert(sweep *s, uint32_t side) {
    treap_node *nodes = s->nodes;
    uint32_t parent = NONE, at = s->root;
    int k = 0;
    while (at != NONE) {
        int order = compare(s, side, at);
        if (order == 0) {
            return refuse_meeting(s, side, at);
        }
        parent = at;
        k = order > 0;
        at = nodes[at].child[k];
    }
    nodes[side] = (treap_node){parent, {NONE, NONE}, (uint32_t)hash_word(HASH_SEED, side)};
    if (parent == NONE) {
        s->root = side;
    } else {
        nodes[parent].child[k] = side;
    }
    while (nodes[side].parent != NONE &&
           nodes[nodes[side].parent].priority < nodes[side].priority) {
        rotate_up(s, side);
    }
    for (k = 0; k < 2; k++) {
        uint32_t other = neighbour(s, side, k);
        if (other != NONE && sides_meet(s, side, other)) {
            return refuse_meeting(s, side, other);
        }
    }
    return TOILE_OK;
}

static toile_result take_out(sweep *s, uint32_t side) {
    uint32_t below = neighbour(s, side, 0), above = neighbour(s, side, 1);
    treap_node *nodes = s->nodes;
    for (;;) {
        uint32_t a = nodes[side].child[0], b = nodes[side].child[1];
        if (a == NONE && b == NONE) {
            break;
        }
        bool first = b == NONE || (a != NONE && nodes[a].priority > nodes[b].priority);
        rotate_up(s, first ? a : b);
    }
    uint32_t parent = nodes[side].parent;
    if (parent == NONE) {
        s->root = NONE;
    } else {
        nodes[parent].child[nodes[parent].child[1] == side] = NONE;
    }
    if (below != NONE && above != NONE && sides_meet(s, below, above)) {
        return refuse_meeting(s, below, above);
    }
    return TOILE_OK;
}

/* ---- the sweep ----------------------------------------------------------------------------------
 */

/* At the leftmost point of a loop, the side below it says what surrounds the loop. Cloth is on the
 * left of every side, so above those that run to the right. The loop that the side belongs to has
 * passed this check before. */
static toile_result check_surroundings(const sweep *s, uint32_t side) {
    uint32_t loop = s->loops[side], below = neighbour(s, side, 0);
    if (loop == 0 || (below != NONE && left_end(s, below) == below)) {
        return TOILE_OK;
    }
    uint32_t other = below == NONE ? 0 : s->loops[below];
    if (other == 0) {
        return error_set(TOILE_ERROR_INVALID,
                         "loops[%u] is a hole, but lies outside the outer loop, loops[0]: "
                         "expected it inside",
                         loop);
    }
    return error_set(TOILE_ERROR_INVALID,
                     "loops[%u] lies inside another hole, loops[%u]: expected it in the cloth",
                     loop, other);
}

static toile_result visit(sweep *s, uint32_t point) {
    const uint32_t sides[2] = {s->previous[point], point};
    toile_result result = TOILE_OK;
    for (int k = 0; k < 2 && result == TOILE_OK; k++) {
        if (right_end(s, sides[k]) == point) {
            result = take_out(s, sides[k]);
        }
    }
    for (int k = 0; k < 2 && result == TOILE_OK; k++) {
        if (left_end(s, sides[k]) == point) {
            result = insert(s, sides[k]);
            if (result == TOILE_OK && !s->seen[s->loops[point]]) {
                s->seen[s->loops[point]] = true;
                result = check_surroundings(s, sides[k]);
            }
        }
    }
    return result;
}

static int compare_places(const void *a, const void *b) {
    const place *p = a, *q = b;
    if (is_left(p, q)) {
        return -1;
    }
    if (is_left(q, p)) {
        return 1;
    }
    return p->point < q->point ? -1 : 1;
}

/* Two points at one place would come and go without being seen together. */
static toile_result check_points(const sweep *s) {
    for (uint32_t i = 1; i < s->outline->point_count; i++) {
        const place *a = &s->order[i - 1], *b = &s->order[i];
        if (a->x == b->x && a->y == b->y) {
            return refuse_meeting(s, a->point, b->point);
        }
    }
    return TOILE_OK;
}

static void fill_in(sweep *s, double step) {
    const outline *o = s->outline;
    uint32_t first = 0;
    for (int loop = 0; loop < o->loop_count; loop++) {
        uint32_t end = o->loop_ends[loop];
        for (uint32_t i = first; i < end; i++) {
            s->places[i] =
                (place){(int64_t)(o->points[i][0] / step), (int64_t)(o->points[i][1] / step), i};
            s->order[i] = s->places[i];
            s->next[i] = i + 1 < end ? i + 1 : first;
            s->previous[i] = i > first ? i - 1 : end - 1;
            s->loops[i] = (uint32_t)loop;
        }
        first = end;
    }
    qsort(s->order, o->point_count, sizeof *s->order, compare_places);
}

toile_result outline_check_loops(const outline *o, const uint32_t *curves, double step) {
    size_t count = o->point_count;
    sweep s = {.outline = o, .curves = curves, .root = NONE};
    s.places = memory_alloc(count, sizeof *s.places, "points of an outline");
    s.order = memory_alloc(count, sizeof *s.order, "points of an outline");
    s.next = memory_alloc(count, sizeof *s.next, "points of an outline");
    s.previous = memory_alloc(count, sizeof *s.previous, "points of an outline");
    s.loops = memory_alloc(count, sizeof *s.loops, "points of an outline");
    s.seen = memory_alloc((size_t)o->loop_count, sizeof *s.seen, "loops of an outline");
    s.nodes = memory_alloc(count, sizeof *s.nodes, "sides of an outline");
    toile_result result = TOILE_ERROR_MEMORY;
    if (s.places && s.order && s.next && s.previous && s.loops && s.seen && s.nodes) {
        fill_in(&s, step);
        result = check_points(&s);
        for (size_t i = 0; i < count && result == TOILE_OK; i++) {
            result = visit(&s, s.order[i].point);
        }
    }
    free(s.places);
    free(s.order);
    free(s.next);
    free(s.previous);
    free(s.loops);
    free(s.seen);
    free(s.nodes);
    return result;
}
