#include "cpu/self.h"

#include <float.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "cpu/self_search.h"

static const uint32_t NO_KEY = UINT32_MAX;
static const row_box NOWHERE = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};

void self_free(self_table *t) {
    if (!t) {
        return;
    }
    free(t->cloths);
    free(t->owners);
    free(t->tied);
    free(t->keys);
    free(t->starts);
    free(t->totals);
    free(t->entries);
    free(t->listed_at[0]);
    free(t->moved);
    free(t->partners);
    free(t->counts);
    free(t->seen);
    free(t->meets);
    free(t->mixed);
    free(t->repels);
    free(t->row_repels);
    free(t->repel_from);
    free(t);
}

static bool allocate(self_table *t, int cloths) {
    static const char what[] = "self-collision";
    size_t texels = t->texels;
    t->cloths = memory_alloc((size_t)cloths, sizeof *t->cloths, what);
    t->owners = memory_alloc(texels, sizeof *t->owners, what);
    t->tied = memory_alloc(texels, sizeof *t->tied, what);
    t->totals = memory_alloc((size_t)t->shares, sizeof *t->totals, what);
    t->listed_at[0] = memory_alloc(texels, 3 * sizeof(float), what);
    t->moved = memory_alloc(t->rows, sizeof *t->moved, what);
    t->partners = memory_alloc(texels, SELF_LISTED * sizeof *t->partners, what);
    t->counts = memory_alloc(texels, sizeof *t->counts, what);
    t->seen = memory_alloc(texels, sizeof *t->seen, what);
    t->meets = memory_alloc(texels, sizeof *t->meets, what);
    t->mixed = memory_alloc(t->rows, sizeof *t->mixed, what);
    t->repels = memory_alloc(texels, sizeof *t->repels, what);
    t->repel_room = texels;
    t->row_repels = memory_alloc((size_t)t->rows + 1, sizeof *t->row_repels, what);
    t->repel_from = memory_alloc(texels, sizeof *t->repel_from, what);
    return t->repels && t->row_repels && t->repel_from && t->meets && t->mixed && t->cloths &&
           t->owners && t->tied && t->totals && t->listed_at[0] && t->moved && t->partners &&
           t->counts && t->seen;
}

uint64_t self_numbers(const grid *g) {
    return (uint64_t)(g->columns + SELF_GAP) * (uint64_t)g->rows;
}

self_table *self_create(int cloths, uint64_t numbers, uint64_t rows, int threads) {
    if (numbers > INT32_MAX) {
        error_set(TOILE_ERROR_MEMORY,
                  "self-collision of %llu texels: expected at most %d in a world",
                  (unsigned long long)numbers, INT32_MAX);
        return NULL;
    }
    self_table *t = memory_alloc(1, sizeof *t, "self-collision");
    if (!t) {
        return NULL;
    }
    t->texels = (uint32_t)numbers;
    t->rows = (uint32_t)rows;
    t->shares = threads;
    if (!allocate(t, cloths)) {
        self_free(t);
        return NULL;
    }
    t->listed_at[1] = t->listed_at[0] + numbers;
    t->listed_at[2] = t->listed_at[1] + numbers;
    t->texels = t->rows = 0;
    return t;
}

void self_add_cloth(self_table *t, const grid *g, const uint8_t *mask, float distance) {
    uint32_t count = (uint32_t)self_numbers(g);
    for (uint32_t i = 0; i < count; i++) {
        t->owners[t->texels + i] = (uint32_t)t->cloth_count;
    }
    t->cloths[t->cloth_count++] = (self_cloth){.first = t->texels,
                                               .first_row = t->rows,
                                               .columns = g->columns,
                                               .rows = g->rows,
                                               .stride = (uint32_t)g->columns + SELF_GAP,
                                               .mask = mask,
                                               .member = {.distance = distance, .numbers = count}};
    t->texels += count;
    t->rows += (uint32_t)g->rows;
}

void self_tie(self_table *t, int cloth, int column, int row) {
    const self_cloth *c = &t->cloths[cloth];
    for (int k = 0; k < 9; k++) {
        const int i = column + k % 3 - 1, j = row + k / 3 - 1;
        if (i >= 0 && i < c->columns && j >= 0 && j < c->rows) {
            t->tied[c->first + (uint32_t)j * c->stride + (uint32_t)i] = true;
        }
    }
}

toile_result self_arrange(self_table *t) {
    static const char what[] = "self-collision";
    self_member *members = memory_alloc((size_t)t->cloth_count, sizeof *members, what);
    if (!members) {
        return TOILE_ERROR_MEMORY;
    }
    for (int c = 0; c < t->cloth_count; c++) {
        members[c] = t->cloths[c].member;
    }
    self_classes_arrange(&t->classes, members, t->cloth_count);
    for (int c = 0; c < t->cloth_count; c++) {
        t->cloths[c].member = members[c];
    }
    free(members);
    if (t->classes.keys > INT32_MAX) {
        return error_set(TOILE_ERROR_MEMORY,
                         "self-collision of %u texels in %d classes of spacing: expected fewer of "
                         "either",
                         (unsigned)t->texels, t->classes.count);
    }
    size_t keys = (size_t)t->classes.keys;
    t->keys = memory_alloc(keys, sizeof *t->keys, what);
    t->starts = memory_alloc((size_t)t->classes.slots + 1, sizeof *t->starts, what);
    t->entries = memory_alloc(keys, sizeof *t->entries, what);
    if (!t->keys || !t->starts || !t->entries) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t i = 0; i < keys; i++) {
        t->keys[i] = NO_KEY;
    }
    return TOILE_OK;
}

/* As if it had no texels. What is filled in here no pass changes until it wakes. */
static void hide(self_table *t, const self_cloth *s) {
    const self_member *m = &s->member;
    const uint32_t guests = (uint32_t)m->class * m->numbers;
    for (uint32_t i = 0; i < m->numbers; i++) {
        t->keys[s->first + i] = NO_KEY;
        t->counts[s->first + i] = 0;
        t->meets[s->first + i] = 0;
    }
    for (uint32_t i = 0; i < guests; i++) {
        t->keys[(uint32_t)m->first_guest + i] = NO_KEY;
    }
    for (uint32_t row = 0; row < (uint32_t)s->rows; row++) {
        t->moved[s->first_row + row] = NOWHERE;
        t->mixed[s->first_row + row] = false;
    }
}

void self_begin(self_table *t, const step_plan *plan) {
    t->substep = plan->substep;
    for (int c = 0; c < t->cloth_count; c++) {
        const cloth_params *p = &plan->cloths[c];
        self_cloth *s = &t->cloths[c];
        if (p->asleep && !s->hidden) {
            hide(t, s);
        }
        s->hidden = p->asleep;
        s->spacing = p->spacing;
        s->friction = p->self_friction;
        float distance = s->member.distance;
        s->plain = self_distance_within(distance, s->spacing, 2.0f, 0.0f) >= distance;
    }
}

/* ---- the hash -----------------------------------------------------------------------------------
 */

/* Is it near enough to have a cell? Not if it is no number. */
static inline bool has_cell(const self_class *c, const float at[3]) {
    double most = c->farthest;
    return fabs((double)at[0]) < most && fabs((double)at[1]) < most && fabs((double)at[2]) < most;
}

static void slots_of(const self_table *t, int share, int shares, uint32_t *begin, uint32_t *end) {
    *begin = (uint32_t)((uint64_t)t->classes.slots * (uint64_t)share / (uint64_t)shares);
    *end = (uint32_t)((uint64_t)t->classes.slots * (uint64_t)(share + 1) / (uint64_t)shares);
}

/* Of so many keys, the entries of slots. Returns how many there are. */
static uint32_t count_entries(self_table *t, uint32_t first, uint32_t keys, uint32_t begin,
                              uint32_t end) {
    uint32_t total = 0;
    for (uint32_t i = first; i < first + keys; i++) {
        if (t->keys[i] - begin < end - begin) {
            t->starts[t->keys[i]]++;
            total++;
        }
    }
    return total;
}

void self_count(self_table *t, int share, int shares) {
    uint32_t begin, end, total = 0;
    slots_of(t, share, shares, &begin, &end);
    for (uint32_t s = begin; s < end; s++) {
        t->starts[s] = 0;
    }
    for (int c = 0; c < t->cloth_count; c++) {
        const self_cloth *s = &t->cloths[c];
        const self_member *m = &s->member;
        if (!s->hidden) {
            total += count_entries(t, s->first, m->numbers, begin, end);
            total += count_entries(t, (uint32_t)m->first_guest, (uint32_t)m->class * m->numbers,
                                   begin, end);
        }
    }
    t->totals[share] = total;
}

/* Filled from the back, each start arrives at its slot's first entry and texels of a slot stay in
 * their order. */
static inline void place_entry(self_table *t, uint32_t key, uint32_t texel, uint32_t begin,
                               uint32_t end) {
    if (t->keys[key] - begin < end - begin) {
        t->entries[--t->starts[t->keys[key]]] = (self_entry){
            {t->listed_at[0][texel], t->listed_at[1][texel], t->listed_at[2][texel]}, texel};
    }
}

static void place_guests(self_table *t, const self_cloth *s, uint32_t begin, uint32_t end) {
    const self_member *m = &s->member;
    for (uint32_t i = (uint32_t)m->class * m->numbers; i-- > 0;) {
        place_entry(t, (uint32_t)m->first_guest + i, s->first + i % m->numbers, begin, end);
    }
}

void self_sort(self_table *t, int share, int shares) {
    uint32_t begin, end, before = 0;
    slots_of(t, share, shares, &begin, &end);
    for (int s = 0; s < share; s++) {
        before += t->totals[s];
    }
    for (uint32_t s = begin; s < end; s++) {
        before += t->starts[s];
        t->starts[s] = before;
    }
    if (share == shares - 1) {
        t->starts[t->classes.slots] = before;
    }
    for (int c = t->cloth_count; c-- > 0;) {
        const self_cloth *own = &t->cloths[c];
        for (uint32_t i = own->hidden ? 0 : own->member.numbers; i-- > 0;) {
            place_entry(t, own->first + i, own->first + i, begin, end);
        }
    }
    for (int c = t->cloth_count; c-- > 0;) {
        if (!t->cloths[c].hidden) {
            place_guests(t, &t->cloths[c], begin, end);
        }
    }
}

/* ---- partners -----------------------------------------------------------------------------------
 */

typedef struct partner_list {
    uint32_t *partners;
    uint32_t count;
} partner_list;

static inline void list_partner(void *context, uint32_t partner) {
    partner_list *list = context;
    if (list->count < SELF_LISTED) {
        list->partners[list->count] = partner;
    }
    list->count += list->count <= SELF_LISTED;
}

/* ---- the push -----------------------------------------------------------------------------------
 */

typedef struct push {
    const self_table *table;
    uint32_t texel;
    const self_texel *own;
    v3 stop; /* of its own velocity, as a way */
    v3 mend; /* without velocity */
} push;

static inline void push_by(void *context, uint32_t partner) {
    push *p = context;
    const self_texel *a = p->own, *b = &p->table->seen[partner];
    float keep = pair_distance(p->table, p->texel, partner, a->cloth, b->cloth);
    v3 after = v3_sub(a->after, b->after);
    float masses = a->inverse_mass + b->inverse_mass;
    if (!(v3_dot(after, after) < keep * keep) || !(masses > 0.0f)) {
        return;
    }
    v3 before = v3_sub(a->before, b->before);
    v3 n = self_direction(before, after, p->texel < partner ? 1.0f : -1.0f);
    float depth = self_depth(after, n, keep);
    float stop = self_stop(before, after, n, depth);
    const self_cloth *cloths = p->table->cloths;
    float friction = k_sqrt(cloths[a->cloth].friction * cloths[b->cloth].friction);
    v3 slide = self_friction(before, after, n, stop, friction);
    float share = a->inverse_mass / masses;
    p->stop = v3_madd(p->stop, v3_madd(slide, n, stop), share);
    p->mend = v3_madd(p->mend, n, share * (depth - stop));
}

static void add_way(float *const planes[3], size_t k, v3 way) {
    planes[0][k] += way.x;
    planes[1][k] += way.y;
    planes[2][k] += way.z;
}

static void push_texel(const self_table *t, uint32_t texel, cloth_state *state,
                       const level_state *finest, size_t k) {
    push p = {.table = t, .texel = texel, .own = &t->seen[texel]};
    if (!(p.own->inverse_mass > 0.0f)) {
        return;
    }
    for_partners(t, texel, push_by, &p);
    v3 mend = self_mend(p.mend, t->cloths[p.own->cloth].member.distance);
    add_way(&finest->at.plane[LEVEL_x], k, v3_add(mend, p.stop));
    add_way(&state->at.plane[PLANE_x], k, mend);
}

/* ---- rows ---------------------------------------------------------------------------------------
 */

/* The slots of a texel: in the grid of its class, and as a guest in coarser ones. */
static void key_texel(self_table *t, const self_cloth *s, uint32_t texel, const float at[3],
                      bool exists) {
    const self_member *m = &s->member;
    const bool found = exists && has_cell(&t->classes.list[m->class], at);
    for (int k = 0; k <= m->class; k++) {
        const self_class *there = &t->classes.list[k];
        const bool guest = k < m->class;
        uint32_t key = texel;
        if (guest) {
            key = (uint32_t)m->first_guest + (uint32_t)k * m->numbers + (texel - s->first);
        }
        t->keys[key] = NO_KEY;
        if (found) {
            cell c = cell_at(there, at);
            t->keys[key] = slot_at(guest ? there->guests : there->own, c.x, c.y, c.z);
        }
    }
}

static void key_row(self_table *t, const self_row *r, const level_state *finest) {
    for (int i = 0; i < r->columns; i++) {
        uint32_t texel = r->first + (uint32_t)i;
        float at[3];
        for (int axis = 0; axis < 3; axis++) {
            at[axis] = finest->at.plane[LEVEL_x + axis][r->plane + (size_t)i];
            t->listed_at[axis][texel] = at[axis];
        }
        key_texel(t, &t->cloths[r->cloth], texel, at, r->mask[i] != 0);
    }
}

static void list_row(self_table *t, const self_row *r) {
    for (uint32_t texel = r->first; texel < r->first + (uint32_t)r->columns; texel++) {
        partner_list list = {t->partners + (size_t)texel * SELF_LISTED, 0};
        if (t->keys[texel] != NO_KEY) {
            visit_partners(t, texel, list_partner, &list);
        }
        t->counts[texel] = (uint8_t)list.count;
    }
}

static row_box moved_in_row(const self_table *t, const self_row *r, const level_state *finest) {
    float low[3], high[3];
    for (int axis = 0; axis < 3; axis++) {
        const float *restrict now = finest->at.plane[LEVEL_x + axis] + r->plane;
        const float *restrict then = t->listed_at[axis] + r->first;
        float least = FLT_MAX, most = -FLT_MAX;
        for (int i = 0; i < r->columns; i++) {
            if (r->mask[i]) {
                float way = now[i] - then[i];
                least = k_min(way, least);
                most = k_max(way, most);
            }
        }
        low[axis] = least;
        high[axis] = most;
    }
    return (row_box){v3_make(low[0], low[1], low[2]), v3_make(high[0], high[1], high[2])};
}

static void load_row(self_table *t, const self_row *r, const cloth_state *state,
                     const level_state *finest) {
    for (int i = 0; i < r->columns; i++) {
        uint32_t texel = r->first + (uint32_t)i;
        if (t->counts[texel] > 0) {
            size_t k = r->plane + (size_t)i;
            t->seen[texel] = (self_texel){
                v3_make(finest->at.x[k], finest->at.y[k], finest->at.z[k]),
                finest->inverse_mass[k],
                v3_make(state->at.x[k], state->at.y[k], state->at.z[k]),
                r->cloth,
            };
        }
    }
}

static void push_row(const self_table *t, const self_row *r, cloth_state *state,
                     const level_state *finest) {
    for (int i = 0; i < r->columns; i++) {
        uint32_t texel = r->first + (uint32_t)i;
        if (t->counts[texel] > 0) {
            push_texel(t, texel, state, finest, r->plane + (size_t)i);
        }
    }
}

void self_rows(self_table *t, pass p, int cloth, cloth_state *state, const level_state *finest,
               int row_begin, int row_end) {
    const self_cloth *s = &t->cloths[cloth];
    for (int row = row_begin; row < row_end; row++) {
        self_row r = {.first = s->first + (uint32_t)row * s->stride,
                      .columns = s->columns,
                      .plane = grid_index(&state->grid, 0, row),
                      .mask = s->mask + (size_t)row * (size_t)s->columns,
                      .cloth = (uint32_t)cloth};
        if (p == PASS_SELF_MOVED) {
            t->moved[s->first_row + (uint32_t)row] = moved_in_row(t, &r, finest);
        } else if (p == PASS_SELF_KEY) {
            key_row(t, &r, finest);
        } else if (p == PASS_SELF_LIST) {
            list_row(t, &r);
        } else if (p == PASS_SELF_LOAD) {
            load_row(t, &r, state, finest);
        } else if (p == PASS_SELF_PUSH) {
            push_row(t, &r, state, finest);
        } else {
            repel_row(t, p, &r, state);
        }
    }
}

static row_box box_around(row_box a, row_box b) {
    return (row_box){
        v3_make(k_min(a.low.x, b.low.x), k_min(a.low.y, b.low.y), k_min(a.low.z, b.low.z)),
        v3_make(k_max(a.high.x, b.high.x), k_max(a.high.y, b.high.y), k_max(a.high.z, b.high.z))};
}

/* Two ways differ by no more than the diagonal of the box around all of them: cloth that moves as a
 * whole keeps its lists. Partners of a class are of it or finer. */
bool self_is_stale(const self_table *t) {
    row_box all = NOWHERE;
    bool stale = false;
    for (int k = t->classes.count; k-- > 0;) {
        for (int c = 0; c < t->cloth_count; c++) {
            const self_cloth *s = &t->cloths[c];
            const bool here = s->member.class == k && !s->hidden;
            for (int row = 0; here && row < s->rows; row++) {
                all = box_around(all, t->moved[s->first_row + (uint32_t)row]);
            }
        }
        v3 apart = v3_sub(all.high, all.low);
        float margin = t->classes.list[k].margin;
        stale |= !(v3_dot(apart, apart) <= margin * margin);
    }
    return stale;
}
