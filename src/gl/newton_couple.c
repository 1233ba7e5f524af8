#include "gl/newton_couple.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/newton_state.h"
#include "kernel/coarsest.h"

_Static_assert(ROW_PANELS - ROW_WEIGHTS == COUPLED_CORNERS, "rows of lists are those of shaders");
_Static_assert(sizeof(coupling_aim) == AIM_WORDS * sizeof(float), "shaders read it as floats");

/* A list that is being written. */
typedef struct words {
    uint32_t *at; /* NULL: they are only counted */
    size_t count;
} words;

static void put(words *w, uint32_t word) {
    if (w->at) {
        w->at[w->count] = word;
    }
    w->count++;
}

static void put_float(words *w, float number) {
    uint32_t word;
    memcpy(&word, &number, sizeof word);
    put(w, word);
}

/* A place in the header gets where the list begins that comes next. */
static void begin_list(words *w, int depth, int what) {
    if (w->at) {
        w->at[COUPLED_WORDS * depth + what] = (uint32_t)w->count;
    }
}

static void leave_room(words *w, size_t count) {
    for (size_t i = 0; i < count; i++) {
        put(w, 0);
    }
}

/* On the coarsest level of its part. */
static int unknown_of(const system_panel *own, uint32_t texel) {
    const size_t at = texel - own->first - grid_index(&own->grid, 0, 0);
    const size_t stride = (size_t)own->grid.stride;
    return coarsest_unknown(own->unknown, own->grid.columns, (int)(at % stride),
                            (int)(at / stride));
}

static void put_row(words *w, const equations *e, const system_level *l, const coupling_row *row) {
    for (int k = 0; k < COUPLED_CORNERS; k++) {
        put(w, row->texels[k]);
    }
    for (int k = 0; k < COUPLED_CORNERS; k++) {
        put_float(w, row->weights[k]);
    }
    put(w, (uint32_t)row->panels[0]);
    put(w, (uint32_t)row->panels[1]);
    for (int k = 0; k < COUPLED_CORNERS; k++) {
        const system_panel *own = &l->panels[coupling_panel(row, k)];
        put(w, own->last && k < row->count ? (uint32_t)unknown_of(own, row->texels[k]) : 0);
    }
    put(w, (uint32_t)e->part_of[row->panels[0]]);
    put(w, (uint32_t)row->count);
    put(w, (uint32_t)row->first);
}

static void put_touched(words *w, const system_level *l, int depth) {
    const coupling_level *c = &l->couplings;
    begin_list(w, depth, COUPLED_TEXEL);
    for (int t = 0; t <= c->touched && c->texel; t++) {
        put(w, c->texel[t].texel);
        put(w, t < c->touched ? (uint32_t)l->row[c->texel[t].row].panel : 0);
        put(w, (uint32_t)c->texel[t].first);
    }
    begin_list(w, depth, COUPLED_ENTRY);
    for (int i = 0; c->texel && i < c->texel[c->touched].first; i++) {
        put(w, (uint32_t)c->entry[i].row);
        put_float(w, c->entry[i].weight);
        put_float(w, c->entry[i].share);
    }
}

static void put_finer(words *w, const coupling_level *c, int depth) {
    begin_list(w, depth, COUPLED_FINER);
    for (int i = 0; c->finer && i < c->first_finer[c->rows]; i++) {
        put(w, (uint32_t)c->finer[i]);
    }
    begin_list(w, depth, COUPLED_FIRST_FINER);
    for (int r = 0; c->finer && r <= c->rows; r++) {
        put(w, (uint32_t)c->first_finer[r]);
    }
}

static void put_level(words *w, const equations *e, int depth) {
    const system_level *l = &e->level[depth];
    const coupling_level *c = &l->couplings;
    if (w->at) {
        w->at[COUPLED_WORDS * depth + COUPLED_ROWS] = (uint32_t)c->rows;
        w->at[COUPLED_WORDS * depth + COUPLED_TOUCHED] = (uint32_t)c->touched;
    }
    begin_list(w, depth, COUPLED_ROW);
    for (int r = 0; r < c->rows; r++) {
        put_row(w, e, l, &c->row[r]);
    }
    put_touched(w, l, depth);
    put_finer(w, c, depth);
    begin_list(w, depth, COUPLED_STIFFNESS);
    leave_room(w, STIFFNESS_WORDS * (size_t)c->rows);
    begin_list(w, depth, COUPLED_PULL);
    leave_room(w, PULL_WORDS * (size_t)c->rows);
    begin_list(w, depth, COUPLED_WAY);
    leave_room(w, WAY_WORDS * (size_t)c->touched);
}

static size_t put_all(const equations *e, uint32_t *at) {
    words w = {.at = at, .count = (size_t)COUPLED_WORDS * (size_t)e->levels};
    for (int depth = 0; depth < e->levels; depth++) {
        put_level(&w, e, depth);
    }
    return w.count;
}

toile_result gl_couplings_make(const machine *m, gl_newton *n) {
    const size_t count = put_all(&n->equations, NULL);
    uint32_t *list = memory_alloc(count, sizeof *list, "a world");
    if (!list) {
        return TOILE_ERROR_MEMORY;
    }
    put_all(&n->equations, list);
    toile_result result = gl_make_buffer(m, &n->couplings, count * sizeof *list, list);
    free(list);
    return result;
}

toile_result gl_couplings_mark(const gl_newton *n, int depth, int number) {
    const system_level *l = &n->equations.level[depth];
    const grid layout = {.size = l->size};
    float *numbers = memory_alloc(l->size, sizeof *numbers, "a world");
    if (!numbers) {
        return TOILE_ERROR_MEMORY;
    }
    for (int t = 0; t < l->couplings.touched; t++) {
        numbers[l->couplings.texel[t].texel] = (float)(t + 1);
    }
    gl_write_plane(n->planes[depth], &layout, number, numbers);
    free(numbers);
    return TOILE_OK;
}

toile_result gl_couplings_aim(device_context *gl, const step_plan *plan) {
    const size_t rows = (size_t)gl->newton.equations.level[0].couplings.rows;
    const size_t bytes = (size_t)plan->substeps * rows * sizeof(coupling_aim);
    if (rows == 0) {
        return TOILE_OK;
    }
    coupling_aim *aims = gl_stage(gl, bytes);
    for (int s = 0; aims && s < plan->substeps; s++) {
        newton_aim(aims + (size_t)s * rows, plan, s);
    }
    return aims ? gl_fill(gl->machine, &gl->newton.aims, bytes, aims) : TOILE_ERROR_MEMORY;
}
