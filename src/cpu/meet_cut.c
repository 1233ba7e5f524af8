/* Cuts moves that would cross: kernel/meet.h has the proof. */
#include <string.h>

#include "cpu/meet_untangle.h"

static float float_of(uint32_t bits) {
    float a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

/* Shares are not below 0, so that their bits are in their order. */
static void lower_share(atomic_uint *share, float to) {
    uint32_t bits, now = atomic_load_explicit(share, memory_order_relaxed);
    memcpy(&bits, &to, sizeof bits);
    while (bits < now && !atomic_compare_exchange_weak_explicit(
                             share, &now, bits, memory_order_relaxed, memory_order_relaxed)) {
    }
}

/* The corners of a pair before the move, and behind it by the shares there are. */
typedef struct pair_move {
    meet_corners from, until;
} pair_move;

static pair_move move_of(const meet_table *t, const meet_pair *p) {
    pair_move m;
    for (int k = 0; k < 4; k++) {
        const meet_cloth *c = meet_cloth_of(t, p, k);
        m.from.at[k] = meet_load(c->from, p->corners[k]);
        m.until.at[k] = meet_load(c->until, p->corners[k]);
    }
    return m;
}

static bool is_whole(const meet_table *t, const meet_pair *p) {
    bool whole = true;
    for (int k = 0; k < 4; k++) {
        const meet_cloth *c = meet_cloth_of(t, p, k);
        const meet_square s = meet_square_of(c, p->corners[k]);
        for (int i = 0; i < s.count; i++) {
            whole &= c->share[s.texels[i]] == 1.0f;
        }
    }
    return whole;
}

static v4 v4_of(const float a[4]) {
    return (v4){a[0], a[1], a[2], a[3]};
}

static float texel_nearing(const meet_cloth *c, const meet_square *s, int i, v3 direction) {
    return meet_nearing(s->weights[i], v3_dot(meet_load(c->way, s->texels[i]), direction));
}

/* How far a corner comes nearer along a direction, by the shares of its texels or all of their
 * ways; those of its texels that take it away do not count. */
static float nearing_of(const meet_cloth *c, uint32_t vertex, v3 direction, bool whole) {
    const meet_square s = meet_square_of(c, vertex);
    float sum = 0.0f;
    for (int i = 0; i < s.count; i++) {
        const float share = whole ? 1.0f : c->share[s.texels[i]];
        sum += share * texel_nearing(c, &s, i, direction);
    }
    return sum;
}

/* The corner may come so much nearer. */
static void allow(const meet_cloth *c, uint32_t vertex, v3 direction, float most) {
    const float all = nearing_of(c, vertex, direction, true);
    const float share = all > 0.0f ? positive_part(most) / all : 1.0f;
    const meet_square s = meet_square_of(c, vertex);
    for (int i = 0; i < s.count && share < 1.0f; i++) {
        if (texel_nearing(c, &s, i, direction) > 0.0f) {
            lower_share(&c->next[s.texels[i]], share);
        }
    }
}

/* Is a plane between both parts, with so much room, at the start and at the end? */
static bool is_between(const pair_move *m, bool edges, v3 normal, float room) {
    return meet_gap(m->from.at, edges, normal) >= room &&
           meet_gap(m->until.at, edges, normal) >= room;
}

/* Cuts a pair that would come nearer than `keep`, along the direction between its parts at the
 * start. */
static void cut(const meet_table *t, const meet_pair *p, const pair_move *m, v3 normal,
                float keep) {
    float start[4], end[4], nearer[4];
    for (int k = 0; k < 4; k++) {
        const bool first = k <= (p->edges ? 1 : 0);
        start[k] = v3_dot(v3_sub(m->from.at[k], m->from.at[3]), normal);
        end[k] = v3_dot(v3_sub(m->until.at[k], m->from.at[3]), normal);
        nearer[k] = nearing_of(meet_cloth_of(t, p, k), p->corners[k],
                               v3_scale(normal, first ? -1.0f : 1.0f), false);
    }
    const v3 ends = meet_ends(v4_of(end), v4_of(nearer), p->edges, keep);
    for (int k = 0; k < 4; k++) {
        const bool first = k <= (p->edges ? 1 : 0);
        const bool fails = first ? end[k] < ends.x : end[k] > ends.y;
        if (fails) {
            allow(meet_cloth_of(t, p, k), p->corners[k], v3_scale(normal, first ? -1.0f : 1.0f),
                  first ? start[k] - ends.x : ends.y - start[k]);
        }
    }
}

static bool fails_of(const meet_run *run, const meet_pair *p, const pair_move *w, v3 *direction,
                     float *keep) {
    const float thickness = meet_thickness(run->plan, p);
    if (is_between(w, p->edges, p->normal, MEET_KEPT * thickness)) {
        return false;
    }
    const ccd_quad before = meet_quad_of(&w->from, p->edges),
                   after = meet_quad_of(&w->until, p->edges);
    const v4 nearest = ccd_direction(before);
    *direction = v4_xyz(nearest);
    *keep = meet_keep(positive_part(nearest.w), thickness);
    return !is_between(w, p->edges, *direction, 0.99f * *keep - MEET_GRAIN) &&
           ccd_first_contact(before, after, 0.5f * *keep, 0.25f * *keep).found;
}

/* Cuts a pair that fails; returns whether it does. What is whole is left out if it was seen. */
static bool cut_pair(const meet_run *run, const meet_pair *p, bool seen) {
    const meet_table *t = run->table;
    if (seen && is_whole(t, p)) {
        return false;
    }
    const pair_move w = move_of(t, p);
    v3 direction;
    float keep;
    const bool fails = fails_of(run, p, &w, &direction, &keep);
    if (fails) {
        cut(t, p, &w, direction, keep);
    }
    return fails;
}

/* The shares that were found; returns whether any is new. */
static bool take_shares(meet_table *t, int thread) {
    bool any = false;
    for (int i = 0; i < t->count; i++) {
        meet_cloth *c = &t->cloths[i];
        const meet_range own = meet_share_of(c->asleep ? 0 : c->texels, thread, t->threads);
        for (size_t texel = own.begin; texel < own.end; texel++) {
            const float share =
                float_of(atomic_load_explicit(&c->next[texel], memory_order_relaxed));
            any |= share < c->share[texel];
            c->share[texel] = share;
        }
    }
    return any;
}

/* What a pass over all pairs finds. */
typedef enum pass_end { PASS_HOLDS, PASS_FALLS, PASS_FAILS } pass_end;

static pass_end look_at_pairs(const meet_run *run, int thread, int round, bool seen) {
    meet_table *t = run->table;
    const meet_found *own = &t->found[thread];
    bool fails = false;
    for (size_t k = 0; k < own->risky_count; k++) {
        fails |= cut_pair(run, &t->pairs[own->risky[k]], seen);
    }
    if (fails) {
        atomic_store_explicit(&t->fails[round], true, memory_order_relaxed);
    }
    barrier_wait(run->barrier);
    if (!atomic_load_explicit(&t->fails[round], memory_order_relaxed)) {
        return PASS_HOLDS;
    }
    if (take_shares(t, thread)) {
        atomic_store_explicit(&t->falls[round], true, memory_order_relaxed);
    }
    meet_aim(run, thread);
    return atomic_load_explicit(&t->falls[round], memory_order_relaxed) ? PASS_FALLS : PASS_FAILS;
}

/* ---- all alike ----------------------------------------------------------------------------------
 */

static void whole_ways(meet_table *t, int thread) {
    for (int i = 0; i < t->count; i++) {
        meet_cloth *c = &t->cloths[i];
        const meet_range own = meet_share_of(c->asleep ? 0 : c->texels, thread, t->threads);
        for (size_t texel = own.begin; texel < own.end; texel++) {
            c->share[texel] = 1.0f;
            meet_store(c->goal, texel, v3_add(meet_load(c->at, texel), meet_load(c->way, texel)));
        }
    }
}

/* Of its first contact. */
static float time_of(const meet_run *run, const meet_pair *p) {
    const pair_move m = move_of(run->table, p);
    const ccd_quad before = meet_quad_of(&m.from, p->edges),
                   after = meet_quad_of(&m.until, p->edges);
    const float keep =
        meet_keep(positive_part(ccd_direction(before).w), meet_thickness(run->plan, p));
    const ccd_hit hit = ccd_first_contact(before, after, 0.5f * keep, 0.25f * keep);
    return hit.found ? hit.time : 1.0f;
}

/* Thread 0. Cloths that may meet go alike. */
static void share_of_groups(meet_table *t) {
    for (int i = 0; i < t->count; i++) {
        meet_cloth *c = &t->cloths[i];
        c->group = i;
        c->alike = 1.0f;
        for (int k = 0; k < t->threads; k++) {
            c->alike = k_min(c->alike, t->found[k].least[i]);
        }
    }
    for (size_t k = 0; k < t->pair_count; k++) {
        const int one = t->cloths[t->pairs[k].first].group;
        const int other = t->cloths[t->pairs[k].second].group;
        for (int i = 0; one != other && i < t->count; i++) {
            t->cloths[i].group = t->cloths[i].group == other ? one : t->cloths[i].group;
        }
    }
    for (int i = 0; i < t->count; i++) {
        meet_cloth *first = &t->cloths[t->cloths[i].group];
        first->alike = k_min(first->alike, t->cloths[i].alike);
    }
}

/* All of what may meet goes the same share of its whole way, up to its first contact: what is then
 * between two places is what was between them on the way. */
static void go_alike(const meet_run *run, int thread) {
    meet_table *t = run->table;
    whole_ways(t, thread);
    barrier_wait(run->barrier);
    meet_vertices(run, thread);
    barrier_wait(run->barrier);
    meet_find_pairs(run, thread);
    float *least = t->found[thread].least;
    for (int i = 0; i < t->count; i++) {
        least[i] = 1.0f;
    }
    const meet_range own = meet_share_of(t->pair_count, thread, t->threads);
    for (size_t k = own.begin; k < own.end; k++) {
        const uint32_t first = t->pairs[k].first;
        least[first] = k_min(least[first], time_of(run, &t->pairs[k]));
    }
    barrier_wait(run->barrier);
    if (thread == 0) {
        share_of_groups(t);
    }
    barrier_wait(run->barrier);
    for (int i = 0; i < t->count; i++) {
        meet_cloth *c = &t->cloths[i];
        const float share = t->cloths[c->group].alike;
        const meet_range texels = meet_share_of(c->asleep ? 0 : c->texels, thread, t->threads);
        for (size_t texel = texels.begin; texel < texels.end; texel++) {
            c->share[texel] = share < 1.0f ? MEET_ALIKE * share : 1.0f;
        }
    }
    barrier_wait(run->barrier);
    meet_aim(run, thread);
    meet_list_close(run, thread);
}

/* ---- a move -------------------------------------------------------------------------------------
 */

/* A pinned texel is where the cut has left it: at the end of the substep, too, unless a later move
 * takes it on. */
static void hold(const meet_cloth *c, size_t texel, float substep, const pass_args *args,
                 size_t k) {
    const v3 goal = meet_load(c->goal, texel);
    planes_put(&args->hierarchy->levels[0].at.plane[LEVEL_x], k, goal);
    if (c->share[texel] < 1.0f || c->held[texel] == MEET_LATE) {
        const v3 way = v3_sub(goal, planes_get(&args->state->at.plane[PLANE_x], k));
        planes_put(&args->state->at.plane[PLANE_vx], k, v3_scale(way, 1.0f / substep));
        c->held[texel] = MEET_LATE;
    }
}

/* Where texels are after all: those that were cut, and those that are pinned, which may be behind.
 */
static void put_rows(const meet_run *run, int cloth, int begin, int end, float *cut) {
    const meet_cloth *c = &run->table->cloths[cloth];
    float *const *x = &run->panels[cloth].hierarchy->levels[0].at.plane[LEVEL_x];
    const newton_level *l = &run->state->level[0];
    float *const *moved = &l->plane[EQ_move];
    const size_t first = l->table->panels[cloth].first;
    for (int j = begin; j < end; j++) {
        for (int i = 0; i < c->grid->columns; i++) {
            const size_t texel = (size_t)j * (size_t)c->grid->columns + (size_t)i;
            const size_t k = grid_index(c->grid, i, j);
            if (c->held[texel] != MEET_FREE) {
                hold(c, texel, run->plan->substep, &run->panels[cloth], k);
            }
            if (!(c->share[texel] < 1.0f)) {
                continue;
            }
            const v3 way = meet_load(c->way, texel), went = v3_scale(way, c->share[texel]);
            planes_put(x, k, meet_load(c->goal, texel));
            planes_put(moved, first + k, went);
            *cut = k_max(*cut, (1.0f - c->share[texel]) * k_sqrt(v3_dot(way, way)));
        }
    }
}

/* Do the pairs that were listed serve the ways that there are? Where no texel is far from those
 * they were listed for, and what was flat is. */
static bool list_serves(const meet_run *run, int thread) {
    meet_table *t = run->table;
    const bool serves = t->listed && !meet_strays(run);
    barrier_wait(run->barrier);
    if (thread == 0) {
        meet_note_strays(run);
    }
    return serves && meet_stays_flat(run, thread);
}

/* Pairs that were listed serve all shares, but texels that go different shares may fold what was
 * flat: then pairs are listed again, for the ways that are left. */
static bool cut_ways(const meet_run *run, int thread) {
    bool seen = false, cut = false;
    meet_list_close(run, thread);
    for (int round = 0; round < MEET_PASSES; round++) {
        const pass_end end = look_at_pairs(run, thread, round, seen);
        seen = true;
        if (end == PASS_FAILS) {
            break;
        }
        cut |= end == PASS_FALLS;
        if (end == PASS_HOLDS) {
            if (!cut) {
                return false;
            }
            if (meet_stays_flat(run, thread)) {
                return true;
            }
            meet_find_pairs(run, thread);
            meet_list_close(run, thread);
            seen = false;
        }
    }
    go_alike(run, thread);
    return true;
}

void meet_cut(const meet_run *run, int thread) {
    meet_table *t = run->table;
    const bool cut = cut_ways(run, thread);
    barrier_wait(run->barrier);
    for (int i = 0; i < t->count; i++) {
        const meet_cloth *c = &t->cloths[i];
        float most = 0.0f;
        if (!c->asleep) {
            const meet_range rows = meet_share_of((size_t)c->grid->rows, thread, t->threads);
            put_rows(run, i, (int)rows.begin, (int)rows.end, &most);
        }
        t->found[thread].cuts[i] = cut ? most : 0.0f;
    }
}

static void settle_rows(meet_cloth *c, const pass_args *args, int begin, int end) {
    float *const *x = &args->hierarchy->levels[0].at.plane[LEVEL_x];
    for (int j = begin; j < end; j++) {
        for (int i = 0; i < c->grid->columns; i++) {
            const size_t texel = (size_t)j * (size_t)c->grid->columns + (size_t)i;
            const v3 at = planes_get(x, grid_index(c->grid, i, j));
            meet_store(c->at, texel, at);
            if (c->plain) {
                meet_store(c->from, texel, at);
            }
        }
    }
}

/* The places that the move has led to are those that the next one begins at. */
void meet_settle(const meet_run *run, int thread) {
    meet_table *t = run->table;
    for (int i = 0; i < t->count; i++) {
        meet_cloth *c = &t->cloths[i];
        if (!c->asleep) {
            const meet_range rows = meet_share_of((size_t)c->grid->rows, thread, t->threads);
            settle_rows(c, &run->panels[i], (int)rows.begin, (int)rows.end);
        }
    }
    barrier_wait(run->barrier);
    for (int i = 0; i < t->count; i++) {
        meet_cloth *c = &t->cloths[i];
        const meet_range own =
            meet_share_of(c->asleep || c->plain ? 0 : c->vertices, thread, t->threads);
        for (size_t v = own.begin; v < own.end; v++) {
            meet_store(c->from, v, meet_vertex_of(c, c->at, v));
        }
        for (int k = 0; thread == 0 && k < t->threads; k++) {
            c->cut = k_max(k == 0 ? 0.0f : c->cut, t->found[k].cuts[i]);
        }
    }
    barrier_wait(run->barrier);
}

void meet_move(const meet_run *run, int thread) {
    meet_table *t = run->table;
    for (int k = thread; k < MEET_PASSES; k += t->threads) {
        atomic_store_explicit(&t->fails[k], false, memory_order_relaxed);
        atomic_store_explicit(&t->falls[k], false, memory_order_relaxed);
    }
    if (run->plan->untangle && run->first) {
        untangle_look(run, thread);
    }
    meet_load_move(run, thread);
    barrier_wait(run->barrier);
    if (!t->plain) {
        meet_vertices(run, thread);
        barrier_wait(run->barrier);
    }
    if (!list_serves(run, thread) || run->plan->untangle) {
        meet_find_pairs(run, thread);
    }
    meet_cut(run, thread);
    barrier_wait(run->barrier);
    meet_settle(run, thread);
    if (run->plan->untangle) {
        untangle_look(run, thread);
    }
    meet_list_near(run, thread);
}
