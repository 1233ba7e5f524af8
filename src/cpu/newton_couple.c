/* Couplings on the CPU: what rows of texels gather from them. */
#include "cpu/newton_row.h"

/* What kernel/coupled.h loads: a level's lists, and the planes that are multiplied. */
typedef struct coupled_view {
    const coupling_level *lists;
    const block *stiffness;
    v3 *pulls;                /* of the thread */
    const coupling_aim *aims; /* NULL: products, which aim at nothing */
    const newton_args *args;
    float *const *planes; /* of the level; NULL: places of the cloths */
} coupled_view;

/* Three planes at a texel. Not rows3: what is written here is read by rows, too. */
static v3 load_at(float *const planes[3], uint32_t at) {
    return v3_make(planes[0][at], planes[1][at], planes[2][at]);
}

static void store_at(float *const planes[3], uint32_t at, v3 value) {
    planes[0][at] = value.x;
    planes[1][at] = value.y;
    planes[2][at] = value.z;
}

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
        return load_place(view, coupling_panel(r, k), at);
    }
    return load_at(view->planes, at);
}

static int load_count(COUPLED int row) {
    return view->lists->row[row].count;
}

static float load_row_weight(COUPLED int row, int k) {
    return view->lists->row[row].weights[k];
}

static v3 load_aim(COUPLED int row) {
    return view->aims ? view->aims[row].place : v3_make(0.0f, 0.0f, 0.0f);
}

static block load_stiffness(COUPLED int row) {
    return view->stiffness[row];
}

static v3 load_pull(COUPLED int row) {
    return view->pulls[row];
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

static coupled_view view_of(const newton_args *args, float *const *planes) {
    const newton_level *l = &args->state->level[args->depth];
    return (coupled_view){.lists = &l->table->couplings,
                          .stiffness = l->stiffness,
                          .pulls = args->pulls,
                          .args = args,
                          .planes = planes};
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

static void pull_rows(const coupled_view *view) {
    for (int r = 0; r < view->lists->rows; r++) {
        view->pulls[r] = coupling_pull(view, r);
    }
}

void CPU_FN(newton_couple_planes)(const newton_args *args, equation_plane of) {
    const coupled_view view = view_of(args, &args->state->level[args->depth].plane[of]);
    pull_rows(&view);
}

void CPU_FN(newton_couple_places)(const newton_args *args) {
    coupled_view view = view_of(args, NULL);
    view.aims = args->state->aims;
    pull_rows(&view);
}

void CPU_FN(newton_couple_forces)(const newton_args *args, const system_row *row) {
    const newton_level *l = &args->state->level[0];
    const touched_range texels = touched_in(args, row);
    float *const *r = &l->plane[EQ_residual];
    const coupled_view view = view_of(args, NULL);
    for (const coupled_texel *t = texels.first; t < texels.end; t++) {
        v3 pull = coupling_gather(&view, t->first, t[1].first);
        store_at(r, t->texel, v3_sub(load_at(r, t->texel), pull));
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
        block coupled = block_add(coupling_own(&view, t->first, t[1].first),
                                  CPU_FN(newton_meet_own)(args, t->texel));
        block b = block_lift(rows6_load(own, t->texel), bend);
        rows6_store(inverse, t->texel, block_inverse(block_add(b, coupled)));
    }
}

void CPU_FN(newton_couple_product)(const newton_args *args, const system_row *row) {
    const touched_range texels = touched_in(args, row);
    const rows3 out = scratch3(args, ROW_OUT);
    const coupled_view view = view_of(args, NULL);
    for (const coupled_texel *t = texels.first; t < texels.end; t++) {
        const ptrdiff_t i = (ptrdiff_t)(t->texel - row->at);
        v3 product = coupling_gather(&view, t->first, t[1].first);
        rows3_store(out, i, v3_add(rows3_load(out, i), product));
    }
}

/* ---- together -----------------------------------------------------------------------------------
 *
 * A pass over all touched texels of a level: they are few, and meeting between its steps would take
 * longer than the steps. */

void CPU_FN(newton_couple_left)(const newton_args *args, const system_row *row) {
    const newton_level *l = &args->state->level[args->depth];
    const touched_range texels = touched_in(args, row);
    const rows3 out = scratch3(args, ROW_OUT);
    for (const coupled_texel *t = texels.first; t < texels.end; t++) {
        v3 product = rows3_load(out, (ptrdiff_t)(t->texel - row->at));
        l->way[t - l->table->couplings.texel].force =
            v3_sub(load_at(&l->plane[EQ_residual], t->texel), product);
    }
}

/* Is the texel of a part that still moves, and not on its coarsest level? */
static bool takes_part(const newton_args *args, const coupled_texel *t) {
    const system_level *l = args->state->level[args->depth].table;
    const system_row *row = &l->row[t->row];
    return !newton_rests(args, row) && !l->panels[row->panel].last;
}

/* The first step of all, which are stored where rows load them. */
static void begin_ways(const newton_args *args, float *const ways[3]) {
    const newton_level *l = &args->state->level[args->depth];
    const coupling_level *c = &l->table->couplings;
    const rows6 inverse = rows6_at(&l->plane[EQ_inverse], 0);
    for (int t = 0; t < c->touched; t++) {
        const uint32_t at = c->texel[t].texel;
        if (takes_part(args, &c->texel[t])) {
            l->way[t].step = coupling_first(rows6_load(inverse, at), l->way[t].force);
            store_at(ways, at, l->way[t].step);
        }
    }
}

/* The next one: what rows resist the ways so far with, and then each texel. */
static void go_on(const newton_args *args, const coupled_view *view, float before, float rho) {
    const newton_level *l = &args->state->level[args->depth];
    const rows6 inverse = rows6_at(&l->plane[EQ_inverse], 0);
    const rows6 own = rows6_at(&l->plane[args->depth == 0 ? EQ_own : EQ_block], 0);
    pull_rows(view);
    for (int t = 0; t < view->lists->touched; t++) {
        const coupled_texel *texel = &view->lists->texel[t];
        if (!takes_part(args, texel)) {
            continue;
        }
        const int panel = l->table->row[texel->row].panel;
        const float bend = NEWTON_BEND * newton_bend(args, panel);
        const v3 way = load_at(view->planes, texel->texel);
        v3 resists = block_times(block_lift(rows6_load(own, texel->texel), bend), way);
        resists = v3_add(resists, coupling_gather(view, texel->first, texel[1].first));
        const v3 left = v3_sub(l->way[t].force, resists);
        l->way[t].step =
            coupling_next(l->way[t].step, rows6_load(inverse, texel->texel), left, before, rho);
        store_at(view->planes, texel->texel, v3_add(way, l->way[t].step));
    }
}

/* Ways of all touched texels that balance the forces left on them, into three planes. */
static void find_ways(const newton_args *args, equation_plane out) {
    const coupled_view view = view_of(args, &args->state->level[args->depth].plane[out]);
    float rho = coupling_rho(0.0f);
    begin_ways(args, view.planes);
    for (int step = 1; step < COUPLING_STEPS; step++) {
        const float before = rho;
        rho = coupling_rho(before);
        go_on(args, &view, before, rho);
    }
}

void CPU_FN(newton_together)(const newton_args *args, int begin, int end) {
    const newton_level *l = &args->state->level[args->depth];
    const coupling_level *c = &l->table->couplings;
    float *const *r = &l->plane[EQ_residual], *const *guess = &l->plane[EQ_guess];
    (void)begin, (void)end;
    for (int t = 0; t < c->touched; t++) {
        l->way[t].force = load_at(r, c->texel[t].texel);
    }
    find_ways(args, EQ_guess);
    for (int t = 0; t < c->touched; t++) {
        const uint32_t at = c->texel[t].texel;
        if (takes_part(args, &c->texel[t])) {
            store_at(guess, at, v3_scale(load_at(guess, at), NEWTON_WEIGHT));
        }
    }
}

/* Puts the sweep of touched texels in the place of theirs by themselves. */
void CPU_FN(newton_joined)(const newton_args *args, int begin, int end) {
    const newton_level *l = &args->state->level[args->depth];
    const coupling_level *c = &l->table->couplings;
    float *const *r = &l->plane[EQ_residual], *const *guess = &l->plane[EQ_guess];
    float *const *result = &l->plane[EQ_result];
    (void)begin, (void)end;
    for (int t = 0; t < c->touched; t++) {
        const uint32_t at = c->texel[t].texel;
        if (takes_part(args, &c->texel[t])) {
            l->row_dot[c->texel[t].row] -= (double)v3_dot(load_at(r, at), load_at(result, at));
        }
    }
    find_ways(args, EQ_result);
    for (int t = 0; t < c->touched; t++) {
        const uint32_t at = c->texel[t].texel;
        if (takes_part(args, &c->texel[t])) {
            v3 z = v3_madd(load_at(guess, at), load_at(result, at), NEWTON_WEIGHT);
            store_at(result, at, z);
            l->row_dot[c->texel[t].row] += (double)v3_dot(load_at(r, at), z);
        }
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
    for (int k = 0; k < row->count; k++) {
        block inverse = own_inverse(args, view, coupling_panel(row, k), row->texels[k]);
        give = coupling_give(give, inverse, row->weights[k]);
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
