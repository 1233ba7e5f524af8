#include "device/newton_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef enum plane_place { PLACE_ALL, PLACE_FINEST, PLACE_COARSE } plane_place;

static const char *const WHAT = "the equations of a world";

/* Rows that a thread needs room for: 4 of 30 planes while matrices get coarser. */
enum { SCRATCH_ROWS = 120 };

static bool has_plane(plane_place place, int depth) {
    return place == PLACE_ALL || (place == PLACE_FINEST) == (depth == 0);
}

static int count_planes(int depth) {
    int count = 0;
#define X(name, planes, where, unit, meaning) count += has_plane(PLACE_##where, depth) ? planes : 0;
    EQUATION_PLANES(X)
#undef X
    return count;
}

static void place_planes(newton_level *l, int depth, float *memory) {
    const size_t size = l->table->size;
#define X(name, planes, where, unit, meaning)                                                      \
    for (int p = 0; has_plane(PLACE_##where, depth) && p < (planes); p++, memory += size) {        \
        l->plane[EQ_##name + p] = memory;                                                          \
    }
    EQUATION_PLANES(X)
#undef X
}

static toile_result level_create(newton_state *s, int depth) {
    newton_level *l = &s->level[depth];
    l->table = &s->equations.level[depth];
    size_t floats = (size_t)count_planes(depth) * l->table->size, rows = (size_t)l->table->rows;
    float *memory = memory_alloc(floats, sizeof *memory, WHAT);
    l->plane[0] = memory;
    l->row_dot = memory_alloc(rows, sizeof *l->row_dot, WHAT);
    l->row_motion = memory_alloc(rows, sizeof *l->row_motion, WHAT);
    l->row_moved = memory_alloc(rows, sizeof *l->row_moved, WHAT);
    l->row_inertia = memory_alloc(rows, sizeof *l->row_inertia, WHAT);
    l->row_sums = depth == 0 ? memory_alloc(SUMS * rows, sizeof *l->row_sums, WHAT) : NULL;
    if (!memory || !l->row_dot || !l->row_motion || !l->row_moved || !l->row_inertia ||
        (depth == 0 && !l->row_sums)) {
        return TOILE_ERROR_MEMORY;
    }
    s->bytes += floats * sizeof *memory + rows * (sizeof *l->row_dot + sizeof *l->row_moved);
    place_planes(l, depth, memory);
    return TOILE_OK;
}

/* Room for the factors of the coarsest matrices. */
static toile_result factors_create(newton_state *s) {
    const equations *e = &s->equations;
    s->first = memory_alloc((size_t)e->parts, sizeof *s->first, WHAT);
    size_t count = 0;
    for (int part = 0; s->first && part < e->parts; part++) {
        const size_t unknowns = (size_t)e->part[part].unknowns;
        s->first[part] = count;
        count += unknowns * (unknowns + 1);
    }
    s->factors = memory_alloc(count, sizeof *s->factors, WHAT);
    s->bytes += count * sizeof *s->factors;
    return s->first && s->factors ? TOILE_OK : TOILE_ERROR_MEMORY;
}

static toile_result couplings_make_room(newton_state *s) {
    bool made = true;
    for (int depth = 0; depth < s->equations.levels; depth++) {
        newton_level *l = &s->level[depth];
        const size_t rows = (size_t)l->table->couplings.rows;
        const size_t touched = (size_t)l->table->couplings.touched;
        l->stiffness = memory_alloc(rows, sizeof *l->stiffness, WHAT);
        l->way = memory_alloc(touched, sizeof *l->way, WHAT);
        made &= l->stiffness && l->way;
        s->bytes += rows * sizeof *l->stiffness + touched * sizeof *l->way;
    }
    const size_t rows = (size_t)s->equations.level[0].couplings.rows;
    s->aims = memory_alloc(rows, sizeof *s->aims, WHAT);
    s->pulls = memory_alloc(rows * (size_t)s->threads, sizeof *s->pulls, WHAT);
    s->bytes += rows * (sizeof *s->aims + (size_t)s->threads * sizeof *s->pulls);
    return made && s->aims && s->pulls ? TOILE_OK : TOILE_ERROR_MEMORY;
}

toile_result newton_state_create(newton_state *s, const system_base *bases, int panels,
                                 const coupling_base *couplings, int coupling_count, int threads) {
    *s = (newton_state){.threads = threads};
    toile_result result = equations_create(&s->equations, bases, panels, couplings, coupling_count);
    for (int depth = 0; depth < s->equations.levels && result == TOILE_OK; depth++) {
        result = level_create(s, depth);
    }
    if (result == TOILE_OK) {
        result = factors_create(s);
    }
    if (result == TOILE_OK) {
        result = couplings_make_room(s);
    }
    if (result == TOILE_OK) {
        s->scratch_row = ((size_t)s->equations.level[0].widest / GRID_LINE + 3) * GRID_LINE;
        size_t parts = (size_t)s->equations.parts * (size_t)threads;
        s->scratch_size = SCRATCH_ROWS * s->scratch_row;
        s->scratch = memory_alloc(s->scratch_size * (size_t)threads, sizeof *s->scratch, WHAT);
        s->parts = memory_alloc(parts, sizeof *s->parts, WHAT);
        s->lead = memory_alloc((size_t)s->equations.parts, sizeof *s->lead, WHAT);
        s->next_part = memory_alloc((size_t)s->equations.parts, sizeof *s->next_part, WHAT);
        s->bytes += s->scratch_size * (size_t)threads * sizeof *s->scratch + s->equations.bytes;
        result = s->scratch && s->parts && s->lead && s->next_part ? TOILE_OK : TOILE_ERROR_MEMORY;
    }
    if (result != TOILE_OK) {
        newton_state_free(s);
    }
    return result;
}

void newton_part_islands(newton_state *s) {
    s->islands = s->equations.parts;
    for (int p = 0; p < s->equations.parts; p++) {
        s->lead[p] = p;
    }
}

/* The first part of an island, while others lead to it by way of further ones. */
static int root_of(const newton_state *s, int part) {
    while (s->lead[part] != part) {
        part = s->lead[part];
    }
    return part;
}

void newton_join_islands(newton_state *s, int one, int other) {
    const int a = root_of(s, one), b = root_of(s, other);
    s->lead[a > b ? a : b] = a > b ? b : a;
    s->islands -= a != b;
}

void newton_list_islands(newton_state *s) {
    for (int p = 0; p < s->equations.parts; p++) {
        s->next_part[p] = NO_PART;
    }
    for (int p = s->equations.parts; p-- > 0;) {
        const int first = root_of(s, p);
        s->lead[p] = first;
        if (p != first) {
            s->next_part[p] = s->next_part[first];
            s->next_part[first] = p;
        }
    }
}

static v3 aim_at(const plan_pin *pin, const pose *at, uint32_t texel, double time) {
    double place[3];
    plan_pin_place(pin, at, texel, time, place);
    return v3_make((float)place[0], (float)place[1], (float)place[2]);
}

void newton_aim(coupling_aim *aims, const step_plan *plan, int substep) {
    const double time = (substep + 1) / (double)plan->substeps;
    const double now = plan->time + (double)plan->moment * substep;
    for (int c = 0; c < plan->coupling_count; c++) {
        const plan_coupling *own = &plan->couplings[c];
        const pose at = pose_lerp(&own->pin.start, &own->pin.end, time);
        for (int i = 0; i < own->count; i++) {
            coupling_aim *aim = &aims[own->first + i];
            *aim = (coupling_aim){.along = own->along,
                                  .stiffness = now < own->until ? own->stiffness : -1.0f};
            if (own->pin.count > 0) {
                aim->place = aim_at(&own->pin, &at, (uint32_t)i, time);
            }
        }
    }
}

void newton_state_forget(newton_state *s) {
    for (int depth = 0; depth < s->equations.levels; depth++) {
        const newton_level *l = &s->level[depth];
        size_t floats = (size_t)count_planes(depth) * l->table->size;
        memset(l->plane[0], 0, floats * sizeof(float));
    }
}

void newton_state_free(newton_state *s) {
    for (int depth = 0; depth < SYSTEM_LEVELS; depth++) {
        free(s->level[depth].plane[0]);
        free(s->level[depth].row_dot);
        free(s->level[depth].row_motion);
        free(s->level[depth].row_moved);
        free(s->level[depth].row_sums);
        free(s->level[depth].row_inertia);
        free(s->level[depth].stiffness);
        free(s->level[depth].way);
    }
    free(s->factors);
    free(s->first);
    free(s->parts);
    free(s->lead);
    free(s->next_part);
    free(s->aims);
    free(s->pulls);
    free(s->scratch);
    equations_free(&s->equations);
    *s = (newton_state){0};
}
