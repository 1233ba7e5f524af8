#include "step/standing.h"

#include <math.h>

#include "kernel/triangle.h"
#include "model/cut.h"
#include "model/solid_build.h"
#include "model/solid_walk.h"
#include "model/winding.h"
#include "step/gauge.h"

typedef struct search {
    const solid *solid;
    const patch *patches;
    int count;
    standing worst;
} search;

static void offer(search *s, float depth, v3 place) {
    if (depth > PENETRATION_TOLERANCE && depth > s->worst.depth) {
        s->worst = (standing){depth, place};
    }
}

static float length_of(v3 v) {
    return k_sqrt(v3_dot(v, v));
}

static void load(v3 p, double out[3]) {
    out[0] = (double)p.x;
    out[1] = (double)p.y;
    out[2] = (double)p.z;
}

/* ---- lines --------------------------------------------------------------------------------------
 */

/* Where the way from one point to another meets a triangle, its rim included: the share of the way
 * up to there; negative: nowhere. */
static float meet_triangle(v3 from, v3 to, v3 a, v3 b, v3 c) {
    double p[3], q[3], t[3][3], turns[3];
    load(from, p);
    load(to, q);
    load(a, t[0]);
    load(b, t[1]);
    load(c, t[2]);
    double before = side_of(t[0], t[1], t[2], p), behind = side_of(t[0], t[1], t[2], q);
    if ((before > 0.0 && behind > 0.0) || (before < 0.0 && behind < 0.0) || before == behind) {
        return -1.0f;
    }
    for (int k = 0; k < 3; k++) {
        turns[k] = side_of(p, q, t[k], t[(k + 1) % 3]);
    }
    bool meets = (turns[0] >= 0.0 && turns[1] >= 0.0 && turns[2] >= 0.0) ||
                 (turns[0] <= 0.0 && turns[1] <= 0.0 && turns[2] <= 0.0);
    return meets ? (float)(before / (before - behind)) : -1.0f;
}

/* The first two faces that a way meets: shares of it, 2 where there is none. */
typedef struct way {
    const solid *solid;
    v3 from, to;
    float least; /* nearer, a face is where the way begins */
    float met[2];
} way;

static bool meet_face(void *user, uint32_t face) {
    way *w = user;
    const solid_face *f = &w->solid->faces[face];
    float at = meet_triangle(w->from, w->to, f->a, f->b, f->c);
    if (at > w->least && at < w->met[0]) {
        /* Two faces that share an edge are met there at once. */
        w->met[1] = w->met[0] - at > w->least ? w->met[0] : w->met[1];
        w->met[0] = at;
    } else if (at > w->met[0] + w->least && at < w->met[1]) {
        w->met[1] = at;
    }
    return true;
}

static way find_way(const solid *s, v3 from, v3 to) {
    float length = length_of(v3_sub(to, from));
    way w = {s, from, to, PENETRATION_TOLERANCE / k_max(length, PENETRATION_TOLERANCE), {2, 2}};
    solid_walk(s, v3_min(from, to), v3_max(from, to), meet_face, &w);
    return w;
}

/* ---- what stands out ----------------------------------------------------------------------------
 */

/* A vertex of the body, or an edge that is convex. */
typedef struct feature {
    v3 into;    /* unit: straight into the body */
    float sine; /* on that way the faces of the feature come no nearer than this share of it */
} feature;

/* From a point of a feature the way into the body meets a patch after `depth` metres. Where another
 * face is nearer to that place than those of the feature, the patch is only as deep as that: it
 * may have come in there. */
static void offer_point(search *s, v3 at, const feature *f, const patch *p, float depth) {
    v3 there = v3_madd(at, f->into, depth);
    if (f->sine <= 0.0f || find_way(s->solid, at, there).met[0] < 1.0f) {
        return; /* a saddle, or out of the body again and to something else */
    }
    const v3 *c = p->corners;
    v3 normal = v3_cross(v3_sub(c[1], c[0]), v3_sub(c[2], c[0]));
    normal = v3_scale(normal, v3_inverse_length(normal));
    float distance = length_of(v4_xyz(triangle_offset(at, c[0], c[1], c[2], normal)));
    float own = f->sine * depth, nearest = k_abs(solid_distance(s->solid, there, INFINITY).w);
    offer(s, nearest < own ? distance * nearest / own : distance, at);
}

static void measure_vertex(search *s, v3 at, const feature *f, float reach) {
    v3 end = v3_madd(at, f->into, reach);
    v3 low = v3_min(at, end), high = v3_max(at, end);
    for (int i = 0; i < s->count; i++) {
        const patch *p = &s->patches[i];
        if (!p->pinned && boxes_meet(low, high, p->low, p->high)) {
            float share = meet_triangle(at, end, p->corners[0], p->corners[1], p->corners[2]);
            if (share * reach > PENETRATION_TOLERANCE) {
                offer_point(s, at, f, p, share * reach);
            }
        }
    }
}

/* The plane of an edge and the way into the body cuts a patch along a piece: as far along the edge,
 * and as far into the body, as its two ends are. */
static bool cut_patch(const patch *p, v3 a, v3 along, v3 into, float piece[2][2]) {
    v3 across = v3_cross(along, into);
    float heights[3];
    for (int k = 0; k < 3; k++) {
        heights[k] = v3_dot(across, v3_sub(p->corners[k], a));
    }
    int ends = 0;
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        if ((heights[k] > 0.0f) == (heights[next] > 0.0f) || ends == 2) {
            continue;
        }
        float share = heights[k] / (heights[k] - heights[next]);
        v3 at = v3_sub(v3_mix(p->corners[k], p->corners[next], share), a);
        piece[ends][0] = v3_dot(at, along);
        piece[ends++][1] = v3_dot(at, into);
    }
    return ends == 2;
}

static void measure_edge(search *s, v3 a, v3 b, const feature *f, float reach) {
    const v3 into = f->into;
    v3 along = v3_sub(b, a);
    float length = length_of(along);
    along = v3_scale(along, 1.0f / k_max(length, KERNEL_TINY));
    v3 low = v3_min(v3_min(a, b), v3_min(v3_madd(a, into, reach), v3_madd(b, into, reach)));
    v3 high = v3_max(v3_max(a, b), v3_max(v3_madd(a, into, reach), v3_madd(b, into, reach)));
    for (int i = 0; i < s->count; i++) {
        const patch *p = &s->patches[i];
        float piece[2][2];
        if (p->pinned || !boxes_meet(low, high, p->low, p->high) ||
            !cut_patch(p, a, along, into, piece)) {
            continue;
        }
        for (int end = 0; end < 2; end++) {
            const float *here = piece[end], *other = piece[1 - end];
            float at = k_min(k_max(here[0], 0.0f), length);
            float share = at == here[0] ? 0.0f : (at - here[0]) / (other[0] - here[0]);
            float depth = here[1] + share * (other[1] - here[1]);
            if (share >= 0.0f && share <= 1.0f && depth > PENETRATION_TOLERANCE) {
                offer_point(s, v3_madd(a, along, at), f, p, depth);
            }
        }
    }
}

typedef struct around {
    search *search;
    float reach;
} around;

/* Half edges, and the triangles that they are of, are numbered as the mesh was given. */
static v3 normal_at(const solid *s, uint32_t half_edge) {
    uint32_t first = half_edge - half_edge % 3;
    return triangle_normal(solid_corner(s, first, 0.0f), solid_corner(s, first + 1, 0.0f),
                           solid_corner(s, first + 2, 0.0f));
}

/* Is the half edge one that its two faces fall off from? */
static bool is_convex(const solid *s, const solid_face *f, uint32_t half_edge) {
    uint32_t twin = s->twins[half_edge];
    if (twin == SOLID_NONE) {
        return false;
    }
    v3 opposite = solid_corner(s, half_edge_next(half_edge_next(twin)), 0.0f);
    return v3_dot(v3_sub(opposite, f->a), f->normal) < -s->grain;
}

static feature edge_feature(const solid *s, uint32_t face, uint32_t half_edge) {
    v3 into = v3_scale(solid_normal(s, face, 3 + half_edge % 3, 0.0f), -1.0f);
    v3 one = s->faces[face].normal, other = normal_at(s, s->twins[half_edge]);
    return (feature){into, -k_max(v3_dot(into, one), v3_dot(into, other))};
}

/* Over the faces around the vertex that a half edge starts at. */
static feature vertex_feature(const solid *s, uint32_t face, uint32_t half_edge) {
    v3 into = v3_scale(solid_normal(s, face, half_edge % 3, 0.0f), -1.0f);
    feature f = {into, 1.0f};
    uint32_t h = half_edge;
    do {
        f.sine = k_min(f.sine, -v3_dot(into, normal_at(s, h)));
        h = s->twins[half_edge_next(half_edge_next(h))];
    } while (h != half_edge && h != SOLID_NONE);
    return f;
}

static bool measure_face(void *user, uint32_t face) {
    const around *a = user;
    const solid *s = a->search->solid;
    const v3 corners[3] = {s->faces[face].a, s->faces[face].b, s->faces[face].c};
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t half_edge = 3 * s->face_triangle[face] + k;
        if (s->firsts[face] & SOLID_FIRST_VERTEX << k) {
            const feature f = vertex_feature(s, face, half_edge);
            measure_vertex(a->search, corners[k], &f, a->reach);
        }
        if ((s->firsts[face] & SOLID_FIRST_EDGE << k) && is_convex(s, &s->faces[face], half_edge)) {
            const feature f = edge_feature(s, face, half_edge);
            measure_edge(a->search, corners[k], corners[(k + 1) % 3], &f, a->reach);
        }
    }
    return true;
}

/* ---- what goes through --------------------------------------------------------------------------
 */

/* The way out of the body across a direction. */
typedef struct aside {
    const solid *solid;
    v3 from, direction;
    float distance;
} aside;

static bool find_aside(void *user, uint32_t face) {
    aside *w = user;
    const solid_face *f = &w->solid->faces[face];
    const v3 corners[3] = {v3_sub(f->a, w->from), v3_sub(f->b, w->from), v3_sub(f->c, w->from)};
    v3 ends[3];
    int count = 0;
    for (int k = 0; k < 3; k++) {
        v3 a = corners[k], b = corners[(k + 1) % 3];
        float before = v3_dot(a, w->direction), behind = v3_dot(b, w->direction);
        if ((before > 0.0f) != (behind > 0.0f)) {
            ends[count++] = v3_mix(a, b, before / (before - behind));
        }
    }
    if (count == 2) {
        v3 to[2] = {v3_scale(ends[0], -1.0f), v3_scale(ends[1], -1.0f)};
        v4 offset = segment_offset(to[0], to[1], TRIANGLE_A, TRIANGLE_B, TRIANGLE_AB);
        w->distance = k_min(w->distance, length_of(v4_xyz(offset)));
    }
    return true;
}

/* Inside an open mesh is what is below its nearest face. */
static bool is_outside(const solid *s, v3 p) {
    return s->open ? solid_distance(s, p, INFINITY).w >= 0.0f : solid_winding(s, p, 0.0f) == 0;
}

/* An edge of a patch. Returns whether a face meets it. */
static bool measure_side(search *s, v3 a, v3 b) {
    way w = find_way(s->solid, a, b);
    if (w.met[1] <= 1.0f && is_outside(s->solid, a) && is_outside(s->solid, b)) {
        v3 side = v3_sub(b, a), middle = v3_mix(a, b, 0.5f * (w.met[0] + w.met[1]));
        float length = length_of(side);
        v3 room = v3_make(length, length, length);
        aside out = {s->solid, middle, v3_scale(side, 1.0f / k_max(length, KERNEL_TINY)), length};
        solid_walk(s->solid, v3_sub(middle, room), v3_add(middle, room), find_aside, &out);
        offer(s, out.distance, middle);
    }
    return w.met[0] <= 1.0f;
}

static void measure_patch(search *s, const patch *p) {
    bool met = false;
    for (int k = 0; k < 3; k++) {
        met |= measure_side(s, p->corners[k], p->corners[(k + 1) % 3]);
    }
    if (!met && is_outside(s->solid, p->corners[0])) {
        v3 sum = v3_add(p->corners[0], v3_add(p->corners[1], p->corners[2]));
        offer(s, p->through, v3_scale(sum, 1.0f / 3.0f));
    }
}

/* ---- all of it ----------------------------------------------------------------------------------
 */

standing standing_measure(const solid *s, const patch *patches, int count) {
    search found = {.solid = s, .patches = patches, .count = count};
    v3 low = patches[0].low, high = patches[0].high;
    float reach = STANDING_REACH;
    for (int i = 0; i < count; i++) {
        const patch *p = &patches[i];
        low = v3_min(low, p->low);
        high = v3_max(high, p->high);
        if (p->cut) {
            reach = k_max(reach, p->through);
            measure_patch(&found, p);
        }
    }
    /* A corner of a cube lies as far behind three planes as the way into it is long by 1.73. */
    around a = {&found, 2.0f * reach};
    v3 beyond = v3_make(reach, reach, reach);
    solid_walk(s, v3_sub(low, beyond), v3_add(high, beyond), measure_face, &a);
    return found.worst;
}
