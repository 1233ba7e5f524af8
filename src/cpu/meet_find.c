/* Pairs that a move may bring together. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "cpu/meet_untangle.h"
#include "kernel/untangle.h"

/* ---- places and ways ----------------------------------------------------------------------------
 */

static v3 planes_at(float *const planes[3], size_t k) {
    return v3_make(planes[0][k], planes[1][k], planes[2][k]);
}

void meet_begin_rows(meet_table *t, int cloth, const pass_args *args, int begin, int end) {
    meet_cloth *c = &t->cloths[cloth];
    float *const *x = &args->state->at.plane[PLANE_x];
    for (int j = begin; j < end; j++) {
        for (int i = 0; i < c->grid->columns; i++) {
            const size_t k = grid_index(c->grid, i, j);
            const size_t texel = (size_t)j * (size_t)c->grid->columns + (size_t)i;
            const v3 at = planes_at(x, k);
            meet_store(c->at, texel, at);
            c->held[texel] =
                (uint8_t)(args->state->at.inverse_mass[k] > 0.0f ? MEET_FREE : MEET_HELD);
            if (c->plain) {
                meet_store(c->from, texel, at);
                meet_store(c->start, texel, at);
            }
        }
    }
}

void meet_begin_vertices(meet_table *t, int cloth, int share, int shares) {
    meet_cloth *c = &t->cloths[cloth];
    const meet_range own = meet_share_of(c->plain ? 0 : c->vertices, share, shares);
    for (size_t v = own.begin; v < own.end; v++) {
        const v3 at = meet_vertex_of(c, c->at, v);
        meet_store(c->from, v, at);
        meet_store(c->start, v, at);
    }
}

/* What texels may stray at least before pairs are listed again, of the thickness, and of how far
 * they have strayed in the last substep. */
static const float SLACK_THICK = 0.1f, SLACK_STRAYED = 1.25f;

static uint32_t bits_of(float a) {
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

/* What is no number, or is very far, is told of elsewhere. */
static void add_way(meet_found *own, v3 way) {
    const double parts[3] = {(double)way.x, (double)way.y, (double)way.z};
    for (int axis = 0; axis < 3; axis++) {
        own->way[axis] += fabs(parts[axis]) < 1e3 ? (int64_t)(MEET_NANOMETRES * parts[axis]) : 0;
    }
}

/* m, from the way that pairs were listed for. */
static float strays(const meet_cloth *c, size_t texel, v3 until) {
    const v3 from = meet_load(c->listed_from, texel);
    const v3 along = v3_sub(meet_load(c->listed, texel), from), to = v3_sub(until, from);
    const float part = v3_dot(to, along) / (v3_dot(along, along) + KERNEL_TINY);
    const v3 off = v3_madd(to, along, -k_min(k_max(part, 0.0f), 1.0f));
    return k_sqrt(v3_dot(off, off));
}

/* first: the move is that of a substep; what is held goes on to where that takes it in others. In
 * these no texel goes farther than `most`, m. */
static void load_rows(meet_cloth *c, const pass_args *args, bool first, float most, int begin,
                      int end, meet_found *own) {
    float *const *x = &args->hierarchy->levels[0].at.plane[LEVEL_x];
    for (int j = begin; j < end; j++) {
        for (int i = 0; i < c->grid->columns; i++) {
            const size_t texel = (size_t)j * (size_t)c->grid->columns + (size_t)i;
            v3 until = planes_at(x, grid_index(c->grid, i, j));
            if (c->held[texel] && first) {
                meet_store(c->target, texel, until);
            } else if (c->held[texel]) {
                until = meet_load(c->target, texel);
            }
            const v3 at = meet_load(c->at, texel), way = v3_sub(until, at);
            const float length = k_sqrt(v3_dot(way, way));
            const float share = first || length <= most ? 1.0f : most / length;
            meet_store(c->way, texel, way);
            meet_store(c->goal, texel, share < 1.0f ? v3_madd(at, way, share) : until);
            c->share[texel] = share;
            atomic_store_explicit(&c->next[texel], bits_of(share), memory_order_relaxed);
            add_way(own, way);
        }
    }
}

/* Thread 0. The mean way, by which pairs are taken along: what moves alike does not stray. All that
 * moves together in the first move, and is not pinned, is looked at where it is then: only what is
 * left of ways may make anything cross. */
static void find_common(const meet_run *run) {
    meet_table *t = run->table;
    int64_t sum[3] = {0, 0, 0};
    size_t texels = 0;
    bool loose = run->first;
    for (int i = 0; i < t->count; i++) {
        texels += t->cloths[i].asleep ? 0 : t->cloths[i].texels;
        loose &= t->cloths[i].asleep || !run->plan->cloths[i].pinned;
    }
    for (int k = 0; k < t->threads; k++) {
        for (int axis = 0; axis < 3; axis++) {
            sum[axis] += t->found[k].way[axis];
        }
    }
    const double each = texels > 0 ? 1.0 / (MEET_NANOMETRES * (double)texels) : 0.0;
    t->mean = v3_make((float)(each * (double)sum[0]), (float)(each * (double)sum[1]),
                      (float)(each * (double)sum[2]));
    t->along = v3_add(t->along, t->mean);
    t->common = loose ? t->mean : v3_make(0.0f, 0.0f, 0.0f);
}

/* Thread 0: no texel's own way is more than this share of that. */
static const float ALIKE = 0.25f;

/* The most that ways differ from it. */
static void look_at_others(meet_table *t, int thread) {
    float most = 0.0f;
    for (int i = 0; i < t->count; i++) {
        const meet_cloth *c = &t->cloths[i];
        const meet_range own = meet_share_of(c->asleep ? 0 : c->texels, thread, t->threads);
        for (size_t texel = own.begin; texel < own.end; texel++) {
            const v3 off = v3_sub(meet_load(c->way, texel), t->common);
            most = k_max(most, v3_dot(off, off));
        }
    }
    t->found[thread].apart = most;
}

static void keep_common(meet_table *t) {
    float most = 0.0f;
    for (int k = 0; k < t->threads; k++) {
        most = k_max(most, t->found[k].apart);
    }
    if (!(most <= ALIKE * ALIKE * v3_dot(t->common, t->common))) {
        t->common = v3_make(0.0f, 0.0f, 0.0f);
    }
}

static void take_common(meet_table *t, int thread) {
    for (int i = 0; i < t->count; i++) {
        meet_cloth *c = &t->cloths[i];
        const meet_range own = meet_share_of(c->asleep ? 0 : c->texels, thread, t->threads);
        for (size_t texel = own.begin; texel < own.end; texel++) {
            const v3 at = v3_add(meet_load(c->at, texel), t->common);
            meet_store(c->at, texel, at);
            meet_store(c->way, texel, v3_sub(meet_load(c->goal, texel), at));
            if (c->plain) {
                meet_store(c->from, texel, at);
            }
        }
        const meet_range vertices =
            meet_share_of(c->asleep || c->plain ? 0 : c->vertices, thread, t->threads);
        for (size_t v = vertices.begin; v < vertices.end; v++) {
            meet_store(c->from, v, v3_add(meet_load(c->from, v), t->common));
        }
    }
}

static v3 away(const meet_cloth *c, size_t texel, v3 at) {
    return v3_sub(at, meet_load(c->listed_from, texel));
}

/* How far a move strays from the ways that pairs were listed for, m: they are taken along by how
 * all have moved since, up to where the move begins and ends. */
static float look_astray(meet_cloth *c, const meet_table *t, meet_range texels) {
    const v3 before = v3_sub(t->along, v3_sub(t->mean, t->common));
    float strayed = 0.0f;
    for (size_t texel = texels.begin; texel < texels.end; texel++) {
        const v3 until = v3_sub(meet_load(c->goal, texel), t->along);
        const v3 from = away(c, texel, v3_sub(meet_load(c->at, texel), before));
        const v3 to = away(c, texel, until);
        c->gone[texel] = k_sqrt(k_max(v3_dot(from, from), v3_dot(to, to)));
        strayed = k_max(strayed, strays(c, texel, until));
    }
    return strayed;
}

void meet_load_move(const meet_run *run, int thread) {
    meet_table *t = run->table;
    meet_found *found = &t->found[thread];
    memset(found->way, 0, sizeof found->way);
    for (int i = 0; i < t->count; i++) {
        meet_cloth *c = &t->cloths[i];
        c->asleep = run->plan->cloths[i].asleep;
        if (!c->asleep) {
            const meet_range rows = meet_share_of((size_t)c->grid->rows, thread, t->threads);
            const float most =
                run->plan->untangle ? UNTANGLE_MOVE * run->plan->cloths[i].spacing : INFINITY;
            load_rows(c, &run->panels[i], run->first, most, (int)rows.begin, (int)rows.end, found);
        }
    }
    barrier_wait(run->barrier);
    if (thread == 0) {
        find_common(run);
    }
    barrier_wait(run->barrier);
    if (run->first) {
        look_at_others(t, thread);
        barrier_wait(run->barrier);
        if (thread == 0) {
            keep_common(t);
        }
        barrier_wait(run->barrier);
        take_common(t, thread);
    }
    for (int i = 0; i < t->count; i++) {
        meet_cloth *c = &t->cloths[i];
        const bool looks = t->listed && !c->asleep;
        const size_t columns = (size_t)c->grid->columns;
        const meet_range rows = meet_share_of((size_t)c->grid->rows, thread, t->threads);
        const meet_range texels = {rows.begin * columns, rows.end * columns};
        found->strayed[i] = looks ? look_astray(c, t, texels) : 0.0f;
    }
}

void meet_vertices(const meet_run *run, int thread) {
    meet_table *t = run->table;
    for (int i = 0; i < t->count; i++) {
        meet_cloth *c = &t->cloths[i];
        const meet_range own =
            meet_share_of(c->asleep || c->plain ? 0 : c->vertices, thread, t->threads);
        for (size_t v = own.begin; v < own.end; v++) {
            meet_store(c->until, v, meet_vertex_of(c, c->goal, v));
        }
    }
}

void meet_aim(const meet_run *run, int thread) {
    meet_table *t = run->table;
    for (int i = 0; i < t->count; i++) {
        meet_cloth *c = &t->cloths[i];
        const meet_range own = meet_share_of(c->asleep ? 0 : c->texels, thread, t->threads);
        for (size_t texel = own.begin; texel < own.end; texel++) {
            if (c->share[texel] < 1.0f) {
                meet_store(
                    c->goal, texel,
                    v3_madd(meet_load(c->at, texel), meet_load(c->way, texel), c->share[texel]));
            }
        }
    }
    barrier_wait(run->barrier);
    if (!t->plain) {
        meet_vertices(run, thread);
        barrier_wait(run->barrier);
    }
}

/* Thread 0. */
static void choose_slack(const meet_run *run) {
    meet_table *t = run->table;
    for (int i = 0; i < t->count; i++) {
        meet_cloth *c = &t->cloths[i];
        const cloth_params *own = &run->plan->cloths[i];
        c->slack = k_min(k_max(SLACK_STRAYED * c->strayed, SLACK_THICK * own->thickness),
                         MEET_SLACK * own->spacing);
        c->strayed = run->first ? 0.0f : c->strayed;
    }
}

/* The ways that pairs are listed for, less their mean. Those of a substep's first move lead on in
 * later ones. */
static void list_places(const meet_run *run, int thread) {
    meet_table *t = run->table;
    const float ahead = run->first ? MEET_AHEAD : 1.0f;
    if (thread == 0) {
        choose_slack(run);
        t->along = v3_sub(t->mean, t->common);
    }
    barrier_wait(run->barrier);
    for (int i = 0; i < t->count; i++) {
        meet_cloth *c = &t->cloths[i];
        const meet_range own = meet_share_of(c->asleep ? 0 : c->texels, thread, t->threads);
        for (size_t texel = own.begin; texel < own.end; texel++) {
            const v3 at = meet_load(c->at, texel);
            const v3 way = v3_sub(v3_sub(meet_load(c->goal, texel), at), t->along);
            meet_store(c->listed_from, texel, at);
            meet_store(c->listed, texel, v3_madd(at, way, ahead));
            c->gone[texel] = k_sqrt(v3_dot(way, way));
        }
    }
}

bool meet_strays(const meet_run *run) {
    meet_table *t = run->table;
    bool any = false;
    for (int i = 0; i < t->count; i++) {
        for (int k = 0; k < t->threads && !t->cloths[i].asleep; k++) {
            any |= !(t->found[k].strayed[i] <= t->cloths[i].slack);
        }
    }
    return any;
}

void meet_note_strays(const meet_run *run) {
    meet_table *t = run->table;
    for (int i = 0; i < t->count; i++) {
        for (int k = 0; k < t->threads; k++) {
            t->cloths[i].strayed = k_max(t->cloths[i].strayed, t->found[k].strayed[i]);
        }
    }
}

/* ---- boxes --------------------------------------------------------------------------------------
 */

static void fit_flatness(meet_cloth *c, int thread, int threads) {
    const meet_range rows = meet_share_of(c->flat.levels[0].rows, thread, threads);
    flatness_fit_rows(&c->flat, (uint32_t)rows.begin, (uint32_t)rows.end);
}

bool meet_stays_flat(const meet_run *run, int thread) {
    meet_table *t = run->table;
    for (int i = 0; i < t->count; i++) {
        meet_cloth *c = &t->cloths[i];
        if (!c->asleep && c->tree.flatness) {
            c->flat.until = c->until;
            fit_flatness(c, thread, t->threads);
        }
    }
    barrier_wait(run->barrier);
    if (thread == 0) {
        t->flat = true;
        for (int i = 0; i < t->count; i++) {
            meet_cloth *c = &t->cloths[i];
            t->flat &= c->asleep || !c->tree.flatness || flatness_lasts(&c->flat);
        }
    }
    barrier_wait(run->barrier);
    return t->flat;
}

static void fit(const meet_run *run, int thread) {
    meet_table *t = run->table;
    for (int i = 0; i < t->count; i++) {
        meet_cloth *c = &t->cloths[i];
        if (run->plan->cloths[i].asleep) {
            continue;
        }
        c->grow = 0.5f * run->plan->cloths[i].thickness + c->lever * c->slack;
        const meet_range leaves = meet_share_of(c->tree.leaf_count, thread, t->threads);
        for (size_t l = leaves.begin; l < leaves.end; l++) {
            run->vectors->fit(&c->tree.leaves[l], &c->leaves[l], c->from, c->swept, c->grow);
        }
        if (c->tree.flatness) {
            c->flat.until = c->swept;
            fit_flatness(c, thread, t->threads);
        }
    }
}

void meet_list_tasks(meet_table *t) {
    for (int i = 0; i < t->count; i++) {
        meet_cloth *c = &t->cloths[i];
        t->trees[i] = c->asleep ? NULL : &c->tree;
        if (!c->asleep) {
            tree_fit_nodes(&c->tree);
            if (c->tree.flatness) {
                flatness_fit(&c->flat);
            }
        }
    }
    bool made = tree_pairs_list(&t->walk, t->trees, (uint32_t)t->count) == TOILE_OK;
    made =
        made && meet_room((void **)&t->tasks, &t->task_room, t->walk.task_count, sizeof *t->tasks);
    t->failed |= !made;
    t->walk.task_count = made ? t->walk.task_count : 0;
    atomic_store(&t->next_task, 0);
}

/* ---- pairs --------------------------------------------------------------------------------------
 */

typedef struct finder {
    const meet_run *run;
    meet_found *found;
    meet_pair pairs[MEET_BATCH]; /* that are looked at together */
    float reach[MEET_BATCH];     /* m */
    meet_batch batch;
} finder;

static void add_pair(finder *f, const meet_pair *p) {
    meet_found *own = f->found;
    meet_pair *pairs = memory_grow(own->pairs, own->pair_count, &own->pair_room, sizeof *pairs,
                                   "pairs of parts of cloth");
    if (pairs) {
        own->pairs = pairs;
        pairs[own->pair_count++] = *p;
    } else {
        own->failed = true;
    }
}

float meet_rest_of(const meet_run *run, const meet_pair *p, v4 weights) {
    const meet_table *t = run->table;
    const cloth_params *one = &run->plan->cloths[p->first], *other = &run->plan->cloths[p->second];
    const float thickness = 0.5f * (one->thickness + other->thickness);
    if (p->first != p->second) {
        return meet_reach(thickness, p->edges);
    }
    const float *uv = t->cloths[p->first].mesh->uv;
    const float w[4] = {weights.x, weights.y, weights.z, weights.w};
    float u = 0.0f, v = 0.0f;
    for (int k = 0; k < 4; k++) {
        u += w[k] * uv[2 * p->corners[k]];
        v += w[k] * uv[2 * p->corners[k] + 1];
    }
    return meet_rest(thickness, t->cloths[p->first].scale * k_sqrt(u * u + v * v), p->edges);
}

static bool is_tied(const meet_table *t, const meet_pair *p) {
    bool tied[2] = {false, false};
    for (int k = 0; k < 4; k++) {
        tied[k > (p->edges ? 1 : 0)] |= meet_cloth_of(t, p, k)->tied[p->corners[k]];
    }
    return tied[0] && tied[1];
}

/* What stays apart by more than contacts reach, and by what texels may stray, is left out. */
static void flush_batch(finder *f) {
    f->run->vectors->measure(&f->batch);
    for (int i = 0; i < f->batch.count; i++) {
        const float distance = f->batch.distance[i];
        const v3 normal = meet_batch_normal(&f->batch, i);
        if (distance <= f->reach[i] && distance > 0.0f &&
            !(f->run->plan->untangle && untangle_leaves_out(f->run, &f->pairs[i], normal))) {
            f->pairs[i].normal = normal;
            f->pairs[i].apart = distance;
            add_pair(f, &f->pairs[i]);
        }
    }
    f->batch.count = 0;
}

static void add_candidate(finder *f, meet_pair p, float reach) {
    const meet_table *t = f->run->table;
    if (is_tied(t, &p)) {
        return;
    }
    const meet_corners from = meet_corners_of(t, &p);
    const ccd_quad start = meet_quad_of(&from, p.edges);
    f->pairs[f->batch.count] = p;
    f->reach[f->batch.count] = reach;
    meet_batch_add(&f->batch, &start);
    if (f->batch.count == MEET_BATCH) {
        flush_batch(f);
    }
}

/* A box where the move begins. */
typedef struct box {
    v3 low, high;
} box;

static inline box box_of_edge(v3 a, v3 b) {
    return (box){v3_min(a, b), v3_max(a, b)};
}

static inline bool are_near(const box *a, const box *b, float reach) {
    return (a->low.x - b->high.x <= reach) & (b->low.x - a->high.x <= reach) &
           (a->low.y - b->high.y <= reach) & (b->low.y - a->high.y <= reach) &
           (a->low.z - b->high.z <= reach) & (b->low.z - a->high.z <= reach);
}

/* A triangle of a leaf, where the move begins. */
typedef struct face {
    uint32_t cloth, vertices[3];
    uint8_t owned;
    v3 at[3];
    box around;
} face;

static inline void load_face(face *out, const meet_table *t, uint32_t cloth, uint32_t leaf, int i) {
    const meet_cloth *c = &t->cloths[cloth];
    const tree_leaf *l = &c->tree.leaves[leaf];
    const meet_leaf *own = &c->leaves[leaf];
    out->cloth = cloth;
    out->owned = c->owned[(size_t)leaf * TREE_LEAF + (size_t)i];
    for (int k = 0; k < 3; k++) {
        out->vertices[k] = l->vertices[k][i];
        out->at[k] = meet_load(c->from, out->vertices[k]);
    }
    out->around.low = v3_make(own->low[0][i], own->low[1][i], own->low[2][i]);
    out->around.high = v3_make(own->high[0][i], own->high[1][i], own->high[2][i]);
}

/* m, by which corners of two triangles may come nearer to each other in the move, at most. */
static float longest_of(const meet_leaf *l, int i) {
    float sum = 0.0f;
    for (int k = 0; k < 3; k++) {
        const float most = k_max(l->way_high[k][i], -l->way_low[k][i]);
        sum += most * most;
    }
    return k_sqrt(sum);
}

static bool has_vertex(const face *f, uint32_t cloth, uint32_t v) {
    return (f->cloth == cloth) &
           ((v == f->vertices[0]) | (v == f->vertices[1]) | (v == f->vertices[2]));
}

static void consider_vertices(finder *f, const face *a, const face *b, float reach) {
    for (int k = 0; k < 3; k++) {
        const box at = {a->at[k], a->at[k]};
        if ((a->owned & 1u << k) && are_near(&at, &b->around, reach) &&
            !has_vertex(b, a->cloth, a->vertices[k])) {
            add_candidate(f,
                          (meet_pair){.corners = {a->vertices[k], b->vertices[0], b->vertices[1],
                                                  b->vertices[2]},
                                      .first = a->cloth,
                                      .second = b->cloth},
                          reach);
        }
    }
}

static void consider_edge(finder *f, const face *a, int i, const face *b, float reach) {
    const box first = box_of_edge(a->at[i], a->at[(i + 1) % 3]);
    const uint32_t from = a->vertices[i], to = a->vertices[(i + 1) % 3];
    if (!are_near(&first, &b->around, reach)) {
        return;
    }
    for (int j = 0; j < 3; j++) {
        const box second = box_of_edge(b->at[j], b->at[(j + 1) % 3]);
        const uint32_t other[2] = {b->vertices[j], b->vertices[(j + 1) % 3]};
        const bool shared = (a->cloth == b->cloth) & ((from == other[0]) | (from == other[1]) |
                                                      (to == other[0]) | (to == other[1]));
        if ((b->owned & 8u << j) && !shared && are_near(&first, &second, reach)) {
            add_candidate(f,
                          (meet_pair){.corners = {from, to, other[0], other[1]},
                                      .first = a->cloth,
                                      .second = b->cloth,
                                      .edges = true},
                          reach);
        }
    }
}

static void consider_faces(finder *f, const face *a, const face *b, float reach) {
    consider_vertices(f, a, b, reach);
    consider_vertices(f, b, a, reach);
    for (int i = 0; i < 3; i++) {
        if (a->owned & 8u << i) {
            consider_edge(f, a, i, b, reach);
        }
    }
}

/* Can two triangles of leaves have no more in common than the vertices and edges they share? */
static bool are_flat(const meet_cloth *c, size_t one, size_t other) {
    const cell_span *a = &c->cells[one], *b = &c->cells[other];
    const cell_span both = cell_span_join(a, b);
    return flatness_holds_in(&c->flat, &both);
}

static void visit(void *user, tree_task *task, const tree_row *row) {
    finder *f = user;
    const meet_table *t = f->run->table;
    const meet_cloth *c = &t->cloths[task->first], *other = &t->cloths[task->second];
    const meet_leaf *one = &c->leaves[row->a], *two = &other->leaves[row->b];
    const float margin = c->grow + other->grow;
    const uint32_t near = row->candidates;
    const size_t at = (size_t)row->a * TREE_LEAF + (size_t)row->at;
    face a, b;
    const float approach = margin + longest_of(one, row->at);
    if (near) {
        load_face(&a, t, task->first, row->a, row->at);
    }
    for (int j = 0; j < TREE_LEAF; j++) {
        if ((near & tree_bit(j)) && !(c == other && c->tree.flatness &&
                                      are_flat(c, at, (size_t)row->b * TREE_LEAF + (size_t)j))) {
            load_face(&b, t, task->second, row->b, j);
            consider_faces(f, &a, &b, approach + longest_of(two, j));
        }
    }
}

static void walk_tasks(const meet_run *run, int thread) {
    meet_table *t = run->table;
    meet_found *own = &t->found[thread];
    own->pair_count = 0;
    finder f = {.run = run, .found = own};
    for (size_t k = atomic_fetch_add(&t->next_task, 1); k < t->walk.task_count;
         k = atomic_fetch_add(&t->next_task, 1)) {
        tree_task *task = &t->walk.tasks[k];
        const size_t before = own->pair_count;
        tree_pairs_walk(&t->walk, task, visit, &f);
        flush_batch(&f);
        t->tasks[k] = (meet_task){thread, before, own->pair_count - before};
        task->found = own->pair_count - before;
    }
}

/* Thread 0: how many there are, and where those of each task begin. */
static void place_pairs(meet_table *t) {
    size_t count = 0;
    for (size_t k = 0; k < t->walk.task_count; k++) {
        t->walk.tasks[k].work = count;
        count += t->tasks[k].count;
    }
    for (int k = 0; k < t->threads; k++) {
        t->failed |= t->found[k].failed;
        t->found[k].failed = false;
    }
    t->failed |= !meet_room((void **)&t->pairs, &t->pair_room, count, sizeof *t->pairs);
    t->pair_count = t->failed ? 0 : count;
}

/* In the order of tasks, whoever did them. */
static void gather_pairs(meet_table *t, int thread) {
    const meet_range own =
        meet_share_of(t->pair_count > 0 ? t->walk.task_count : 0, thread, t->threads);
    for (size_t k = own.begin; k < own.end; k++) {
        const meet_task *task = &t->tasks[k];
        if (task->count > 0) {
            memcpy(t->pairs + t->walk.tasks[k].work, t->found[task->thread].pairs + task->first,
                   task->count * sizeof *t->pairs);
        }
    }
}

/* ---- what is close ------------------------------------------------------------------------------
 */

/* m, the most that a corner has gone since pairs were listed, or goes in the move. */
static float gone_of(const meet_cloth *c, uint32_t vertex) {
    const meet_square s = meet_square_of(c, vertex);
    float gone = 0.0f;
    for (int i = 0; i < s.count; i++) {
        gone = k_max(gone, c->gone[s.texels[i]]);
    }
    return c->lever * gone;
}

/* m, how near a pair may be on the move. */
static float nearest_of(const meet_table *t, const meet_pair *p) {
    float gone[2] = {0.0f, 0.0f};
    for (int k = 0; k < 4; k++) {
        const bool first = k == 0 || (p->edges && k == 1);
        gone[first] = k_max(gone[first], gone_of(meet_cloth_of(t, p, k), p->corners[k]));
    }
    return p->apart - gone[0] - gone[1];
}

void meet_list_close(const meet_run *run, int thread) {
    const meet_table *t = run->table;
    meet_found *own = &run->table->found[thread];
    const meet_range pairs = meet_share_of(t->pair_count, thread, t->threads);
    const size_t count = pairs.end - pairs.begin;
    own->near_count = own->risky_count = 0;
    if (!meet_room((void **)&own->near, &own->near_room, count, sizeof *own->near) ||
        !meet_room((void **)&own->risky, &own->risky_room, count, sizeof *own->risky)) {
        own->failed = true;
        return;
    }
    for (size_t k = pairs.begin; k < pairs.end; k++) {
        const meet_pair *p = &t->pairs[k];
        const float nearest = nearest_of(t, p);
        const float thickness = meet_thickness(run->plan, p);
        own->near[own->near_count] = own->risky[own->risky_count] = (uint32_t)k;
        own->near_count += nearest <= meet_reach(thickness, p->edges);
        own->risky_count += nearest <= MEET_KEPT * thickness;
    }
}

/* Of vertices that are no texels, until where pairs are listed for; then where they lead again. */
static void sweep_vertices(meet_table *t, int thread, bool ahead) {
    for (int i = 0; i < t->count; i++) {
        meet_cloth *c = &t->cloths[i];
        c->swept = c->plain ? c->listed : c->until;
        const meet_range own =
            meet_share_of(c->asleep || c->plain ? 0 : c->vertices, thread, t->threads);
        for (size_t v = own.begin; v < own.end; v++) {
            meet_store(c->until, v, meet_vertex_of(c, ahead ? c->listed : c->goal, v));
        }
    }
}

void meet_find_pairs(const meet_run *run, int thread) {
    meet_table *t = run->table;
    list_places(run, thread);
    barrier_wait(run->barrier);
    sweep_vertices(t, thread, true);
    barrier_wait(run->barrier);
    fit(run, thread);
    barrier_wait(run->barrier);
    if (thread == 0) {
        meet_list_tasks(t);
        t->pair_count = 0;
        t->listed = true;
    }
    barrier_wait(run->barrier);
    walk_tasks(run, thread);
    barrier_wait(run->barrier);
    if (thread == 0) {
        place_pairs(t);
    }
    barrier_wait(run->barrier);
    gather_pairs(t, thread);
    sweep_vertices(t, thread, false);
    barrier_wait(run->barrier);
}
