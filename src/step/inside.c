/* How a cloth is inside a body that is a mesh, or a box, which is measured as the mesh that it is.
 * Inside is told by winding numbers, and crossings by
 * pairs of triangles: neither uses the signed distance that the solvers keep cloth out by, so that
 * measuring sees what they do not.
 *
 * The winding number changes only across the surface. A box of the cloth's tree that no face of the
 * body meets has one, and so has a triangle that no face meets.
 *
 * Open meshes have no winding number that is whole, and no inside but what is below their surface:
 * for them the nearest face says which side a point is on, as it does for the solvers, and every
 * point is asked for. Crossings are found in the same way. */
#include <math.h>
#include <stdlib.h>

#include "kernel/triangle.h"
#include "model/cut.h"
#include "model/solid_walk.h"
#include "model/winding.h"
#include "step/gauge.h"
#include "step/standing.h"
#include "step/world.h"

typedef struct search {
    const cloth *cloth;
    const body_frame *frame;
    const solid *solid;
    float thickness; /* m */
    bool open;       /* the mesh has borders */
    toile_penetration *out;
} search;

/* A vertex that a leaf owns, in the body's frame. */
typedef struct spot {
    v3 at;
    uint32_t vertex;
    uint32_t face; /* the nearest one within the thickness; UINT32_MAX: none */
    float squared; /* m^2, of its distance */
    float height;  /* m, over its plane */
    bool facing;   /* it lies before or behind that face, rather than beside it */
    bool between;  /* ... and so does an opposite one, on the side that makes it pinched */
    int winding;
} spot;

typedef struct leaf_search {
    const search *search;
    patch patches[TREE_LEAF];
    spot spots[3 * TREE_LEAF];
    int patch_count, spot_count;
    float margin; /* m, nearer to its plane a corner may be on either side of a face */
} leaf_search;

static v3 vertex_at(const search *s, uint32_t v) {
    const float *p = s->cloth->gauge.vertices + 3 * (size_t)v;
    return frame_local_point(s->frame, v3_make(p[0], p[1], p[2]));
}

static int winding_at(const search *s, v3 p) {
    return s->open ? body_depth(s->frame->body, p) > 0.0f : solid_winding(s->solid, p, 0.0f);
}

static toile_place world_place(const search *s, v3 p) {
    return frame_place(s->frame, v3_add(s->frame->center, frame_world_direction(s->frame, p)));
}

static bool is_finite(v3 p) {
    return isfinite(p.x) && isfinite(p.y) && isfinite(p.z);
}

/* ---- a leaf of the cloth ------------------------------------------------------------------------
 */

static void load_leaf(leaf_search *l, uint32_t leaf) {
    const search *s = l->search;
    const triangle_tree *t = &s->cloth->gauge.tree;
    const tree_leaf *from = &t->leaves[leaf];
    for (int i = 0; i < TREE_LEAF && from->vertices[0][i] != TREE_NO_VERTEX; i++) {
        patch *p = &l->patches[l->patch_count];
        *p = (patch){.clear = !s->open};
        for (int k = 0; k < 3; k++) {
            p->vertices[k] = from->vertices[k][i];
            p->corners[k] = vertex_at(s, p->vertices[k]);
            p->pinned = p->pinned || is_vertex_pinned(s->cloth, p->vertices[k]);
        }
        p->low = v3_min(p->corners[0], v3_min(p->corners[1], p->corners[2]));
        p->high = v3_max(p->corners[0], v3_max(p->corners[1], p->corners[2]));
        l->patch_count +=
            is_finite(p->corners[0]) && is_finite(p->corners[1]) && is_finite(p->corners[2]);
    }
    float reach = s->thickness * s->thickness;
    for (uint32_t i = t->first_own[leaf]; i < t->first_own[leaf + 1]; i++) {
        uint32_t v = t->own_vertices[i];
        spot *p = &l->spots[l->spot_count];
        *p = (spot){.at = vertex_at(s, v), .vertex = v, .face = UINT32_MAX, .squared = reach};
        l->spot_count += is_finite(p->at) && !is_vertex_pinned(s->cloth, v);
    }
}

/* ---- crossings ----------------------------------------------------------------------------------
 */

static void load_corners(v3 a, v3 b, v3 c, double out[3][3]) {
    const v3 corners[3] = {a, b, c};
    for (int k = 0; k < 3; k++) {
        out[k][0] = (double)corners[k].x;
        out[k][1] = (double)corners[k].y;
        out[k][2] = (double)corners[k].z;
    }
}

/* How far three heights over a plane go to the side where they go less far; negative where they are
 * all on one side. */
static float lesser_reach(const float h[3]) {
    return k_min(k_max(h[0], k_max(h[1], h[2])), -k_min(h[0], k_min(h[1], h[2])));
}

static float body_reach(const patch *p, const solid_face *f) {
    v3 normal =
        v3_cross(v3_sub(p->corners[1], p->corners[0]), v3_sub(p->corners[2], p->corners[0]));
    float length = k_sqrt(v3_dot(normal, normal));
    const float heights[3] = {v3_dot(v3_sub(f->a, p->corners[0]), normal),
                              v3_dot(v3_sub(f->b, p->corners[0]), normal),
                              v3_dot(v3_sub(f->c, p->corners[0]), normal)};
    return lesser_reach(heights) / k_max(length, KERNEL_TINY);
}

static void cross_patch(const leaf_search *l, patch *p, const solid_face *f) {
    float heights[3];
    for (int k = 0; k < 3; k++) {
        heights[k] = v3_dot(v3_sub(p->corners[k], f->a), f->normal);
    }
    float reach = lesser_reach(heights);
    p->clear = p->clear && reach < -l->margin;
    if (!(reach > PENETRATION_TOLERANCE) || p->pinned) {
        return;
    }
    double mine[3][3], others[3][3];
    load_corners(p->corners[0], p->corners[1], p->corners[2], mine);
    load_corners(f->a, f->b, f->c, others);
    if (triangles_cut(mine, others) == CUT_THROUGH) {
        l->search->out->crossings++;
        p->cut = true;
        p->through = k_max(p->through, body_reach(p, f));
    }
}

/* ---- what is pinched ----------------------------------------------------------------------------
 */

static bool is_facing(float height, float squared) {
    return 4.0f * height * height >= squared;
}

static void approach_spot(spot *p, const solid_face *f, uint32_t face) {
    float height = v3_dot(v3_sub(p->at, f->a), f->normal);
    if (height * height > TRIANGLE_PLANE_BOUND * p->squared) {
        return;
    }
    v3 offset = v4_xyz(triangle_offset(p->at, f->a, f->b, f->c, f->normal));
    float squared = v3_dot(offset, offset);
    if (squared < p->squared) {
        p->face = face;
        p->squared = squared;
        p->height = v3_dot(offset, f->normal);
        p->facing = is_facing(p->height, squared);
    }
}

/* Between two faces that look at each other, with a gap, a point is in front of both and inside of
 * neither. Where the gap has closed and one part has taken the point in, it is behind one of them,
 * and inside. That tells a gap from the two sides of a thin part. */
static bool pinch_face(void *user, uint32_t face) {
    leaf_search *l = user;
    const solid_face *f = &l->search->solid->faces[face];
    float reach = l->search->thickness;
    for (int i = 0; i < l->spot_count; i++) {
        spot *p = &l->spots[i];
        if (!p->facing || p->between ||
            v3_dot(f->normal, l->search->solid->faces[p->face].normal) > -0.5f) {
            continue;
        }
        v3 offset = v4_xyz(triangle_offset(p->at, f->a, f->b, f->c, f->normal));
        float squared = v3_dot(offset, offset), height = v3_dot(offset, f->normal);
        int before = (p->height > 0.0f) + (height > 0.0f);
        p->between = squared < reach * reach && is_facing(height, squared) &&
                     p->height + height < reach && before == 2 - abs(p->winding);
    }
    return true;
}

/* ---- all faces near a leaf ----------------------------------------------------------------------
 */

static bool meet_face(void *user, uint32_t face) {
    leaf_search *l = user;
    const solid_face *f = &l->search->solid->faces[face];
    v3 low = v3_min(f->a, v3_min(f->b, f->c)), high = v3_max(f->a, v3_max(f->b, f->c));
    for (int i = 0; i < l->patch_count; i++) {
        patch *p = &l->patches[i];
        if (boxes_meet(p->low, p->high, low, high)) {
            cross_patch(l, p, f);
        }
    }
    for (int i = 0; i < l->spot_count; i++) {
        approach_spot(&l->spots[i], f, face);
    }
    return true;
}

static v3 middle_of(const patch *p) {
    v3 sum = v3_add(p->corners[0], v3_add(p->corners[1], p->corners[2]));
    return v3_scale(sum, 1.0f / 3.0f);
}

/* The first of some patches that no face meets and that has this vertex. */
static const patch *clear_patch(const leaf_search *l, int count, uint32_t vertex) {
    for (int i = 0; i < count; i++) {
        const patch *p = &l->patches[i];
        if (p->clear &&
            (p->vertices[0] == vertex || p->vertices[1] == vertex || p->vertices[2] == vertex)) {
            return p;
        }
    }
    return NULL;
}

/* Patches that no face meets, and that hang together, have one winding number. */
static void wind_leaf(leaf_search *l) {
    const search *s = l->search;
    for (int i = 0; i < l->patch_count; i++) {
        patch *p = &l->patches[i];
        const patch *known = NULL;
        for (int k = 0; k < 3 && p->clear && !known; k++) {
            known = clear_patch(l, i, p->vertices[k]);
        }
        p->winding = known ? known->winding : winding_at(s, middle_of(p));
    }
    for (int i = 0; i < l->spot_count; i++) {
        spot *p = &l->spots[i];
        const patch *known = clear_patch(l, l->patch_count, p->vertex);
        p->winding = known ? known->winding : winding_at(s, p->at);
    }
}

/* Where parts overlap the nearest surface is inside another part, and no point is too near to it
 * to be inside. */
static void count_point(const search *s, v3 p, int winding) {
    if (winding == 0) {
        return;
    }
    float depth = k_abs(solid_distance(s->solid, p, INFINITY).w);
    if (depth > PENETRATION_TOLERANCE || abs(winding) > 1) {
        s->out->count++;
        if ((double)depth > s->out->max_depth_m) {
            s->out->max_depth_m = (double)depth;
            s->out->deepest = world_place(s, p);
        }
    }
}

static void count_standing(const leaf_search *l) {
    const search *s = l->search;
    const standing found = standing_measure(s->solid, l->patches, l->patch_count);
    if ((double)found.depth > s->out->crossing_depth_m) {
        s->out->crossing_depth_m = (double)found.depth;
        s->out->farthest = world_place(s, found.place);
    }
}

static void count_leaf(const leaf_search *l) {
    bool meets = false;
    for (int i = 0; i < l->spot_count; i++) {
        const spot *p = &l->spots[i];
        count_point(l->search, p->at, p->winding);
        l->search->out->caught += abs(p->winding) > 1 || p->between;
    }
    for (int i = 0; i < l->patch_count; i++) {
        const patch *p = &l->patches[i];
        if (p->winding != 0 && !p->pinned) {
            count_point(l->search, middle_of(p), p->winding);
        }
        meets = meets || p->cut || (p->winding != 0 && !p->pinned);
    }
    if (meets) {
        count_standing(l);
    }
}

static void search_leaf(const search *s, uint32_t leaf) {
    leaf_search l = {.search = s, .margin = k_max(PENETRATION_TOLERANCE, s->solid->grain)};
    load_leaf(&l, leaf);
    if (l.patch_count == 0) {
        return;
    }
    v3 low = l.patches[0].low, high = l.patches[0].high;
    for (int i = 1; i < l.patch_count; i++) {
        low = v3_min(low, l.patches[i].low);
        high = v3_max(high, l.patches[i].high);
    }
    v3 around = v3_make(s->thickness, s->thickness, s->thickness);
    low = v3_sub(low, around);
    high = v3_add(high, around);
    solid_walk(s->solid, low, high, meet_face, &l);
    wind_leaf(&l);
    bool facing = false;
    for (int i = 0; i < l.spot_count; i++) {
        facing = facing || l.spots[i].facing;
    }
    if (facing) {
        solid_walk(s->solid, low, high, pinch_face, &l);
    }
    count_leaf(&l);
}

/* ---- the tree of the cloth ----------------------------------------------------------------------
 */

/* All below a node, which is inside and far from all faces. */
static void count_node(const search *s, const tree_node *n, int winding) {
    if (n->leaves > 1) {
        count_node(s, tree_first_child(n), winding);
        count_node(s, tree_second_child(n), winding);
        return;
    }
    leaf_search l = {.search = s};
    load_leaf(&l, n->leaf);
    for (int i = 0; i < l.patch_count; i++) {
        l.patches[i].winding = winding;
    }
    for (int i = 0; i < l.spot_count; i++) {
        l.spots[i].winding = winding;
    }
    count_leaf(&l);
}

static bool stop_at_first(void *user, uint32_t face) {
    (void)user;
    (void)face;
    return false;
}

/* Half the edges of a box of the body's frame that holds one of the world's. */
static v3 half_around(const body_frame *f, v3 half) {
    float extent[3];
    for (int k = 0; k < 3; k++) {
        v3 axis = f->axes[k];
        extent[k] = k_abs(axis.x) * half.x + k_abs(axis.y) * half.y + k_abs(axis.z) * half.z;
    }
    return v3_make(extent[0], extent[1], extent[2]);
}

static void search_node(const search *s, const tree_node *n) {
    v3 low = v3_make(n->low[0], n->low[1], n->low[2]);
    v3 high = v3_make(n->high[0], n->high[1], n->high[2]);
    v3 half = v3_scale(v3_sub(high, low), 0.5f);
    v3 middle = frame_local_point(s->frame, v3_add(low, half));
    half = half_around(s->frame, half);
    if (is_finite(middle) && is_finite(half)) {
        /* More than rounding moves the box by. */
        float size = k_sqrt(v3_dot(middle, middle)) + k_sqrt(v3_dot(half, half));
        float margin = s->thickness + s->solid->grain + 1e-6f * size;
        half = v3_add(half, v3_make(margin, margin, margin));
        low = v3_sub(middle, half);
        high = v3_add(middle, half);
        if (!boxes_meet(low, high, s->solid->low, s->solid->high)) {
            return;
        }
        if (!s->open && solid_walk(s->solid, low, high, stop_at_first, NULL)) {
            int winding = solid_winding(s->solid, middle, 0.0f);
            if (winding != 0) {
                count_node(s, n, winding);
            }
            return;
        }
    }
    if (n->leaves == 1) {
        search_leaf(s, n->leaf);
        return;
    }
    search_node(s, tree_first_child(n));
    search_node(s, tree_second_child(n));
}

void inside_measure(const cloth *c, const body_frame *f, const tree_node *n,
                    toile_penetration *out) {
    bool open = f->body->def.open && body_deforms(f->body);
    const search s = {c, f, body_mesh(f->body), c->def.fabric.thickness, open, out};
    search_node(&s, n);
}
