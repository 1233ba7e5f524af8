#include <stdlib.h>

#include "base/memory.h"
#include "figure/polygonise.h"

enum { ROUNDS = 8, LAST_SMOOTHINGS = 6 };

/* The point of the surface next to this one, which is near it. */
static vec project(const field *f, vec at) {
    for (int i = 0; i < 4; i++) {
        double distance = field_distance(f, at, ~0u);
        if (fabs(distance) < 1e-7) {
            break;
        }
        vec slope = field_gradient(f, at);
        double squared = vec_dot(slope, slope);
        /* Where parts meet, the gradient can all but vanish: never leap. */
        double step = clamp(distance / fmax(squared, 0.05), -0.01, 0.01);
        at = vec_madd(at, slope, -step);
    }
    return at;
}

static double edge_length(const manifold *s, uint32_t h) {
    return vec_length(vec_sub(edge_position(s, edge_next(h)), edge_position(s, h)));
}

static vec edge_middle(const manifold *s, uint32_t h) {
    return vec_lerp(edge_position(s, h), edge_position(s, edge_next(h)), 0.5);
}

static bool split_long(const field *f, remesh_size *size, const void *context, manifold *s) {
    size_t count = s->edge_count; /* what splits make is for the next round */
    for (uint32_t h = 0; h < count; h++) {
        if (s->edges[h].vertex == MANIFOLD_NONE || s->edges[h].twin < h) {
            continue;
        }
        vec middle = edge_middle(s, h);
        if (edge_length(s, h) > 4.0 / 3.0 * size(context, middle) &&
            !manifold_split(s, h, project(f, middle))) {
            return false;
        }
    }
    return true;
}

/* How well the triangles around the start of an edge face up, the way of the surface, when that
 * vertex is moved: the smallest cosine. Triangles with the vertex `end` do not count. */
static double facing(const manifold *s, uint32_t h, uint32_t end, vec at, vec up) {
    double worst = 1.0;
    uint32_t e = h;
    do {
        uint32_t n = edge_next(e), p = edge_previous(e);
        if (edge_start(s, n) != end && edge_start(s, p) != end) {
            vec b = edge_position(s, n), c = edge_position(s, p);
            vec normal = vec_cross(vec_sub(b, at), vec_sub(c, at));
            worst = fmin(worst, vec_dot(vec_unit(normal), up));
        }
        e = edge_around(s, e);
    } while (e != h);
    return worst;
}

static bool may_move(const manifold *s, uint32_t h, uint32_t end, vec to, vec up) {
    double after = facing(s, h, end, to, up);
    return after > 0.6 || after > facing(s, h, end, edge_position(s, h), up);
}

static double longest_edge(const manifold *s, uint32_t h, vec at) {
    double longest = 0.0;
    uint32_t e = h;
    do {
        longest = fmax(longest, vec_length(vec_sub(edge_position(s, edge_next(e)), at)));
        e = edge_around(s, e);
    } while (e != h);
    return longest;
}

static void collapse_short(const field *f, remesh_size *size, const void *context, manifold *s) {
    for (uint32_t h = 0; h < s->edge_count; h++) {
        if (s->edges[h].vertex == MANIFOLD_NONE) {
            continue;
        }
        vec middle = edge_middle(s, h);
        double wanted = size(context, middle);
        if (edge_length(s, h) >= 0.8 * wanted) {
            continue;
        }
        vec to = project(f, middle);
        uint32_t a = edge_start(s, h), b = edge_end(s, h);
        vec up = vec_unit(field_gradient(f, to));
        uint32_t g = s->edges[h].twin;
        if (fmax(longest_edge(s, h, to), longest_edge(s, g, to)) < 4.0 / 3.0 * wanted &&
            may_move(s, h, b, to, up) && may_move(s, g, a, to, up)) {
            manifold_collapse(s, h, to);
        }
    }
}

/* The smallest angle matters most: its cosine, of the triangle a b c. */
static double sharpest(vec a, vec b, vec c) {
    vec ab = vec_unit(vec_sub(b, a)), bc = vec_unit(vec_sub(c, b)), ca = vec_unit(vec_sub(a, c));
    return fmax(-vec_dot(ab, ca), fmax(-vec_dot(bc, ab), -vec_dot(ca, bc)));
}

static bool folds(vec a, vec b, vec c, vec d) {
    vec n = vec_cross(vec_sub(b, a), vec_sub(c, a)), m = vec_cross(vec_sub(d, a), vec_sub(b, a));
    vec p = vec_cross(vec_sub(c, d), vec_sub(a, d)), q = vec_cross(vec_sub(b, d), vec_sub(c, d));
    vec mean = vec_unit(vec_add(n, m));
    return vec_dot(mean, vec_unit(p)) < 0.5 || vec_dot(mean, vec_unit(q)) < 0.5;
}

/* Flips where that opens the sharpest angle of the two triangles, or evens out valences. */
static void flip_edges(manifold *s, bool valences) {
    for (uint32_t h = 0; h < s->edge_count; h++) {
        uint32_t g = s->edges[h].twin;
        if (s->edges[h].vertex == MANIFOLD_NONE || g < h) {
            continue;
        }
        uint32_t across_h = edge_previous(h), across_g = edge_previous(g);
        vec a = edge_position(s, h), b = edge_position(s, g), c = edge_position(s, across_h),
            d = edge_position(s, across_g);
        if (folds(a, b, c, d)) {
            continue;
        }
        bool better;
        if (valences) {
            int va = (int)manifold_valence(s, edge_start(s, h)) - 6,
                vb = (int)manifold_valence(s, edge_start(s, g)) - 6,
                vc = (int)manifold_valence(s, edge_start(s, across_h)) - 6,
                vd = (int)manifold_valence(s, edge_start(s, across_g)) - 6;
            int before = va * va + vb * vb + vc * vc + vd * vd;
            int after = (va - 1) * (va - 1) + (vb - 1) * (vb - 1) + (vc + 1) * (vc + 1) +
                        (vd + 1) * (vd + 1);
            better = after < before;
        } else {
            double before = fmax(sharpest(a, b, c), sharpest(b, a, d));
            double after = fmax(sharpest(a, d, c), sharpest(d, b, c));
            better = after < before - 1e-9;
        }
        if (better) {
            manifold_flip(s, h);
        }
    }
}

/* To the middle of the triangles around, each weighted by its area over the square of the size that
 * is wanted there, within the tangent plane and back onto the surface. */
static void smooth_vertices(const field *f, remesh_size *size, const void *context, manifold *s) {
    for (uint32_t v = 0; v < s->vertex_count; v++) {
        uint32_t first = s->vertices[v].edge, h = first;
        if (first == MANIFOLD_NONE) {
            continue;
        }
        vec sum = {0}, normal = {0};
        double weights = 0.0;
        do {
            vec middle =
                vec_scale(vec_add(edge_position(s, h), vec_add(edge_position(s, edge_next(h)),
                                                               edge_position(s, edge_previous(h)))),
                          1.0 / 3.0);
            vec n = manifold_normal(s, h);
            double wanted = size(context, middle);
            double weight = vec_length(n) / (wanted * wanted);
            sum = vec_madd(sum, middle, weight);
            weights += weight;
            normal = vec_add(normal, n);
            h = edge_around(s, h);
        } while (h != first);
        vec at = s->vertices[v].position, n = vec_unit(normal);
        vec move = vec_sub(vec_scale(sum, 1.0 / weights), at);
        move = vec_madd(move, n, -vec_dot(move, n));
        vec to = project(f, vec_add(at, move));
        if (may_move(s, first, MANIFOLD_NONE, to, vec_unit(field_gradient(f, to)))) {
            s->vertices[v].position = to;
        }
    }
}

toile_result remesh(const field *f, remesh_size *size, const void *context, manifold *s) {
    for (int round = 0; round < ROUNDS; round++) {
        if (!split_long(f, size, context, s)) {
            return TOILE_ERROR_MEMORY;
        }
        collapse_short(f, size, context, s);
        flip_edges(s, round + 2 < ROUNDS);
        smooth_vertices(f, size, context, s);
        toile_result result = manifold_pack(s);
        if (result != TOILE_OK) {
            return result;
        }
    }
    for (int i = 0; i < LAST_SMOOTHINGS; i++) {
        flip_edges(s, false);
        smooth_vertices(f, size, context, s);
    }
    flip_edges(s, false);
    return TOILE_OK;
}
