/* Couplings on the CPU: what rows of texels gather from them. */
#include "cpu/newton_row.h"

/* What kernel/coupled.h loads: a level's lists, and the planes that are multiplied. */
typedef struct coupled_view {
    const coupling_level *lists;
    const block *stiffness;
    const coupling_aim *aims; /* NULL: products, which aim at nothing */
    const newton_args *args;
    float *const *planes; /* of the level; NULL: places of the cloths */
} coupled_view;

#define COUPLED      const coupled_view *view,
#define COUPLED_HERE view,

/* Places are in the planes of the cloth. */
static v3 load_place(COUPLED int panel, uint32_t texel) {
    const newton_args *args = view->args;
    const size_t at = texel - args->state->level[0].table->panels[panel].first;
    float *const *x = &args->panels[panel].hierarchy->levels[0].at.plane[LEVEL_x];
    return v3_make(x[0][at], x[1][at], x[2][at]);
}

static v3 load_coupled(COUPLED int row, int k) {
    const coupling_row *r = &view->lists->row[row];
    const uint32_t at = r->texels[k];
    if (!view->planes) {
        return load_place(view, r->panels[k / CELL_CORNERS], at);
    }
    return v3_make(view->planes[0][at], view->planes[1][at], view->planes[2][at]);
}

static float load_weight(COUPLED int row, int k) {
    return view->lists->row[row].weights[k];
}

static v3 load_aim(COUPLED int row) {
    return view->aims ? view->aims[row].place : v3_make(0.0f, 0.0f, 0.0f);
}

static block load_stiffness(COUPLED int row) {
    return view->stiffness[row];
}

static int load_entry_row(COUPLED int entry) {
    return view->lists->entry[entry].row;
}

static float load_entry_weight(COUPLED int entry) {
    return view->lists->entry[entry].weight;
}

static float load_entry_share(COUPLED int entry) {
    return view->lists->entry[entry].share;
}

#include "kernel/coupled.h"

_Static_assert(COUPLING_TEXELS == COUPLED_CORNERS, "rows of the lists are those of the kernel");

static coupled_view view_of(const newton_args *args, float *const *planes) {
    const newton_level *l = &args->state->level[args->depth];
    return (coupled_view){
        .lists = &l->table->couplings, .stiffness = l->stiffness, .args = args, .planes = planes};
}

/* The touched texels of a row, from the first up to the end. */
typedef struct touched_range {
    const coupled_texel *first, *end;
} touched_range;

static touched_range touched_in(const newton_args *args, const system_row *row) {
    const system_level *l = args->state->level[args->depth].table;
    const coupling_level *c = &l->couplings;
    if (c->rows == 0) {
        return (touched_range){NULL, NULL};
    }
    const int *first = c->first_of_row + (row - l->row);
    return (touched_range){c->texel + first[0], c->texel + first[1]};
}

void CPU_FN(newton_couple_forces)(const newton_args *args, const system_row *row) {
    const newton_level *l = &args->state->level[0];
    const touched_range texels = touched_in(args, row);
    const rows3 r = rows3_at(&l->plane[EQ_residual], 0);
    coupled_view view = view_of(args, NULL);
    view.aims = args->state->aims;
    for (const coupled_texel *t = texels.first; t < texels.end; t++) {
        v3 pull = coupling_product(&view, t->first, t[1].first);
        rows3_store(r, t->texel, v3_sub(rows3_load(r, t->texel), pull));
    }
}

void CPU_FN(newton_couple_inverses)(const newton_args *args, const system_row *row) {
    const newton_level *l = &args->state->level[args->depth];
    const touched_range texels = touched_in(args, row);
    const rows6 own = rows6_at(&l->plane[args->depth == 0 ? EQ_own : EQ_block], 0);
    const rows6 inverse = rows6_at(&l->plane[EQ_inverse], 0);
    const float bend = NEWTON_BEND * newton_bend(args, row->panel);
    const coupled_view view = view_of(args, NULL);
    for (const coupled_texel *t = texels.first; t < texels.end; t++) {
        block coupled = coupling_own(&view, t->first, t[1].first);
        block b = block_lift(rows6_load(own, t->texel), bend);
        rows6_store(inverse, t->texel, block_inverse(block_add(b, coupled)));
    }
}

void CPU_FN(newton_couple_product)(const newton_args *args, const system_row *row,
                                   equation_plane of) {
    const newton_level *l = &args->state->level[args->depth];
    const touched_range texels = touched_in(args, row);
    const rows3 out = {scratch_at(args, RING_OUT), scratch_at(args, RING_OUT + 1),
                       scratch_at(args, RING_OUT + 2)};
    const coupled_view view = view_of(args, &l->plane[of]);
    for (const coupled_texel *t = texels.first; t < texels.end; t++) {
        const ptrdiff_t i = (ptrdiff_t)(t->texel - row->at);
        v3 product = coupling_product(&view, t->first, t[1].first);
        rows3_store(out, i, v3_add(rows3_load(out, i), product));
    }
}

/* ---- stiffness ----------------------------------------------------------------------------------
 */

/* What a texel resists a move with by itself; nothing is in the way of its inverse but springs,
 * inertia and bending, so that touching a body does not change how stiff a coupling is. */
static block own_inverse(const newton_args *args, const system_view *view, int panel,
                         uint32_t texel) {
    const ptrdiff_t up = args->state->level[0].table->panels[panel].grid.stride;
    if (!(view->inertia[texel] > 0.0f)) {
        return block_zero();
    }
    const float bend = NEWTON_BEND * newton_bend(args, panel);
    return block_inverse(block_lift(system_own(view, texel, up), bend));
}

static block give_of(const newton_args *args, const system_view *view, const coupling_row *row) {
    block give = block_zero();
    for (int k = 0; k < COUPLING_TEXELS; k++) {
        if (row->weights[k] != 0.0f) {
            block inverse = own_inverse(args, view, row->panels[k / CELL_CORNERS], row->texels[k]);
            give = coupling_give(give, inverse, row->weights[k]);
        }
    }
    return give;
}

static void stiffen_finest(const newton_args *args, int begin, int end) {
    const newton_level *l = &args->state->level[0];
    system_view view = {.inertia = l->plane[EQ_inertia]};
    for (int p = 0; p < 16; p++) {
        view.planes[p] = l->plane[EQ_springs + p];
    }
    for (int r = begin; r < end; r++) {
        const coupling_aim *aim = &args->state->aims[r];
        l->stiffness[r] = coupling_stiffness(aim->stiffness, aim->along,
                                             give_of(args, &view, &l->table->couplings.row[r]));
    }
}

/* A row is as stiff as those that were merged to it. */
void CPU_FN(newton_stiffen)(const newton_args *args, int begin, int end) {
    const newton_level *l = &args->state->level[args->depth];
    const coupling_level *c = &l->table->couplings;
    if (args->depth == 0) {
        stiffen_finest(args, begin, end);
        return;
    }
    for (int r = begin; r < end; r++) {
        block sum = block_zero();
        for (int i = c->first_finer[r]; i < c->first_finer[r + 1]; i++) {
            sum = block_add(sum, l[-1].stiffness[c->finer[i]]);
        }
        l->stiffness[r] = sum;
    }
}
