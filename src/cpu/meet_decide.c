/* Which side of a contour is wrong, and what is left alone near it. */
#include <stdlib.h>
#include <string.h>

#include "cpu/meet_untangle.h"
#include "kernel/untangle.h"

/* ---- sets ---------------------------------------------------------------------------------------
 */

static uint32_t part_of(uint32_t *part, uint32_t v) {
    while (part[v] != v) {
        part[v] = part[part[v]];
        v = part[v];
    }
    return v;
}

/* The lower number stands for both. */
static void join(uint32_t *part, uint32_t a, uint32_t b) {
    a = part_of(part, a);
    b = part_of(part, b);
    part[a < b ? b : a] = a < b ? a : b;
}

static uint32_t contour_of(piercing *p, uint32_t k) {
    while (p[k].contour != k) {
        p[k].contour = p[p[k].contour].contour;
        k = p[k].contour;
    }
    return k;
}

static void join_contours(piercing *p, uint32_t a, uint32_t b) {
    a = contour_of(p, a);
    b = contour_of(p, b);
    p[a < b ? b : a].contour = a < b ? a : b;
}

/* Piercings that have a vertex in common are of one contour. */
static void find_contours(untangle *u) {
    for (uint32_t k = 0; k < u->count; k++) {
        piercing *p = &u->piercings[k];
        p->contour = k;
        for (int v = 0; v < 5; v++) {
            uint32_t *last = v < 2 ? &u->cloths[p->edge_cloth].last[p->edge[v]]
                                   : &u->cloths[p->face_cloth].last[p->face[v - 2]];
            if (*last != 0) {
                join_contours(u->piercings, *last - 1, k);
            }
            *last = k + 1;
        }
    }
}

static void forget_last(untangle *u) {
    for (size_t k = 0; k < u->count; k++) {
        const piercing *p = &u->piercings[k];
        for (int v = 0; v < 5; v++) {
            *(v < 2 ? &u->cloths[p->edge_cloth].last[p->edge[v]]
                    : &u->cloths[p->face_cloth].last[p->face[v - 2]]) = 0;
        }
    }
}

/* ---- parts of a cloth ---------------------------------------------------------------------------
 */

static bool has_order(const step_plan *plan, uint32_t one, uint32_t other) {
    return plan->cloths[one].layer != plan->cloths[other].layer;
}

static uint64_t edge_key(uint32_t a, uint32_t b) {
    return (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
}

static int compare_keys(const void *a, const void *b) {
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return one < other ? -1 : one > other;
}

static bool list_cuts(untangle *u, const step_plan *plan) {
    for (int i = 0; i < u->cloth_count; i++) {
        u->cloths[i].cut_count = 0;
        u->cloths[i].in_itself = false;
    }
    for (size_t k = 0; k < u->count; k++) {
        u->cloths[u->piercings[k].edge_cloth].cut_count++;
    }
    for (int i = 0; i < u->cloth_count; i++) {
        untangle_cloth *c = &u->cloths[i];
        if (!meet_room((void **)&c->cuts, &c->cut_room, c->cut_count, sizeof *c->cuts)) {
            return false;
        }
        c->cut_count = 0;
    }
    for (size_t k = 0; k < u->count; k++) {
        const piercing *p = &u->piercings[k];
        untangle_cloth *c = &u->cloths[p->edge_cloth];
        c->in_itself |= p->edge_cloth == p->face_cloth;
        if (!has_order(plan, p->edge_cloth, p->face_cloth)) {
            c->cuts[c->cut_count++] = edge_key(p->edge[0], p->edge[1]);
        }
    }
    for (int i = 0; i < u->cloth_count; i++) {
        if (u->cloths[i].cut_count > 0) {
            qsort(u->cloths[i].cuts, u->cloths[i].cut_count, sizeof(uint64_t), compare_keys);
        }
    }
    return true;
}

static bool is_cut(const untangle_cloth *c, uint32_t a, uint32_t b) {
    const uint64_t key = edge_key(a, b);
    return bsearch(&key, c->cuts, c->cut_count, sizeof key, compare_keys) != NULL;
}

static void find_parts(untangle_cloth *c, const meet_cloth *cloth) {
    const flat_mesh *mesh = cloth->mesh;
    for (uint32_t v = 0; v < cloth->vertices; v++) {
        c->part[v] = v;
        c->size[v] = 0;
        c->depth[v] = UINT32_MAX;
    }
    for (size_t h = 0; h < 3 * (size_t)mesh->triangle_count; h++) {
        const uint32_t a = mesh->indices[h], b = mesh->indices[h % 3 == 2 ? h - 2 : h + 1];
        if (!is_cut(c, a, b)) {
            join(c->part, a, b);
        }
    }
    for (uint32_t v = 0; v < cloth->vertices; v++) {
        c->size[part_of(c->part, v)]++;
    }
}

static uint32_t depth_of(const untangle_cloth *c, uint32_t v) {
    return c->depth[part_of(c->part, v)];
}

/* How many contours are between each part and the largest one that it hangs together with. */
static void find_depths(untangle *u, uint32_t cloth) {
    untangle_cloth *c = &u->cloths[cloth];
    for (;;) {
        uint32_t largest = UINT32_MAX;
        for (size_t k = 0; k < c->cut_count; k++) {
            const uint32_t ends[2] = {part_of(c->part, (uint32_t)(c->cuts[k] >> 32)),
                                      part_of(c->part, (uint32_t)c->cuts[k])};
            for (int e = 0; e < 2; e++) {
                if (c->depth[ends[e]] == UINT32_MAX &&
                    (largest == UINT32_MAX || c->size[ends[e]] > c->size[largest] ||
                     (c->size[ends[e]] == c->size[largest] && ends[e] < largest))) {
                    largest = ends[e];
                }
            }
        }
        if (largest == UINT32_MAX) {
            return;
        }
        c->depth[largest] = 0;
        for (bool changed = true; changed;) {
            changed = false;
            for (size_t k = 0; k < c->cut_count; k++) {
                uint32_t *a = &c->depth[part_of(c->part, (uint32_t)(c->cuts[k] >> 32))];
                uint32_t *b = &c->depth[part_of(c->part, (uint32_t)c->cuts[k])];
                if (*a != UINT32_MAX && (*b == UINT32_MAX || *b > *a + 1)) {
                    *b = *a + 1;
                    changed = true;
                }
                if (*b != UINT32_MAX && (*a == UINT32_MAX || *a > *b + 1)) {
                    *a = *b + 1;
                    changed = true;
                }
            }
        }
    }
}

/* ---- directions ---------------------------------------------------------------------------------
 */

static v3 at_of(const meet_table *t, uint32_t cloth, uint32_t v) {
    return meet_load(t->cloths[cloth].from, v);
}

static v3 unit(v3 a) {
    return v3_dot(a, a) > 0.0f ? v3_scale(a, v3_inverse_length(a)) : v3_make(0.0f, 0.0f, 0.0f);
}

static void find_normals(untangle_cloth *c, const meet_cloth *cloth) {
    const flat_mesh *mesh = cloth->mesh;
    memset(c->normals, 0, cloth->vertices * sizeof *c->normals);
    for (size_t f = 0; f < mesh->triangle_count; f++) {
        const uint32_t *v = mesh->indices + 3 * f;
        const v3 a = meet_load(cloth->from, v[0]);
        const v3 n = v3_cross(v3_sub(meet_load(cloth->from, v[1]), a),
                              v3_sub(meet_load(cloth->from, v[2]), a));
        for (int k = 0; k < 3; k++) {
            c->normals[v[k]] = v3_add(c->normals[v[k]], n);
        }
    }
}

static v3 edge_normal(const untangle *u, const piercing *p) {
    const v3 *n = u->cloths[p->edge_cloth].normals;
    return unit(v3_madd(v3_scale(n[p->edge[0]], 1.0f - p->at), n[p->edge[1]], p->at));
}

static v3 face_normal(const untangle *u, const piercing *p) {
    const v3 *n = u->cloths[p->face_cloth].normals;
    v3 sum = v3_make(0.0f, 0.0f, 0.0f);
    for (int k = 0; k < 3; k++) {
        sum = v3_madd(sum, n[p->face[k]], p->on[k]);
    }
    return unit(sum);
}

/* The outer cloth belongs on the front of the inner one. */
static v3 push_by_order(const untangle *u, const step_plan *plan, const piercing *p) {
    const bool edge_is_outer =
        plan->cloths[p->edge_cloth].layer > plan->cloths[p->face_cloth].layer;
    return edge_is_outer ? face_normal(u, p) : v3_scale(edge_normal(u, p), -1.0f);
}

/* Through which a place is led from a wrong one to a right one. */
static v3 through(v3 normal, v3 wrong, v3 right) {
    return v3_dot(normal, v3_sub(right, wrong)) < 0.0f ? v3_scale(normal, -1.0f) : normal;
}

/* A part of a cloth that a contour cuts off goes back to the rest of it. */
static v3 push_by_parts(const meet_table *t, const piercing *p) {
    const untangle *u = t->tangle;
    const untangle_cloth *c = &u->cloths[p->edge_cloth];
    const uint32_t a = depth_of(c, p->edge[0]), b = depth_of(c, p->edge[1]);
    v3 push = v3_make(0.0f, 0.0f, 0.0f);
    if (a != b) {
        const uint32_t wrong = a > b ? p->edge[0] : p->edge[1], right = p->edge[a > b];
        push = through(p->normal, at_of(t, p->edge_cloth, wrong), at_of(t, p->edge_cloth, right));
    }
    c = &u->cloths[p->face_cloth];
    uint32_t low = 0, high = 0;
    for (int k = 1; k < 3; k++) {
        low = depth_of(c, p->face[k]) < depth_of(c, p->face[low]) ? (uint32_t)k : low;
        high = depth_of(c, p->face[k]) > depth_of(c, p->face[high]) ? (uint32_t)k : high;
    }
    if (depth_of(c, p->face[low]) != depth_of(c, p->face[high])) {
        const v3 back = through(edge_normal(u, p), at_of(t, p->face_cloth, p->face[high]),
                                at_of(t, p->face_cloth, p->face[low]));
        push = v3_sub(push, back);
    }
    return unit(push);
}

/* G, a face of the edge after the other. */
static void add_shorten(const meet_table *t, piercing *p, const uint32_t face[3]) {
    const v3 a = at_of(t, p->edge_cloth, p->edge[0]), b = at_of(t, p->edge_cloth, p->edge[1]);
    v3 third = a;
    for (int k = 0; k < 3; k++) {
        if (face[k] != p->edge[0] && face[k] != p->edge[1]) {
            third = at_of(t, p->edge_cloth, face[k]);
        }
    }
    const v3 edge = unit(v3_sub(b, a)), inwards = v3_sub(third, a);
    const v3 normal = v3_cross(edge, inwards);
    const v3 across = v3_madd(inwards, edge, -v3_dot(inwards, edge));
    const v3 into = untangle_into(normal, p->normal, across);
    p->shorten = v3_add(p->shorten, untangle_shorten(edge, p->normal, into));
}

/* ---- faces at edges that go through something ---------------------------------------------------
 */

static int compare_uses(const void *a, const void *b) {
    const edge_use *one = a, *other = b;
    if (one->cloth != other->cloth) {
        return one->cloth < other->cloth ? -1 : 1;
    }
    if (one->key != other->key) {
        return one->key < other->key ? -1 : 1;
    }
    return one->piercing < other->piercing ? -1 : one->piercing > other->piercing;
}

static bool list_uses(untangle *u) {
    u->use_count = 0;
    if (!meet_room((void **)&u->uses, &u->use_room, u->count, sizeof *u->uses)) {
        return false;
    }
    for (uint32_t k = 0; k < u->count; k++) {
        const piercing *p = &u->piercings[k];
        if (!u->piercings[contour_of(u->piercings, k)].decided) {
            u->uses[u->use_count++] =
                (edge_use){p->edge_cloth, edge_key(p->edge[0], p->edge[1]), k};
        }
    }
    if (u->use_count > 0) {
        qsort(u->uses, u->use_count, sizeof *u->uses, compare_uses);
    }
    return true;
}

/* The first use of an edge, or the end. */
static size_t first_use(const untangle *u, uint32_t cloth, uint64_t key) {
    const edge_use wanted = {cloth, key, 0};
    size_t low = 0, high = u->use_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (compare_uses(&u->uses[middle], &wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void shorten_all(meet_table *t) {
    untangle *u = t->tangle;
    for (uint32_t i = 0; i < (uint32_t)u->cloth_count && u->use_count > 0; i++) {
        const flat_mesh *mesh = t->cloths[i].mesh;
        for (size_t h = 0; h < 3 * (size_t)mesh->triangle_count; h++) {
            const uint32_t *face = mesh->indices + h / 3 * 3;
            const uint32_t a = face[h % 3], b = face[(h + 1) % 3];
            if (!(u->cloths[i].near[a] & u->cloths[i].near[b])) {
                continue;
            }
            const uint64_t key = edge_key(a, b);
            for (size_t k = first_use(u, i, key);
                 k < u->use_count && u->uses[k].cloth == i && u->uses[k].key == key; k++) {
                add_shorten(t, &u->piercings[u->uses[k].piercing], face);
            }
        }
    }
    for (uint32_t k = 0; k < u->count; k++) {
        piercing *first = &u->piercings[contour_of(u->piercings, k)];
        if (first != &u->piercings[k]) {
            first->shorten = v3_add(first->shorten, u->piercings[k].shorten);
        }
    }
}

static void push_all(const meet_run *run) {
    meet_table *t = run->table;
    untangle *u = t->tangle;
    for (uint32_t k = 0; k < u->count; k++) {
        piercing *p = &u->piercings[k];
        const v3 a = at_of(t, p->face_cloth, p->face[0]);
        p->normal = unit(v3_cross(v3_sub(at_of(t, p->face_cloth, p->face[1]), a),
                                  v3_sub(at_of(t, p->face_cloth, p->face[2]), a)));
        p->shorten = v3_make(0.0f, 0.0f, 0.0f);
        p->push = has_order(run->plan, p->edge_cloth, p->face_cloth)
                      ? push_by_order(u, run->plan, p)
                      : push_by_parts(t, p);
        u->piercings[contour_of(u->piercings, k)].decided |= v3_dot(p->push, p->push) > 0.0f;
    }
}

/* Where no side of a contour is wrong, it is shortened, and moves one way. */
static void push_undecided(meet_table *t) {
    untangle *u = t->tangle;
    for (uint32_t k = 0; k < u->count; k++) {
        piercing *p = &u->piercings[k];
        const piercing *first = &u->piercings[contour_of(u->piercings, k)];
        p->decided = first->decided;
        if (!p->decided) {
            p->push = unit(first->shorten);
        }
    }
}

/* ---- what is near -------------------------------------------------------------------------------
 */

static void mark_near(meet_table *t) {
    untangle *u = t->tangle;
    for (int i = 0; i < u->cloth_count; i++) {
        memset(u->cloths[i].near, 0, t->cloths[i].vertices);
    }
    for (size_t k = 0; k < u->count; k++) {
        const piercing *p = &u->piercings[k];
        const bool decided = u->piercings[contour_of(u->piercings, (uint32_t)k)].decided;
        const uint8_t own = (uint8_t)(UNTANGLE_AT | (decided ? 0 : UNTANGLE_UNDECIDED));
        for (int v = 0; v < 5; v++) {
            *(v < 2 ? &u->cloths[p->edge_cloth].near[p->edge[v]]
                    : &u->cloths[p->face_cloth].near[p->face[v - 2]]) |= own;
        }
    }
    for (int i = 0; i < u->cloth_count; i++) {
        const flat_mesh *mesh = t->cloths[i].mesh;
        untangle_cloth *c = &u->cloths[i];
        for (size_t f = 0; f < mesh->triangle_count; f++) {
            const uint32_t *v = mesh->indices + 3 * f;
            const unsigned all = c->near[v[0]] | c->near[v[1]] | c->near[v[2]];
            if (all & UNTANGLE_AT) {
                for (int k = 0; k < 3; k++) {
                    c->near[v[k]] |= (uint8_t)(UNTANGLE_NEAR | (all & UNTANGLE_UNDECIDED));
                }
            }
        }
        for (uint32_t v = 0; v < t->cloths[i].vertices; v++) {
            const uint32_t depth = c->near[v] && c->cut_count > 0 ? depth_of(c, v) : 0;
            c->near[v] |= (uint8_t)(depth > 0 && depth != UINT32_MAX ? UNTANGLE_WRONG : 0);
        }
    }
}

bool untangle_decide(const meet_run *run) {
    meet_table *t = run->table;
    untangle *u = t->tangle;
    if (!list_cuts(u, run->plan)) {
        return false;
    }
    for (int i = 0; i < u->cloth_count; i++) {
        if (u->count > 0) {
            find_normals(&u->cloths[i], &t->cloths[i]);
            find_parts(&u->cloths[i], &t->cloths[i]);
            find_depths(u, (uint32_t)i);
        }
    }
    find_contours(u);
    forget_last(u);
    push_all(run);
    mark_near(t);
    if (!list_uses(u)) {
        return false;
    }
    shorten_all(t);
    push_undecided(t);
    return true;
}

/* Of corners of a part of a pair: all bits that any has, and the sum of normals. */
typedef struct corner_marks {
    unsigned bits;
    v3 normal;
} corner_marks;

static corner_marks marks_of(const meet_table *t, const meet_pair *p, bool first) {
    const untangle_cloth *c = &t->tangle->cloths[first ? p->first : p->second];
    corner_marks m = {0, v3_make(0.0f, 0.0f, 0.0f)};
    const int middle = p->edges ? 2 : 1;
    for (int k = first ? 0 : middle; k < (first ? middle : 4); k++) {
        m.bits |= c->near[p->corners[k]];
        m.normal = v3_add(m.normal, c->normals[p->corners[k]]);
    }
    return m;
}

bool untangle_is_near(const meet_run *run, const meet_pair *p) {
    const meet_table *t = run->table;
    return t->tangle && t->tangle->count > 0 &&
           (p->first != p->second || t->tangle->cloths[p->first].in_itself) &&
           marks_of(t, p, true).bits && marks_of(t, p, false).bits;
}

bool untangle_leaves_out(const meet_run *run, const meet_pair *p, v3 normal) {
    const meet_table *t = run->table;
    if (!untangle_is_near(run, p)) {
        return false;
    }
    const corner_marks one = marks_of(t, p, true), two = marks_of(t, p, false);
    if (has_order(run->plan, p->first, p->second)) {
        const bool outer = run->plan->cloths[p->first].layer > run->plan->cloths[p->second].layer;
        return outer ? v3_dot(normal, two.normal) <= 0.0f : v3_dot(normal, one.normal) >= 0.0f;
    }
    return ((one.bits | two.bits) & UNTANGLE_WRONG) || (one.bits & two.bits & UNTANGLE_UNDECIDED);
}
