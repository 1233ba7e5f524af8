#include "io/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

_Static_assert(sizeof(toile_metrics) == 29 * 8, "a checkpoint has the metrics as they are");
_Static_assert(sizeof(history_total) % 8 == 0 && sizeof(cloth_history) % 8 == 0, "likewise");

toile_result history_create(history *h, size_t cloths) {
    *h = (history){.cloth_count = cloths, .total.energy_frame = UINT64_MAX};
    h->cloths = memory_alloc(cloths, sizeof *h->cloths, "the worst frames of cloths");
    return h->cloths ? TOILE_OK : TOILE_ERROR_MEMORY;
}

void history_free(history *h) {
    free(h->cloths);
    *h = (history){0};
}

static void keep_worst(worst_frame *w, double value, uint32_t frame) {
    if (value > w->value) {
        *w = (worst_frame){value, frame};
    }
}

/* untangling: what crosses is not held against the frame. */
static void note_cloth(cloth_history *h, const toile_metrics *m, bool untangling, uint32_t frame) {
    const double values[MEASURE_COUNT] = {
        [MEASURE_STRAIN_P999] = m->strain.p999,
        [MEASURE_STRAIN_MAX] = m->strain.max,
        [MEASURE_STRAIN_PINNED] = m->strain.pinned,
        [MEASURE_DEPTH] = m->penetration.max_depth_m,
        [MEASURE_CROSSING_DEPTH] = m->penetration.crossing_depth_m,
        [MEASURE_SELF] = untangling ? 0.0 : (double)m->self_intersections,
        [MEASURE_OTHERS] = untangling ? 0.0 : (double)m->cloth_intersections,
        [MEASURE_CROSSINGS] = (double)m->penetration.crossings,
        [MEASURE_CAUGHT] = (double)m->penetration.caught,
    };
    h->last = *m;
    if (values[MEASURE_DEPTH] > h->worst[MEASURE_DEPTH].value) {
        h->deepest = m->penetration.deepest;
    }
    if (values[MEASURE_CROSSING_DEPTH] > h->worst[MEASURE_CROSSING_DEPTH].value) {
        h->farthest = m->penetration.farthest;
    }
    for (int k = 0; k < MEASURE_COUNT; k++) {
        keep_worst(&h->worst[k], values[k], frame);
    }
}

static toile_result measure(const history *h, const toile_world *world, unsigned what,
                            toile_metrics *all, toile_metrics **each) {
    *each = memory_alloc(h->cloth_count, sizeof **each, "metrics");
    toile_result result =
        *each ? toile_world_measure_cloths(world, what, all, *each, (int)h->cloth_count)
              : TOILE_ERROR_MEMORY;
    if (result != TOILE_OK) {
        free(*each);
    }
    return result;
}

toile_result history_measure(history *h, const toile_world *world, uint32_t frame) {
    toile_metrics all, *each;
    toile_result result = measure(
        h, world, TOILE_MEASURE_STRAIN | TOILE_MEASURE_PENETRATION | TOILE_MEASURE_INTERSECTIONS,
        &all, &each);
    if (result == TOILE_OK) {
        h->total.frames++;
        h->total.last_frame = frame;
        h->total.energy_frame = UINT64_MAX;
        h->total.last = all;
        const bool untangling = toile_world_get_solver_info(world).untangling;
        if (!untangling) {
            keep_worst(&h->total.crossings, (double)all.self_intersections, frame);
        }
        keep_worst(&h->total.caught, (double)all.penetration.caught, frame);
        for (size_t c = 0; c < h->cloth_count; c++) {
            note_cloth(&h->cloths[c], &each[c], untangling, frame);
        }
        free(each);
    }
    return result;
}

/* All but what has been measured every frame. */
static void take_energy(toile_metrics *m, const toile_metrics *from) {
    toile_metrics before = *m;
    *m = *from;
    m->strain = before.strain;
    m->penetration = before.penetration;
    m->self_intersections = before.self_intersections;
    m->cloth_intersections = before.cloth_intersections;
}

toile_result history_measure_energy(history *h, const toile_world *world, uint32_t frame) {
    if (h->total.energy_frame == frame) {
        return TOILE_OK;
    }
    toile_metrics all, *each;
    toile_result result = measure(h, world, TOILE_MEASURE_ENERGY, &all, &each);
    if (result == TOILE_OK) {
        h->total.energy_frame = frame;
        take_energy(&h->total.last, &all);
        for (size_t c = 0; c < h->cloth_count; c++) {
            take_energy(&h->cloths[c].last, &each[c]);
        }
        free(each);
    }
    return result;
}

static void keep_most(uint64_t *most, uint64_t found) {
    *most = found > *most ? found : *most;
}

static void note_solve(history_solve *s, const toile_solver_info *info, uint32_t frame) {
    if (info->iterations == 0) {
        return;
    }
    s->frames++;
    s->substeps += (uint64_t)info->substeps;
    s->iterations += (uint64_t)info->iterations;
    s->gradients += (uint64_t)info->gradients;
    s->unconverged += !info->converged;
    keep_worst(&s->most_iterations, (double)info->iterations / info->substeps, frame);
    keep_worst(&s->most_gradients, (double)info->gradients / info->substeps, frame);
    keep_worst(&s->last_move, info->last_move, frame);
}

void history_note_solver(history *h, const toile_solver_info *info, uint32_t frame) {
    history_total *t = &h->total;
    note_solve(&t->solve, info, frame);
    keep_most(&t->ambiguous_texels, info->ambiguous_texels);
    keep_most(&t->inside_texels, info->inside_texels);
    keep_most(&t->caught_texels, info->caught_texels);
    t->dropped_contacts = info->dropped_contacts;
    t->substeps = (uint64_t)info->substeps;
    t->levels = (uint64_t)info->levels;
    t->iterations = (uint64_t)info->iterations;
    t->gradients = (uint64_t)info->gradients;
    t->converged = info->converged;
    t->asleep = (uint64_t)info->asleep;
    t->last_move = info->last_move;
    t->stable_substep = info->stable_substep;
    t->true_substep = info->true_substep;
    t->stretch_scale = info->stretch_scale;
    t->shear_scale = info->shear_scale;
    t->bend_scale = info->bend_scale;
    t->stretch_damping = info->stretch_damping;
    t->bend_damping = info->bend_damping;
}

toile_solver_info history_get_solver(const history *h, const toile_world *world) {
    const history_total *t = &h->total;
    toile_solver_info info = toile_world_get_solver_info(world);
    if (t->substeps == 0) { /* no step was made: all that is known is the world's */
        return info;
    }
    info.ambiguous_texels = t->ambiguous_texels;
    info.inside_texels = t->inside_texels;
    info.caught_texels = t->caught_texels;
    info.dropped_contacts = t->dropped_contacts;
    info.substeps = (int)(t->substeps & INT32_MAX);
    info.levels = (int)(t->levels & INT32_MAX);
    info.iterations = (int)(t->iterations & INT32_MAX);
    info.gradients = (int)(t->gradients & INT32_MAX);
    info.converged = t->converged != 0;
    info.asleep = (int)(t->asleep & INT32_MAX);
    info.last_move = t->last_move;
    info.stable_substep = t->stable_substep;
    info.true_substep = t->true_substep;
    info.stretch_scale = t->stretch_scale;
    info.shear_scale = t->shear_scale;
    info.bend_scale = t->bend_scale;
    info.stretch_damping = t->stretch_damping;
    info.bend_damping = t->bend_damping;
    return info;
}

size_t history_size(const history *h) {
    return sizeof h->total + h->cloth_count * sizeof *h->cloths;
}

void history_write(const history *h, void *bytes) {
    memcpy(bytes, &h->total, sizeof h->total);
    memcpy((char *)bytes + sizeof h->total, h->cloths, h->cloth_count * sizeof *h->cloths);
}

void history_read(history *h, const void *bytes) {
    memcpy(&h->total, bytes, sizeof h->total);
    memcpy(h->cloths, (const char *)bytes + sizeof h->total, h->cloth_count * sizeof *h->cloths);
}
