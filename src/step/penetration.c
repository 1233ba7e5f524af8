/* How deep a cloth is inside bodies: of round ones and planes here, of boxes and meshes in
 * inside.c.
 */
#include <math.h>

#include "step/gauge.h"
#include "step/world.h"

/* A vertex with at least this share of a pinned texel is pinned as well. */
static const float PINNED_SHARE = 0.1f;

bool is_vertex_pinned(const cloth *c, size_t vertex) {
    const bool *pinned = c->gauge.pinned;
    const projection *from = &c->panel->render_projection;
    size_t texel = from->texels[vertex], columns = (size_t)c->grid.columns;
    float u = from->fractions[2 * vertex], v = from->fractions[2 * vertex + 1];
    return (pinned[texel] && (1.0f - u) * (1.0f - v) > PINNED_SHARE) ||
           (pinned[texel + 1] && u * (1.0f - v) > PINNED_SHARE) ||
           (pinned[texel + columns] && (1.0f - u) * v > PINNED_SHARE) ||
           (pinned[texel + columns + 1] && u * v > PINNED_SHARE);
}

/* A point is at least so far outside of a body, if that is positive. */
static float clearance(const body_frame *f, v3 p) {
    /* Its own distance is exact only near the surface. */
    return f->body->def.shape == TOILE_SHAPE_ELLIPSOID ? box_distance(p, f->body->size).w
                                                       : -body_depth(f->body, p);
}

static bool may_touch(const body_frame *f, const tree_node *n) {
    v3 low = v3_make(n->low[0], n->low[1], n->low[2]);
    v3 high = v3_make(n->high[0], n->high[1], n->high[2]);
    v3 half = v3_scale(v3_sub(high, low), 0.5f);
    return !(clearance(f, frame_local_point(f, v3_add(low, half))) > k_sqrt(v3_dot(half, half)));
}

typedef struct search {
    const cloth *cloth;
    const body_frame *frame;
    toile_penetration *out;
} search;

static v3 vertex_at(const search *s, uint32_t v) {
    const float *p = s->cloth->gauge.vertices + 3 * (size_t)v;
    return v3_make(p[0], p[1], p[2]);
}

/* The depth of a point, 0 where it is not inside. */
static float depth_at(const search *s, v3 p) {
    float depth = body_depth(s->frame->body, frame_local_point(s->frame, p));
    return depth > PENETRATION_TOLERANCE ? depth : 0.0f;
}

static void note_depth(const search *s, float depth, v3 at) {
    if ((double)depth > s->out->max_depth_m) {
        s->out->max_depth_m = (double)depth;
        s->out->deepest = frame_place(s->frame, at);
    }
}

/* Halvings of a triangle's edges, at most: a thousandth of an edge is deep enough. */
enum { FINEST = 10 };

/* Looks for points of a triangle deeper than what is known. The depth in a convex body is a concave
 * function: a tangent of it is nowhere below it. */
static void search_triangle(const search *s, v3 a, v3 b, v3 c, int halvings) {
    v3 middle = v3_scale(v3_add(a, v3_add(b, c)), 1.0f / 3.0f);
    v4 distance = body_distance(s->frame->body, frame_local_point(s->frame, middle));
    v3 out = frame_world_direction(s->frame, v4_xyz(distance));
    if (-distance.w > PENETRATION_TOLERANCE) {
        note_depth(s, -distance.w, middle);
    }
    float rise = -k_min(v3_dot(out, v3_sub(a, middle)),
                        k_min(v3_dot(out, v3_sub(b, middle)), v3_dot(out, v3_sub(c, middle))));
    float known = k_max((float)s->out->max_depth_m, PENETRATION_TOLERANCE);
    if (!(rise - distance.w > 1.01f * known) || halvings == FINEST) {
        return;
    }
    v3 ab = v3_mix(a, b, 0.5f), bc = v3_mix(b, c, 0.5f), ca = v3_mix(c, a, 0.5f);
    search_triangle(s, ab, bc, ca, halvings + 1);
    search_triangle(s, a, ab, ca, halvings + 1);
    search_triangle(s, b, bc, ab, halvings + 1);
    search_triangle(s, c, ca, bc, halvings + 1);
}

static void search_leaf(const search *s, uint32_t leaf) {
    const triangle_tree *t = &s->cloth->gauge.tree;
    for (uint32_t i = t->first_own[leaf]; i < t->first_own[leaf + 1]; i++) {
        uint32_t v = t->own_vertices[i];
        float depth = depth_at(s, vertex_at(s, v));
        if (depth > 0.0f && !is_vertex_pinned(s->cloth, v)) {
            s->out->count++;
            note_depth(s, depth, vertex_at(s, v));
        }
    }
    const tree_leaf *l = &t->leaves[leaf];
    for (int i = 0; i < TREE_LEAF && l->vertices[0][i] != TREE_NO_VERTEX; i++) {
        uint32_t a = l->vertices[0][i], b = l->vertices[1][i], c = l->vertices[2][i];
        if (is_vertex_pinned(s->cloth, a) || is_vertex_pinned(s->cloth, b) ||
            is_vertex_pinned(s->cloth, c)) {
            continue;
        }
        v3 at[3] = {vertex_at(s, a), vertex_at(s, b), vertex_at(s, c)};
        v3 sum = v3_add(at[0], v3_add(at[1], at[2]));
        s->out->count += depth_at(s, v3_scale(sum, 1.0f / 3.0f)) > 0.0f;
        search_triangle(s, at[0], at[1], at[2], 0);
    }
}

static void search_node(const search *s, const tree_node *n) {
    if (!may_touch(s->frame, n)) {
        return;
    }
    if (n->leaves == 1) {
        search_leaf(s, n->leaf);
        return;
    }
    search_node(s, tree_first_child(n));
    search_node(s, tree_second_child(n));
}

void penetration_measure(const measuring *m, const cloth *c, const tree_node *n,
                         toile_penetration *out) {
    for (size_t i = 0; i < m->body_count; i++) {
        if (body_mesh(m->bodies[i].body)) {
            inside_measure(c, &m->bodies[i], n, out);
        } else {
            const search s = {c, &m->bodies[i], out};
            search_node(&s, n);
        }
    }
}

void penetration_add(toile_penetration *sum, const toile_penetration *p) {
    sum->count += p->count;
    sum->crossings += p->crossings;
    sum->caught += p->caught;
    if (p->max_depth_m > sum->max_depth_m) {
        sum->max_depth_m = p->max_depth_m;
        sum->deepest = p->deepest;
    }
    if (p->crossing_depth_m > sum->crossing_depth_m) {
        sum->crossing_depth_m = p->crossing_depth_m;
        sum->farthest = p->farthest;
    }
}
