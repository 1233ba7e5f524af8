/* Which edges of cloth go through which triangles. */
#include "cpu/meet_untangle.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernel/untangle.h"
#include "model/cut.h"

static const char WHAT[] = "cloth in cloth";

/* ---- tables -------------------------------------------------------------------------------------
 */

void untangle_free(untangle *u) {
    if (!u) {
        return;
    }
    for (int i = 0; u->cloths && i < u->cloth_count; i++) {
        untangle_cloth *c = &u->cloths[i];
        free(c->near);
        free(c->part);
        free(c->size);
        free(c->depth);
        free(c->last);
        free(c->normals);
        free(c->cuts);
    }
    for (int k = 0; u->found && k < u->threads; k++) {
        free(u->found[k].piercings);
    }
    free(u->cloths);
    free(u->found);
    free(u->piercings);
    free(u->uses);
    free(u);
}

static untangle *untangle_create(const meet_table *t) {
    untangle *u = memory_alloc(1, sizeof *u, WHAT);
    if (!u) {
        return NULL;
    }
    u->cloth_count = t->count;
    u->threads = t->most_threads;
    u->cloths = memory_alloc((size_t)t->count, sizeof *u->cloths, WHAT);
    u->found = memory_alloc((size_t)t->most_threads, sizeof *u->found, WHAT);
    bool made = u->cloths && u->found;
    for (int i = 0; made && i < t->count; i++) {
        untangle_cloth *c = &u->cloths[i];
        const size_t vertices = t->cloths[i].vertices;
        c->near = memory_alloc(vertices, sizeof *c->near, WHAT);
        c->part = memory_alloc(vertices, sizeof *c->part, WHAT);
        c->size = memory_alloc(vertices, sizeof *c->size, WHAT);
        c->depth = memory_alloc(vertices, sizeof *c->depth, WHAT);
        c->last = memory_alloc(vertices, sizeof *c->last, WHAT);
        c->normals = memory_alloc(vertices, sizeof *c->normals, WHAT);
        made = c->near && c->part && c->size && c->depth && c->last && c->normals;
    }
    if (!made) {
        untangle_free(u);
        return NULL;
    }
    return u;
}

/* ---- an edge and a triangle ---------------------------------------------------------------------
 */

typedef struct finder {
    const meet_table *table;
    untangle_found *found;
    bool failed;
} finder;

static void place_of(const meet_cloth *c, uint32_t vertex, double out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = (double)c->from[3 * (size_t)vertex + (size_t)k];
    }
}

static void add(finder *f, const piercing *p) {
    untangle_found *own = f->found;
    piercing *more = memory_grow(own->piercings, own->count, &own->room, sizeof *more, WHAT);
    f->failed |= !more;
    if (more) {
        own->piercings = more;
        more[own->count++] = *p;
    }
}

/* What both have in common, or what a tie holds to each other, does not count. */
static bool belong_together(const meet_cloth *edge_cloth, const uint32_t edge[2],
                            const meet_cloth *face_cloth, const uint32_t face[3]) {
    bool shared = false, edge_tied = false, face_tied = false;
    for (int k = 0; k < 3; k++) {
        shared |= edge_cloth == face_cloth && (face[k] == edge[0] || face[k] == edge[1]);
        face_tied |= face_cloth->tied[face[k]];
    }
    edge_tied = edge_cloth->tied[edge[0]] || edge_cloth->tied[edge[1]];
    return shared || (edge_tied && face_tied);
}

/* A vertex in the plane counts as below it, so that an edge is never on both sides at once. */
static void try_edge(finder *f, uint32_t edge_cloth, uint32_t a, uint32_t b, uint32_t face_cloth,
                     const uint32_t face[3]) {
    const meet_cloth *one = &f->table->cloths[edge_cloth], *other = &f->table->cloths[face_cloth];
    const uint32_t edge[2] = {a, b};
    if (belong_together(one, edge, other, face)) {
        return;
    }
    double p[3], q[3], x[3][3];
    place_of(one, a, p);
    place_of(one, b, q);
    for (int k = 0; k < 3; k++) {
        place_of(other, face[k], x[k]);
    }
    const double above = side_of(x[0], x[1], x[2], p), below = side_of(x[0], x[1], x[2], q);
    if ((above > 0.0) == (below > 0.0)) {
        return;
    }
    double w[3], sum = 0.0;
    bool up = true, down = true;
    for (int k = 0; k < 3; k++) {
        w[k] = side_of(p, q, x[(k + 1) % 3], x[(k + 2) % 3]);
        up &= w[k] >= 0.0;
        down &= w[k] <= 0.0;
        sum += w[k];
    }
    if (!(up || down) || sum == 0.0) {
        return;
    }
    piercing found = {.edge = {a, b},
                      .face = {face[0], face[1], face[2]},
                      .edge_cloth = edge_cloth,
                      .face_cloth = face_cloth,
                      .at = (float)(above / (above - below)),
                      .on = {(float)(w[0] / sum), (float)(w[1] / sum), (float)(w[2] / sum)}};
    add(f, &found);
}

/* The edges of a triangle that no other one has, and another triangle. */
static void try_edges(finder *f, uint32_t edge_cloth, const uint32_t of[3], uint8_t owned,
                      uint32_t face_cloth, const uint32_t face[3]) {
    for (int k = 0; k < 3; k++) {
        if (owned & 8u << k) {
            try_edge(f, edge_cloth, of[k], of[(k + 1) % 3], face_cloth, face);
        }
    }
}

static void visit(void *user, tree_task *task, const tree_row *row) {
    finder *f = user;
    const meet_cloth *one = &f->table->cloths[task->first], *two = &f->table->cloths[task->second];
    const tree_leaf *l = &one->tree.leaves[row->a], *m = &two->tree.leaves[row->b];
    const uint32_t a[3] = {l->vertices[0][row->at], l->vertices[1][row->at],
                           l->vertices[2][row->at]};
    const uint8_t a_owned = one->owned[(size_t)row->a * TREE_LEAF + (size_t)row->at];
    for (int j = 0; j < TREE_LEAF; j++) {
        if (row->candidates & tree_bit(j)) {
            const uint32_t b[3] = {m->vertices[0][j], m->vertices[1][j], m->vertices[2][j]};
            try_edges(f, task->first, a, a_owned, task->second, b);
            try_edges(f, task->second, b, two->owned[(size_t)row->b * TREE_LEAF + (size_t)j],
                      task->first, a);
        }
    }
}

/* ---- all of them --------------------------------------------------------------------------------
 */

static void fit(const meet_run *run, int thread) {
    meet_table *t = run->table;
    for (int i = 0; i < t->count; i++) {
        meet_cloth *c = &t->cloths[i];
        const meet_range leaves =
            meet_share_of(c->asleep ? 0 : c->tree.leaf_count, thread, t->threads);
        for (size_t l = leaves.begin; l < leaves.end; l++) {
            run->vectors->fit(&c->tree.leaves[l], &c->leaves[l], c->from, c->from, 0.0f);
        }
        if (!c->asleep && c->tree.flatness) {
            const meet_range rows = meet_share_of(c->flat.levels[0].rows, thread, t->threads);
            c->flat.until = c->from;
            flatness_fit_rows(&c->flat, (uint32_t)rows.begin, (uint32_t)rows.end);
        }
    }
}

static void walk_tasks(const meet_run *run, int thread) {
    meet_table *t = run->table;
    untangle_found *own = &t->tangle->found[thread];
    finder f = {.table = t, .found = own};
    own->count = 0;
    for (size_t k = atomic_fetch_add(&t->next_task, 1); k < t->walk.task_count;
         k = atomic_fetch_add(&t->next_task, 1)) {
        const size_t before = own->count;
        tree_pairs_walk(&t->walk, &t->walk.tasks[k], visit, &f);
        t->tasks[k] = (meet_task){thread, before, own->count - before};
    }
    t->found[thread].failed |= f.failed;
}

/* Thread 0: in the order of tasks, whoever did them. */
static bool gather(meet_table *t) {
    untangle *u = t->tangle;
    size_t count = 0;
    for (size_t k = 0; k < t->walk.task_count; k++) {
        count += t->tasks[k].count;
    }
    u->count = 0;
    if (!meet_room((void **)&u->piercings, &u->room, count, sizeof *u->piercings)) {
        return false;
    }
    for (size_t k = 0; k < t->walk.task_count; k++) {
        const meet_task *task = &t->tasks[k];
        if (task->count > 0) {
            memcpy(u->piercings + u->count, u->found[task->thread].piercings + task->first,
                   task->count * sizeof *u->piercings);
        }
        u->count += task->count;
    }
    return true;
}

void untangle_look(const meet_run *run, int thread) {
    meet_table *t = run->table;
    if (thread == 0 && !t->tangle) {
        t->tangle = untangle_create(t);
        t->failed |= !t->tangle;
    }
    barrier_wait(run->barrier);
    if (!t->tangle) {
        return;
    }
    fit(run, thread);
    barrier_wait(run->barrier);
    if (thread == 0) {
        meet_list_tasks(run->table);
    }
    barrier_wait(run->barrier);
    walk_tasks(run, thread);
    barrier_wait(run->barrier);
    if (thread == 0) {
        t->failed |= !gather(t) || !untangle_decide(run);
        t->pierced[0] = t->looked ? t->pierced[0] : t->tangle->count;
        t->pierced[1] = t->tangle->count;
        t->looked = true;
    }
    barrier_wait(run->barrier);
}

/* ---- what draws them out ------------------------------------------------------------------------
 */

static bool add_contact(meet_table *t, const meet_contact *own) {
    meet_contact *more = memory_grow(t->contacts, t->contact_count, &t->contact_room, sizeof *more,
                                     "contacts of cloth");
    if (more) {
        t->contacts = more;
        more[t->contact_count++] = *own;
    }
    return more != NULL;
}

/* Each end of an edge is drawn against the triangle by its share. */
bool untangle_add_contacts(const meet_run *run) {
    meet_table *t = run->table;
    const cloth_params *cloths = run->plan->cloths;
    bool made = t->tangle != NULL;
    for (size_t k = 0; made && k < t->tangle->count; k++) {
        const piercing *p = &t->tangle->piercings[k];
        const float way = UNTANGLE_SPEED * run->plan->substep *
                          k_min(cloths[p->edge_cloth].spacing, cloths[p->face_cloth].spacing);
        for (int end = 0; end < 2 && v3_dot(p->push, p->push) > 0.0f; end++) {
            const float share = end == 0 ? 1.0f - p->at : p->at;
            const meet_contact own = {
                .pair = {.corners = {p->edge[end], p->face[0], p->face[1], p->face[2]},
                         .first = p->edge_cloth,
                         .second = p->face_cloth},
                .place = {meet_face_weights(v3_make(p->on[0], p->on[1], p->on[2])), p->push, 0.0f},
                .rest = way,
                .draws = share};
            made = made && (share < 0.01f || add_contact(t, &own));
        }
    }
    return made;
}
