/* What surrounds a texel in the hash, for passes of self-collision on the CPU. */
#ifndef TOILE_CPU_SELF_SEARCH_H
#define TOILE_CPU_SELF_SEARCH_H

#include "cpu/self.h"
#include "kernel/self.h"

enum { RUN = 3 /* cells in a row that are next to each other in the hash */ };

typedef struct self_row {
    uint32_t first; /* texel */
    int columns;
    size_t plane; /* index of the first texel in planes */
    const uint8_t *mask;
    uint32_t cloth;
} self_row;

typedef struct cell {
    int32_t x, y, z;
} cell;

static inline int32_t floor_cell(double a) {
    int32_t whole = (int32_t)a;
    return whole - (a < (double)whole);
}

static inline cell cell_at(const self_class *c, const float at[3]) {
    return (cell){floor_cell((double)at[0] * c->inverse_cell),
                  floor_cell((double)at[1] * c->inverse_cell),
                  floor_cell((double)at[2] * c->inverse_cell)};
}

/* Cells along x follow each other, so that three of them are one look-up. */
static inline uint32_t slot_at(self_slots s, int32_t x, int32_t y, int32_t z) {
    uint32_t line = (uint32_t)y * UINT32_C(0x9e3779b1) ^ (uint32_t)z * UINT32_C(0x85ebca77);
    return s.first + (((line ^ line >> 15) * UINT32_C(0xc2b2ae3d) + (uint32_t)x) & (s.count - 1));
}

/* The distance that two texels keep; 0: they do not see each other. */
static inline float pair_distance(const self_table *t, uint32_t a, uint32_t b, uint32_t cloth_a,
                                  uint32_t cloth_b) {
    const self_cloth *s = &t->cloths[cloth_a];
    if (t->tied[a] && t->tied[b]) {
        return 0.0f;
    }
    if (cloth_a != cloth_b) {
        return k_max(s->member.distance, t->cloths[cloth_b].member.distance);
    }
    if (s->plain) {
        return s->member.distance;
    }
    uint32_t row_a = (a - s->first) / s->stride, row_b = (b - s->first) / s->stride;
    float across = (float)((int32_t)(a - row_a * s->stride) - (int32_t)(b - row_b * s->stride));
    float up = (float)((int32_t)row_a - (int32_t)row_b);
    return self_distance_within(s->member.distance, s->spacing, across, up);
}

static inline float squared(const float a[3], const float b[3]) {
    float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

typedef void partner_visit(void *context, uint32_t partner);

/* What surrounds a texel in its own and the next cells. Slots may hold other cells too, and one
 * slot may be looked at for more than one cell, so that the entry's cell is asked for. */
typedef struct search {
    const self_table *table;
    const self_class *grid; /* that is looked at */
    uint32_t texel, cloth;
    float at[3];
    uint32_t stride;
    int32_t x, y, z;  /* middle of the three cells */
    uint64_t *looked; /* NULL, or counts entries instead of visiting partners */
} search;

/* Is it the texel itself, or one of the eight around it? */
static inline bool share_cell(const search *s, uint32_t other) {
    uint32_t apart = other > s->texel ? other - s->texel : s->texel - other;
    return (apart <= 1 || apart + 1 - s->stride <= 2) && s->table->owners[other] == s->cloth;
}

__attribute__((always_inline)) static inline void
visit_entries(const search *s, uint32_t begin, uint32_t end, partner_visit *visit, void *context) {
    const self_table *t = s->table;
    const self_class *g = s->grid;
    if (s->looked) {
        *s->looked += end - begin;
        return;
    }
    for (uint32_t e = begin; e < end; e++) {
        const self_entry *entry = &t->entries[e];
        float apart = squared(s->at, entry->at);
        if (!(apart < g->reach * g->reach) || share_cell(s, entry->texel)) {
            continue;
        }
        cell there = cell_at(g, entry->at);
        if (there.y != s->y || there.z != s->z || there.x < s->x - 1 || there.x > s->x + 1) {
            continue;
        }
        float keep = pair_distance(t, s->texel, entry->texel, s->cloth, t->owners[entry->texel]);
        float near = keep + g->margin;
        if (apart < near * near) {
            visit(context, entry->texel);
        }
    }
}

__attribute__((always_inline)) static inline void visit_slots(search *s, self_slots slots,
                                                              partner_visit *visit, void *context) {
    const uint32_t *starts = s->table->starts, last = slots.first + slots.count;
    const cell own = cell_at(s->grid, s->at);
    s->x = own.x;
    for (int line = 0; line < 9; line++) {
        s->y = own.y + line % 3 - 1;
        s->z = own.z + line / 3 - 1;
        uint32_t begin = slot_at(slots, own.x - 1, s->y, s->z), end = begin + RUN;
        if (end > last) {
            visit_entries(s, starts[slots.first], starts[end - slots.count], visit, context);
            end = last;
        }
        visit_entries(s, starts[begin], starts[end], visit, context);
    }
}

__attribute__((always_inline)) static inline void search_partners(search *s, partner_visit *visit,
                                                                  void *context) {
    const self_table *t = s->table;
    const int class = t->cloths[s->cloth].member.class;
    s->grid = &t->classes.list[class];
    visit_slots(s, s->grid->own, visit, context);
    if (s->grid->guests.count > 0) {
        visit_slots(s, s->grid->guests, visit, context);
    }
    for (int coarser = class; coarser-- > 0;) {
        s->grid = &t->classes.list[coarser];
        visit_slots(s, s->grid->own, visit, context);
    }
}

static inline search search_from(const self_table *t, uint32_t texel) {
    return (search){.table = t,
                    .texel = texel,
                    .cloth = t->owners[texel],
                    .stride = t->cloths[t->owners[texel]].stride,
                    .at = {t->listed_at[0][texel], t->listed_at[1][texel], t->listed_at[2][texel]}};
}

__attribute__((always_inline)) static inline void
visit_partners(const self_table *t, uint32_t texel, partner_visit *visit, void *context) {
    search s = search_from(t, texel);
    search_partners(&s, visit, context);
}

/* How many entries that takes. */
static inline uint64_t count_looks(const self_table *t, uint32_t texel) {
    uint64_t looked = 0;
    search s = search_from(t, texel);
    s.looked = &looked;
    search_partners(&s, NULL, NULL);
    return looked;
}

/* All partners of a texel, from its list or, where that was too short, from the hash. */
__attribute__((always_inline)) static inline void
for_partners(const self_table *t, uint32_t texel, partner_visit *visit, void *context) {
    if (t->counts[texel] > SELF_LISTED) {
        visit_partners(t, texel, visit, context);
        return;
    }
    const uint32_t *partners = t->partners + (size_t)texel * SELF_LISTED;
    for (int i = 0; i < t->counts[texel]; i++) {
        visit(context, partners[i]);
    }
}

/* The passes of the implicit solver: PASS_SELF_MEET and _STOP over a row. */
void repel_row(self_table *t, pass p, const self_row *r, cloth_state *state);

#endif
