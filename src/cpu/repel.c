/* Cloth against cloth in the implicit solver: which texels meet before the solve, which keeps them
 * apart (cpu/newton_self.c), and what they lose of their velocity after it. kernel/self.h has the
 * law. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cpu/self_search.h"

typedef struct meeting {
    const self_table *table;
    uint32_t texel;
    unsigned count;
    bool mixed; /* is one of them of another cloth? */
} meeting;

static inline v3 apart(const self_texel *a, const self_texel *b) {
    return v3_sub(a->after, b->after);
}

static inline void meet(void *context, uint32_t partner) {
    meeting *m = context;
    const self_texel *a = &m->table->seen[m->texel], *b = &m->table->seen[partner];
    float keep = pair_distance(m->table, m->texel, partner, a->cloth, b->cloth);
    v3 after = apart(a, b);
    const bool near = v3_dot(after, after) < keep * keep;
    m->count += near;
    m->mixed |= near && a->cloth != b->cloth;
}

typedef struct contact {
    const self_table *table;
    uint32_t texel;
    v3 way; /* m, that a texel is given in a substep */
} contact;

/* Two texels that are too near to each other. */
typedef struct near_pair {
    v3 before, after, direction;
    float depth, part, friction, keep;
} near_pair;

static inline bool is_near_pair(const contact *c, uint32_t partner, near_pair *out) {
    const self_table *t = c->table;
    const self_texel *a = &t->seen[c->texel], *b = &t->seen[partner];
    float keep = pair_distance(t, c->texel, partner, a->cloth, b->cloth);
    float masses = a->inverse_mass + b->inverse_mass;
    out->after = apart(a, b);
    if (!(v3_dot(out->after, out->after) < keep * keep) || !(masses > 0.0f)) {
        return false;
    }
    out->before = v3_sub(a->before, b->before);
    out->direction = self_direction(out->before, out->after, c->texel < partner ? 1.0f : -1.0f);
    out->keep = keep;
    out->depth = self_depth(out->after, out->direction, keep);
    out->part =
        self_part(a->inverse_mass, masses, (float)t->meets[c->texel], (float)t->meets[partner]);
    out->friction = k_sqrt(t->cloths[a->cloth].friction * t->cloths[b->cloth].friction);
    return true;
}

static inline void stop_by(void *context, uint32_t partner) {
    contact *c = context;
    near_pair p;
    if (is_near_pair(c, partner, &p)) {
        float stop = self_stop(p.before, p.after, p.direction, p.depth);
        float press = self_press(p.before, p.after, p.direction, p.keep);
        v3 slide = self_friction(p.before, p.after, p.direction, stop + press, p.friction);
        c->way = v3_madd(c->way, v3_madd(slide, p.direction, stop), p.part);
    }
}

static void take_from(float *const planes[3], size_t k, v3 what) {
    planes[0][k] -= what.x;
    planes[1][k] -= what.y;
    planes[2][k] -= what.z;
}

/* The velocity of a texel is what it goes from the start of the substep, so that changing the start
 * changes the velocity and leaves it where it will be. */
static void stop_at(const self_table *t, uint32_t texel, cloth_state *state, size_t k) {
    contact c = {.table = t, .texel = texel};
    if (!(t->seen[texel].inverse_mass > 0.0f) || t->meets[texel] == 0) {
        return;
    }
    for_partners(t, texel, stop_by, &c);
    take_from(&state->at.plane[PLANE_x], k, c.way);
}

/* Calls what is given for each pair of texels of two cloths. */
typedef struct mixing {
    const self_table *table;
    uint32_t texel;
    void (*meet)(void *user, int one, int other);
    void *user;
} mixing;

static inline void mix(void *context, uint32_t partner) {
    const mixing *m = context;
    meeting pair = {.table = m->table, .texel = m->texel};
    meet(&pair, partner);
    if (pair.mixed) {
        m->meet(m->user, (int)m->table->seen[m->texel].cloth, (int)m->table->seen[partner].cloth);
    }
}

void self_visit_mixed(const self_table *t, void (*meet_cloths)(void *user, int one, int other),
                      void *user) {
    for (int c = 0; c < t->cloth_count; c++) {
        const self_cloth *s = &t->cloths[c];
        for (uint32_t row = 0; !s->hidden && row < (uint32_t)s->rows; row++) {
            const uint32_t first = s->first + row * s->stride;
            for (uint32_t i = 0; t->mixed[s->first_row + row] && i < (uint32_t)s->columns; i++) {
                mixing m = {t, first + i, meet_cloths, user};
                for_partners(t, first + i, mix, &m);
            }
        }
    }
}

/* PASS_SELF_MEET. */
static void meet_row(self_table *t, const self_row *r) {
    const self_cloth *s = &t->cloths[r->cloth];
    const uint32_t row = s->first_row + (r->first - s->first) / s->stride;
    bool *mixed = &t->mixed[row];
    *mixed = false;
    t->row_repels[row] = 0;
    for (uint32_t texel = r->first; texel < r->first + (uint32_t)r->columns; texel++) {
        meeting m = {.table = t, .texel = texel};
        for_partners(t, texel, meet, &m);
        t->meets[texel] = (uint16_t)(m.count < UINT16_MAX ? m.count : UINT16_MAX);
        *mixed |= m.mixed;
        if (m.count > 0 && t->seen[texel].inverse_mass > 0.0f) {
            t->row_repels[row] += m.count;
        }
    }
}

/* The springs that were there are not kept: they are made anew in each substep. */
static bool make_room(self_table *t, size_t count) {
    if (count <= t->repel_room) {
        return true;
    }
    self_repel *more = memory_alloc(count, 2 * sizeof *more, "springs between texels that meet");
    if (more) {
        free(t->repels);
        t->repels = more;
        t->repel_room = 2 * count;
    }
    return more != NULL;
}

bool self_place_repels(self_table *t) {
    size_t count = 0;
    for (uint32_t row = 0; row < t->rows; row++) {
        const size_t own = t->row_repels[row];
        t->row_repels[row] = count;
        count += own;
    }
    t->row_repels[t->rows] = count;
    if (!make_room(t, count)) {
        memset(t->row_repels, 0, ((size_t)t->rows + 1) * sizeof *t->row_repels);
        return false;
    }
    return true;
}

void repel_row(self_table *t, pass p, const self_row *r, cloth_state *state) {
    if (p == PASS_SELF_MEET) {
        meet_row(t, r);
        return;
    }
    for (int i = 0; i < r->columns; i++) {
        uint32_t texel = r->first + (uint32_t)i;
        size_t k = r->plane + (size_t)i;
        if (t->counts[texel] > 0) {
            stop_at(t, texel, state, k);
        }
    }
}

void self_forget(const self_table *t, int cloth, const grid *g, float *const change[3],
                 int row_begin, int row_end) {
    const self_cloth *s = &t->cloths[cloth];
    for (int row = row_begin; row < row_end; row++) {
        for (int i = 0; i < s->columns; i++) {
            const uint32_t texel = s->first + (uint32_t)row * s->stride + (uint32_t)i;
            for (int axis = 0; t->meets[texel] > 0 && axis < 3; axis++) {
                change[axis][grid_index(g, i, row)] = 0.0f;
            }
        }
    }
}
