/* Cloth against cloth in Newton's method: what rows of texels gather from contacts (cpu/meet.h). */
#include "cpu/newton_row.h"

/* What kernel/coupled.h loads: rows of a level, and the planes that are multiplied. */
typedef struct coupled_view {
    const meet_level *lists;
    float *const *planes;
} coupled_view;

#define COUPLED      const coupled_view *view,
#define COUPLED_HERE view,

static v3 load_at(float *const planes[3], uint32_t at) {
    return v3_make(planes[0][at], planes[1][at], planes[2][at]);
}

static int load_count(COUPLED int row) {
    return (int)(view->lists->first[row + 1] - view->lists->first[row]);
}

static v3 load_coupled(COUPLED int row, int k) {
    return load_at(view->planes, view->lists->weights[view->lists->first[row] + (uint32_t)k].texel);
}

static float load_row_weight(COUPLED int row, int k) {
    return view->lists->weights[view->lists->first[row] + (uint32_t)k].weight;
}

static v3 load_aim(COUPLED int row) {
    (void)view, (void)row;
    return v3_make(0.0f, 0.0f, 0.0f);
}

static block load_stiffness(COUPLED int row) {
    return view->lists->stiffness[row];
}

static v3 load_pull(COUPLED int row) {
    return view->lists->pulls[row];
}

static int load_entry_row(COUPLED int entry) {
    return (int)view->lists->entry[entry].row;
}

static float load_entry_weight(COUPLED int entry) {
    return view->lists->entry[entry].weight;
}

static float load_entry_share(COUPLED int entry) {
    return view->lists->entry[entry].share;
}

#include "kernel/coupled.h"

/* The touched texels of a row, from the first up to the end. */
typedef struct met_range {
    const meet_texel *first, *end;
} met_range;

static const meet_level *level_of(const newton_args *args) {
    return args->meet ? &args->meet->level[args->depth] : NULL;
}

static met_range met_in(const newton_args *args, const system_row *row) {
    const meet_level *l = level_of(args);
    if (!l || l->rows == 0) {
        return (met_range){NULL, NULL};
    }
    const uint32_t *first = l->first_of_row + (row - args->state->level[args->depth].table->row);
    return (met_range){l->texel + first[0], l->texel + first[1]};
}

void CPU_FN(newton_meet_pull)(const newton_args *args, equation_plane of, int begin, int end) {
    const coupled_view view = {level_of(args), &args->state->level[args->depth].plane[of]};
    for (int r = begin; r < end; r++) {
        view.lists->pulls[r] =
            view.lists->joined[r] ? coupling_pull(&view, r) : v3_make(0.0f, 0.0f, 0.0f);
    }
}

bool CPU_FN(newton_meet_forces)(const newton_args *args, const system_row *row) {
    const met_range texels = met_in(args, row);
    const coupled_view view = {.lists = level_of(args)};
    const rows3 r = rows3_at(&args->state->level[0].plane[EQ_residual], 0);
    for (const meet_texel *t = texels.first; t < texels.end; t++) {
        v3 pull = coupling_gather(&view, (int)t->first, (int)t[1].first);
        rows3_store(r, t->texel, v3_sub(rows3_load(r, t->texel), pull));
    }
    return texels.first < texels.end;
}

block CPU_FN(newton_meet_own)(const newton_args *args, uint32_t texel) {
    const meet_level *l = level_of(args);
    if (!l || l->rows == 0 || l->slot[texel] == 0) {
        return block_zero();
    }
    const coupled_view view = {.lists = l};
    const meet_texel *t = &l->texel[l->slot[texel] - 1];
    return coupling_own(&view, (int)t->first, (int)t[1].first);
}

void CPU_FN(newton_meet_inverses)(const newton_args *args, const system_row *row) {
    const newton_level *l = &args->state->level[args->depth];
    const met_range texels = met_in(args, row);
    const rows6 own = rows6_at(&l->plane[args->depth == 0 ? EQ_own : EQ_block], 0);
    const rows6 inverse = rows6_at(&l->plane[EQ_inverse], 0);
    const float bend = NEWTON_BEND * newton_bend(args, row->panel);
    for (const meet_texel *t = texels.first; t < texels.end; t++) {
        block b = rows6_load(own, t->texel);
        if (args->depth == 0 || b.diagonal.x > 0.0f) {
            b = block_add(block_lift(b, bend), CPU_FN(newton_meet_own)(args, t->texel));
            rows6_store(inverse, t->texel, block_inverse(b));
        }
    }
}

void CPU_FN(newton_meet_product)(const newton_args *args, const system_row *row) {
    const met_range texels = met_in(args, row);
    const rows3 out = scratch3(args, ROW_OUT);
    const coupled_view view = {.lists = level_of(args)};
    for (const meet_texel *t = texels.first; t < texels.end; t++) {
        const ptrdiff_t i = (ptrdiff_t)(t->texel - row->at);
        v3 product = coupling_gather(&view, (int)t->first, (int)t[1].first);
        rows3_store(out, i, v3_add(rows3_load(out, i), product));
    }
}
