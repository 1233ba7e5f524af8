/* Texels that are too near each other, in Newton's method: springs of kernel/self.h. They are found
 * anew in each product from what self-collision keeps, for few texels have any. */
#include "cpu/newton_row.h"
#include "cpu/self_search.h"

typedef struct self_view {
    const newton_args *args;
    const system_row *row;
    const self_table *table;
    uint32_t texel;
    const float *const *p; /* what the matrix is multiplied with, in planes of the system */
    v3 at;                 /* m, where the texel is */
    block matrix;
    v3 force, product;
} self_view;

static inline v3 plane_at(const float *const planes[3], size_t k) {
    return v3_make(planes[0][k], planes[1][k], planes[2][k]);
}

/* Where a texel of a cloth is in its planes. */
static inline size_t place_of(const self_view *v, uint32_t texel, uint32_t cloth) {
    const self_cloth *s = &v->table->cloths[cloth];
    const uint32_t number = texel - s->first;
    const grid *g = &v->args->panels[cloth].state->grid;
    return grid_index(g, (int)(number % s->stride), (int)(number / s->stride));
}

static inline const float *const *positions_of(const newton_args *args, uint32_t cloth) {
    return (const float *const *)&args->panels[cloth].hierarchy->levels[0].at.plane[LEVEL_x];
}

/* The spring of a pair; both texels find the same, along opposite directions. */
typedef struct self_pair {
    v3 direction;
    float stiffness, depth;
    size_t partner; /* in planes of the system */
} self_pair;

static inline bool find_pair(const self_view *v, uint32_t partner, self_pair *out) {
    const self_table *t = v->table;
    const self_texel *a = &t->seen[v->texel], *b = &t->seen[partner];
    float keep = pair_distance(t, v->texel, partner, a->cloth, b->cloth);
    v3 after = v3_sub(a->after, b->after), before = v3_sub(a->before, b->before);
    if (!(v3_dot(after, after) < keep * keep)) {
        return false;
    }
    v3 n = self_direction(before, after, v->texel < partner ? 1.0f : -1.0f);
    const size_t there = place_of(v, partner, b->cloth);
    out->partner = v->args->state->level[0].table->panels[b->cloth].first + there;
    v3 apart = v3_sub(v->at, plane_at(positions_of(v->args, b->cloth), there));
    out->direction = n;
    out->depth = self_rest(before, n, keep) - v3_dot(apart, n);
    out->stiffness = self_spring(a->inverse_mass + b->inverse_mass, (float)t->meets[v->texel],
                                 (float)t->meets[partner], t->substep);
    return out->depth > 0.0f;
}

static inline void repel_by(void *context, uint32_t partner) {
    self_view *v = context;
    self_pair p;
    if (find_pair(v, partner, &p)) {
        v->matrix = block_add(v->matrix, newton_press_block(p.direction, p.stiffness));
        v->force = v3_madd(v->force, p.direction, p.stiffness * p.depth);
    }
}

static inline void multiply_by(void *context, uint32_t partner) {
    self_view *v = context;
    self_pair p;
    if (find_pair(v, partner, &p)) {
        float moved = v3_dot(plane_at(v->p, p.partner), p.direction);
        v->product = v3_madd(v->product, p.direction, -p.stiffness * moved);
    }
}

static self_view view_of_row(const newton_args *args, const system_row *row) {
    return (self_view){.args = args, .row = row, .table = args->self};
}

/* Turns to a texel; returns whether it is too near another one. */
static inline bool turn_to(self_view *v, int column) {
    const uint32_t cloth = (uint32_t)v->row->panel;
    const self_cloth *s = &v->table->cloths[cloth];
    const size_t base = v->args->state->level[0].table->panels[cloth].first;
    v->texel = s->first + (uint32_t)v->row->row * s->stride + (uint32_t)column;
    v->at = plane_at(positions_of(v->args, cloth), v->row->at + (size_t)column - base);
    v->matrix = block_zero();
    v->force = v->product = v3_make(0.0f, 0.0f, 0.0f);
    return v->table->meets[v->texel] > 0 && v->table->seen[v->texel].inverse_mass > 0.0f;
}

bool CPU_FN(newton_self_has)(const newton_args *args, const system_row *row) {
    if (!args->self) {
        return false;
    }
    const self_cloth *s = &args->self->cloths[row->panel];
    const uint16_t *meets = args->self->meets + s->first + (uint32_t)row->row * s->stride;
    bool any = false;
    for (int i = 0; i < s->columns; i++) {
        any |= meets[i] > 0;
    }
    return any;
}

void CPU_FN(newton_self_forces)(const newton_args *args, const system_row *row) {
    const newton_level *l = &args->state->level[0];
    const rows6 contact = rows6_at(&l->plane[EQ_contact], row->at);
    const rows6 own = rows6_at(&l->plane[EQ_own], row->at);
    const rows3 r = rows3_at(&l->plane[EQ_residual], row->at);
    self_view v = view_of_row(args, row);
    const int columns = args->panels[row->panel].state->grid.columns;
    for (int i = 0; i < columns; i++) {
        if (turn_to(&v, i)) {
            for_partners(v.table, v.texel, repel_by, &v);
            rows6_store(contact, i, block_add(rows6_load(contact, i), v.matrix));
            rows6_store(own, i, block_add(rows6_load(own, i), v.matrix));
            rows3_store(r, i, v3_add(rows3_load(r, i), v.force));
        }
    }
}

void CPU_FN(newton_self_product)(const newton_args *args, const system_row *row,
                                 const float *const of[3]) {
    self_view v = view_of_row(args, row);
    v.p = of;
    const rows3 out = {scratch_at(args, RING_OUT), scratch_at(args, RING_OUT + 1),
                       scratch_at(args, RING_OUT + 2)};
    const int columns = args->panels[row->panel].state->grid.columns;
    for (int i = 0; i < columns; i++) {
        if (turn_to(&v, i)) {
            for_partners(v.table, v.texel, multiply_by, &v);
            rows3_store(out, i, v3_add(rows3_load(out, i), v.product));
        }
    }
}
