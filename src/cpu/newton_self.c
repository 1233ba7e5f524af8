/* Texels that are too near each other, in Newton's method: kernel/repel.h. */
#include "cpu/newton_row.h"
#include "cpu/self_search.h"
#include "kernel/repel.h"

/* ---- lists --------------------------------------------------------------------------------------
 */

typedef struct self_listing {
    const newton_args *args;
    uint32_t texel;
    self_repel *next;
} self_listing;

/* Where a texel of a cloth is in planes of the system. */
static inline size_t place_of(const newton_args *args, uint32_t texel, uint32_t cloth) {
    const self_cloth *s = &args->self->cloths[cloth];
    const uint32_t number = texel - s->first;
    const grid *g = &args->panels[cloth].state->grid;
    return args->state->level[0].table->panels[cloth].first +
           grid_index(g, (int)(number % s->stride), (int)(number / s->stride));
}

/* The spring of a pair; both texels find the same, along opposite directions. */
static inline void list_spring(void *context, uint32_t partner) {
    self_listing *l = context;
    const self_table *t = l->args->self;
    const self_texel *a = &t->seen[l->texel], *b = &t->seen[partner];
    float keep = pair_distance(t, l->texel, partner, a->cloth, b->cloth);
    v3 after = v3_sub(a->after, b->after), before = v3_sub(a->before, b->before);
    if (!(v3_dot(after, after) < keep * keep)) {
        return;
    }
    v3 n = self_direction(before, after, l->texel < partner ? 1.0f : -1.0f);
    *l->next++ = (self_repel){
        .partner = (uint32_t)place_of(l->args, partner, b->cloth),
        .cloth = b->cloth,
        .direction = n,
        .rest = self_rest(before, n, keep),
        .stiffness = self_spring(a->inverse_mass + b->inverse_mass, (float)t->meets[l->texel],
                                 (float)t->meets[partner], t->substep),
    };
}

/* Those of a row. */
typedef struct listed_row {
    self_repel *repels;
    const uint32_t *from; /* a column: its first one; the last end behind them */
    int columns;
} listed_row;

/* Texels of a row are numbered, and a number is left out behind them. */
static inline listed_row repels_of(const newton_args *args, const system_row *row) {
    const self_table *t = args->self;
    const self_cloth *s = &t->cloths[row->panel];
    return (listed_row){t->repels + t->row_repels[s->first_row + (uint32_t)row->row],
                        t->repel_from + s->first + (uint32_t)row->row * s->stride, s->columns};
}

bool CPU_FN(newton_self_has)(const newton_args *args, const system_row *row) {
    if (!args->self) {
        return false;
    }
    const self_table *t = args->self;
    const size_t *own = t->row_repels + t->cloths[row->panel].first_row + (uint32_t)row->row;
    return own[1] > own[0];
}

void CPU_FN(newton_self_list)(const newton_args *args, const system_row *row) {
    if (!CPU_FN(newton_self_has)(args, row)) {
        return;
    }
    const self_table *t = args->self;
    const listed_row own = repels_of(args, row);
    const uint32_t first = (uint32_t)(own.from - t->repel_from);
    self_listing l = {.args = args, .next = own.repels};
    for (int i = 0; i < own.columns; i++) {
        l.texel = first + (uint32_t)i;
        t->repel_from[l.texel] = (uint32_t)(l.next - own.repels);
        if (t->meets[l.texel] > 0 && t->seen[l.texel].inverse_mass > 0.0f) {
            for_partners(t, l.texel, list_spring, &l);
        }
    }
    t->repel_from[first + (uint32_t)own.columns] = (uint32_t)(l.next - own.repels);
}

/* ---- forces and products ------------------------------------------------------------------------
 */

static inline v3 plane_at(const float *const planes[3], size_t k) {
    return v3_make(planes[0][k], planes[1][k], planes[2][k]);
}

/* Where a texel is; place: in planes of the system. */
static inline v3 position_at(const newton_args *args, size_t place, uint32_t cloth) {
    const float *const *at =
        (const float *const *)&args->panels[cloth].hierarchy->levels[0].at.plane[LEVEL_x];
    return plane_at(at, place - args->state->level[0].table->panels[cloth].first);
}

void CPU_FN(newton_self_forces)(const newton_args *args, const system_row *row) {
    const newton_level *l = &args->state->level[0];
    const rows6 contact = rows6_at(&l->plane[EQ_contact], row->at);
    const rows6 own = rows6_at(&l->plane[EQ_own], row->at);
    const rows3 r = rows3_at(&l->plane[EQ_residual], row->at);
    const listed_row list = repels_of(args, row);
    for (int i = 0; i < list.columns; i++) {
        if (list.from[i] == list.from[i + 1]) {
            continue;
        }
        const v3 at = position_at(args, row->at + (size_t)i, (uint32_t)row->panel);
        repelled all = repel_none();
        for (uint32_t k = list.from[i]; k < list.from[i + 1]; k++) {
            self_repel *s = &list.repels[k];
            v3 apart = v3_sub(at, position_at(args, s->partner, s->cloth));
            float depth = repel_depth(apart, s->direction, s->rest);
            s->acting = repel_acting(s->stiffness, depth);
            if (s->acting > 0.0f) {
                all = repel_add(all, s->direction, s->acting, depth);
            }
        }
        rows6_store(contact, i, block_add(rows6_load(contact, i), all.matrix));
        rows6_store(own, i, block_add(rows6_load(own, i), all.matrix));
        rows3_store(r, i, v3_add(rows3_load(r, i), all.force));
    }
}

void CPU_FN(newton_self_product)(const newton_args *args, const system_row *row,
                                 const float *const of[3]) {
    const rows3 out = scratch3(args, ROW_OUT);
    const listed_row list = repels_of(args, row);
    for (int i = 0; i < list.columns; i++) {
        if (list.from[i] == list.from[i + 1]) {
            continue;
        }
        v3 product = v3_make(0.0f, 0.0f, 0.0f);
        for (uint32_t k = list.from[i]; k < list.from[i + 1]; k++) {
            const self_repel *s = &list.repels[k];
            if (s->acting > 0.0f) {
                product = repel_product(product, s->direction, s->acting, plane_at(of, s->partner));
            }
        }
        rows3_store(out, i, v3_add(rows3_load(out, i), product));
    }
}
