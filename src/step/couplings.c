/* What ties and soft pins are to the implicit solver: couplings of the equations. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "step/world.h"

static const float STIFFEST = 1e9f;

toile_result couplings_check(const toile_world *w, const char *what) {
    if (w->def.solver.kind != TOILE_SOLVER_IMPLICIT) {
        return error_set(TOILE_ERROR_INVALID,
                         "%s: only the implicit solver has them: expected solver \"implicit\"",
                         what);
    }
    if (!w->device->couples && w->device != &null_device) {
        return error_set(
            TOILE_ERROR_INVALID,
            "%s: device \"%s\" does not have them yet: expected device \"cpu\" or \"gl\"", what,
            w->device->name);
    }
    return TOILE_OK;
}

toile_result coupling_check_numbers(const char *what, float stiffness, const float along[3],
                                    float unit[3]) {
    if (!(stiffness >= 0.0f && stiffness <= STIFFEST)) {
        return error_set(TOILE_ERROR_INVALID, "%s stiffness is %g: expected 0 to %g N/m", what,
                         (double)stiffness, (double)STIFFEST);
    }
    double squared = 0.0;
    for (int k = 0; k < 3; k++) {
        squared += (double)along[k] * (double)along[k];
    }
    if (!isfinite(squared)) {
        return error_set(TOILE_ERROR_INVALID,
                         "%s along is (%g, %g, %g): expected a direction, or 0, 0, 0 for all", what,
                         (double)along[0], (double)along[1], (double)along[2]);
    }
    for (int k = 0; k < 3; k++) {
        unit[k] = squared > 0.0 ? (float)((double)along[k] / sqrt(squared)) : 0.0f;
    }
    return TOILE_OK;
}

static bool is_soft(const pin *p) {
    return p && p->stiffness > 0.0f;
}

/* How many ties and soft pins there are, and their springs. */
static int count_springs(const toile_world *w, int *groups) {
    int count = 0;
    *groups = 0;
    for (size_t i = 0; i < w->ties.count; i++) {
        const tie *t = world_tie(w, i);
        *groups += t ? tie_groups(t) : 0;
        count += t ? tie_rows(t) : 0;
    }
    for (size_t i = 0; i < w->pins.count; i++) {
        const pin *p = world_pin(w, i);
        *groups += is_soft(p);
        count += is_soft(p) ? (int)p->count : 0;
    }
    return count;
}

/* A texel is the corner of a cell that lies within the grid. */
static coupling_base texel_row(const toile_world *w, const pin *p, uint32_t t) {
    const grid *g = &world_cloth(w, p->cloth)->grid;
    const int column = (int)(p->texels[t] % (uint32_t)g->columns);
    const int row = (int)(p->texels[t] / (uint32_t)g->columns);
    const int right = column == g->columns - 1, top = row == g->rows - 1;
    coupling_base base = {
        .ends = {{.panel = plan_index(w, p->cloth), .column = column - right, .row = row - top},
                 {.panel = NO_PANEL}}};
    base.ends[0].weights[right + 2 * top] = 1.0f;
    return base;
}

static coupling_base *list_tie(const toile_world *w, const tie *t, coupling_base *out) {
    for (int i = 0; i < tie_rows(t); i++, out++) {
        *out = t->rows[i];
        for (int e = 0; e < 2; e++) {
            out->ends[e].panel = plan_index(w, (size_t)out->ends[e].panel);
        }
    }
    return out;
}

toile_result couplings_list(toile_world *w, coupling_base **rows, int *count) {
    *count = count_springs(w, &w->plan.coupling_count);
    w->plan.couplings = memory_alloc((size_t)w->plan.coupling_count, sizeof *w->plan.couplings,
                                     "the plan of a step");
    *rows = memory_alloc((size_t)*count, sizeof **rows, "the plan of a step");
    if (!w->plan.couplings || !*rows) {
        return TOILE_ERROR_MEMORY;
    }
    coupling_base *out = *rows;
    for (size_t i = 0; i < w->ties.count; i++) {
        out = world_tie(w, i) ? list_tie(w, world_tie(w, i), out) : out;
    }
    for (size_t i = 0; i < w->pins.count; i++) {
        const pin *p = world_pin(w, i);
        for (uint32_t t = 0; is_soft(p) && t < p->count; t++) {
            *out++ = texel_row(w, p, t);
        }
    }
    return TOILE_OK;
}

static v3 direction(const float along[3]) {
    return v3_make(along[0], along[1], along[2]);
}

static plan_coupling *fill_tie(const tie *t, plan_coupling *out, int first) {
    const v3 along = direction(t->along);
    *out++ = (plan_coupling){first, t->count, t->stiffness, along, t->until, {.count = 0}};
    if (t->bend > 0.0f) {
        first += t->count;
        *out++ = (plan_coupling){first, t->count, t->bend, along, t->until, {.count = 0}};
    }
    return out;
}

void couplings_fill(toile_world *w) {
    plan_coupling *out = w->plan.couplings;
    const double end = w->time + (double)w->plan.span;
    int first = 0;
    for (size_t i = 0; i < w->ties.count; i++) {
        const tie *t = world_tie(w, i);
        if (t) {
            out = fill_tie(t, out, first);
            first += tie_rows(t);
        }
    }
    for (size_t i = 0; i < w->pins.count; i++) {
        pin *p = world_pin(w, i);
        if (is_soft(p)) {
            const plan_pin pinned = plan_pin_of(w, p, end);
            *out++ = (plan_coupling){first,    (int)p->count, p->stiffness, direction(p->along),
                                     INFINITY, pinned};
            first += (int)p->count;
        }
    }
}
