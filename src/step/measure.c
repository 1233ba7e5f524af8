/* What a drape is judged by: the parts of gauge.h, cut into tasks that do not depend on the number
 * of threads. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "step/gauge.h"
#include "step/world.h"

/* Of a task: some ten microseconds. */
enum { TASK_LEAVES = 64, TASK_ROWS = 16, TASK_SQUARES = 4, TASKS_PER_THREAD = 8 };

/* ---- tasks --------------------------------------------------------------------------------------
 */

static toile_result add_task(measuring *m, const measure_task *t) {
    measure_task *tasks = memory_grow(m->tasks, m->task_count, &m->task_capacity, sizeof *tasks,
                                      "tasks of measuring");
    if (!tasks) {
        return TOILE_ERROR_MEMORY;
    }
    m->tasks = tasks;
    tasks[m->task_count++] = *t;
    return TOILE_OK;
}

/* Tasks of at most `length` for 0 to `end`. */
static toile_result add_tasks(measuring *m, measure_task t, uint32_t end, uint32_t length) {
    toile_result result = TOILE_OK;
    for (uint32_t first = 0; first < end && result == TOILE_OK; first += length) {
        t.first = first;
        t.end = end - first < length ? end : first + length;
        result = add_task(m, &t);
    }
    return result;
}

typedef struct running {
    const toile_world *world;
    atomic_size_t next; /* task that nobody has taken */
    atomic_bool stopped;
} running;

static void take_tasks(void *argument, int member, int members) {
    running *r = argument;
    measuring *m = r->world->measuring;
    const toile_world_def *def = &r->world->def;
    (void)members;
    for (size_t i; (i = atomic_fetch_add(&r->next, 1)) < m->task_count && !r->stopped;) {
        if (member == 0 && def->stop && def->stop(def->stop_user)) {
            r->stopped = true; /* tasks are short: those of others end soon */
        } else {
            m->tasks[i].run(r->world, &m->tasks[i]);
        }
    }
}

/* Threads are woken only where there is something for them to do. */
static toile_result run_tasks(const toile_world *w) {
    running r = {.world = w};
    size_t useful = w->measuring->task_count / TASKS_PER_THREAD + 1;
    int most = team_size(w->team);
    team_run(w->team, useful < (size_t)most ? (int)useful : most, take_tasks, &r);
    return r.stopped ? error_set(TOILE_ERROR_STOPPED, "measuring at %.6g s was stopped", w->time)
                     : TOILE_OK;
}

/* ---- first: boxes and strains -------------------------------------------------------------------
 */

static void fit_leaves(const toile_world *w, measure_task *t) {
    (void)w;
    tree_fit_leaves(&t->cloth->gauge.tree, t->first, t->end);
}

static void fit_flatness(const toile_world *w, measure_task *t) {
    (void)w;
    flatness_fit_rows(&t->cloth->gauge.flatness, t->first, t->end);
}

static void find_strains(const toile_world *w, measure_task *t) {
    (void)w;
    t->sum = strain_rows(t->cloth, t->first, t->end, &t->pinned);
}

static bool needs_boxes(unsigned what) {
    return what & (TOILE_MEASURE_PENETRATION | TOILE_MEASURE_INTERSECTIONS);
}

static toile_result list_first(measuring *m, unsigned what) {
    toile_result result = TOILE_OK;
    m->task_count = 0;
    for (uint32_t i = 0; i < m->cloth_count && result == TOILE_OK; i++) {
        measure_task t = {.cloth = m->cloths[i], .index = i};
        if (needs_boxes(what)) {
            t.run = fit_leaves;
            result = add_tasks(m, t, t.cloth->gauge.tree.leaf_count, TASK_LEAVES);
        }
        if (result == TOILE_OK && (what & TOILE_MEASURE_INTERSECTIONS)) {
            t.run = fit_flatness;
            result = add_tasks(m, t, t.cloth->gauge.flatness.levels[0].rows, TASK_SQUARES);
        }
        if (result == TOILE_OK && (what & TOILE_MEASURE_STRAIN)) {
            t.run = find_strains;
            result = add_tasks(m, t, (uint32_t)t.cloth->grid.rows, TASK_ROWS);
        }
    }
    return result;
}

/* ---- second: what takes boxes and strains -------------------------------------------------------
 */

static void rank_strains(const toile_world *w, measure_task *t) {
    (void)w;
    const gauge *g = &t->cloth->gauge;
    t->strain = strain_ranks(g->strains, g->row_strains[t->cloth->grid.rows], g->picked);
}

static void find_penetration(const toile_world *w, measure_task *t) {
    penetration_measure(w->measuring, t->cloth, &t->cloth->gauge.tree.nodes[t->first],
                        &t->penetration);
}

static void count_crossings(const toile_world *w, measure_task *t) {
    tree_pairs *c = &w->measuring->crossings;
    count_task_cuts(c, &c->tasks[t->first]);
}

/* A task for each subtree that is small enough. */
static toile_result list_penetration(measuring *m, measure_task t, const tree_node *n) {
    if (n->leaves <= TASK_LEAVES) {
        t.first = (uint32_t)(n - t.cloth->gauge.tree.nodes);
        return add_task(m, &t);
    }
    toile_result result = list_penetration(m, t, tree_first_child(n));
    return result == TOILE_OK ? list_penetration(m, t, tree_second_child(n)) : result;
}

static toile_result list_crossings(measuring *m) {
    toile_result result = tree_pairs_list(&m->crossings, m->trees, m->cloth_count);
    return result == TOILE_OK ? add_tasks(m, (measure_task){.run = count_crossings},
                                          (uint32_t)m->crossings.task_count, 1)
                              : result;
}

static toile_result list_second(measuring *m, unsigned what) {
    toile_result result = TOILE_OK;
    m->task_count = 0;
    for (uint32_t i = 0; i < m->cloth_count && result == TOILE_OK; i++) {
        measure_task t = {.cloth = m->cloths[i], .index = i};
        if (needs_boxes(what)) {
            tree_fit_nodes(&t.cloth->gauge.tree);
        }
        if (what & TOILE_MEASURE_INTERSECTIONS) {
            flatness_fit(&t.cloth->gauge.flatness);
        }
        if (what & TOILE_MEASURE_STRAIN) {
            t.run = rank_strains;
            result = add_task(m, &t);
        }
        if (result == TOILE_OK && (what & TOILE_MEASURE_PENETRATION) && m->body_count > 0) {
            t.run = find_penetration;
            result = list_penetration(m, t, t.cloth->gauge.tree.nodes);
        }
    }
    m->crossings.task_count = 0;
    return result == TOILE_OK && (what & TOILE_MEASURE_INTERSECTIONS) ? list_crossings(m) : result;
}

/* ---- before: what there is to measure -----------------------------------------------------------
 */

/* Room for so many cloths; the arrays are empty. */
static toile_result make_room(measuring *m, size_t cloths) {
    if (cloths <= m->cloth_capacity) {
        return TOILE_OK;
    }
    free(m->cloths);
    free(m->trees);
    free(m->metrics);
    m->cloth_capacity = 0;
    m->cloths = memory_alloc(cloths, sizeof *m->cloths, "measuring");
    m->trees = memory_alloc(cloths, sizeof *m->trees, "measuring");
    m->metrics = memory_alloc(cloths, sizeof *m->metrics, "measuring");
    if (!m->cloths || !m->trees || !m->metrics) {
        return TOILE_ERROR_MEMORY;
    }
    m->cloth_capacity = cloths;
    return TOILE_OK;
}

static toile_result make_strain_room(measuring *m) {
    if (m->strain_count > m->strain_capacity) {
        free(m->strains);
        free(m->picked);
        m->strain_capacity = 0;
        m->strains = memory_alloc(m->strain_count, sizeof *m->strains, "measuring");
        m->picked = memory_alloc(m->strain_count, sizeof *m->picked, "measuring");
        if (!m->strains || !m->picked) {
            return TOILE_ERROR_MEMORY;
        }
        m->strain_capacity = m->strain_count;
    }
    size_t at = 0;
    for (uint32_t i = 0; i < m->cloth_count; i++) {
        gauge *g = &m->cloths[i]->gauge;
        g->strains = m->strains + at;
        g->picked = m->picked + at;
        at += g->row_strains[m->cloths[i]->grid.rows];
    }
    return TOILE_OK;
}

static toile_result choose_cloths(const toile_world *w, const cloth *only) {
    measuring *m = w->measuring;
    m->cloth_count = 0;
    m->strain_count = 0;
    toile_result result = make_room(m, w->cloths.count);
    for (size_t i = 0; i < w->cloths.count && result == TOILE_OK; i++) {
        cloth *c = world_cloth(w, i);
        if (c && (!only || c == only)) {
            result = gauge_create(c);
            if (result == TOILE_OK) {
                gauge_choose(w, c);
            }
            m->cloths[m->cloth_count] = c;
            m->trees[m->cloth_count] = &c->gauge.tree;
            m->metrics[m->cloth_count++] = (toile_metrics){0};
            m->strain_count += result == TOILE_OK ? c->gauge.row_strains[c->grid.rows] : 0;
        }
    }
    return result == TOILE_OK ? make_strain_room(m) : result;
}

static v3 axis_of(const pose *p, int axis) {
    double in[3] = {0.0, 0.0, 0.0}, out[3];
    in[axis] = 1.0;
    quat_rotate(p->rotation, in, out);
    return v3_make((float)out[0], (float)out[1], (float)out[2]);
}

static toile_result place_bodies(const toile_world *w) {
    measuring *m = w->measuring;
    m->body_count = 0;
    for (size_t i = 0; i < w->bodies.count; i++) {
        const world_body *b = world_body_at(w, i);
        if (!b) {
            continue;
        }
        body_frame *bodies = memory_grow(m->bodies, m->body_count, &m->body_capacity,
                                         sizeof *bodies, "bodies to measure");
        if (!bodies) {
            return TOILE_ERROR_MEMORY;
        }
        m->bodies = bodies;
        pose p = body_shape_pose(&b->body, &b->body.now);
        bodies[m->body_count++] = (body_frame){
            .body = &b->body,
            .id = {(uint32_t)i + 1, b->slot.generation},
            .center = v3_make((float)p.position[0], (float)p.position[1], (float)p.position[2]),
            .axes = {axis_of(&p, 0), axis_of(&p, 1), axis_of(&p, 2)}};
    }
    return TOILE_OK;
}

/* ---- after: what was found ----------------------------------------------------------------------
 */

static void gather_first(measuring *m) {
    for (size_t i = 0; i < m->task_count; i++) {
        const measure_task *t = &m->tasks[i];
        toile_strain *strain = &m->metrics[t->index].strain;
        strain->mean += t->sum;
        strain->pinned = fmax(strain->pinned, t->pinned);
    }
}

static void gather_crossings(measuring *m) {
    m->work = 0;
    for (size_t i = 0; i < m->crossings.task_count; i++) {
        const tree_task *t = &m->crossings.tasks[i];
        m->work += t->work;
        if (t->first == t->second) {
            m->metrics[t->first].self_intersections += t->found;
        } else {
            m->metrics[t->first].cloth_intersections += t->found;
            m->metrics[t->second].cloth_intersections += t->found;
        }
    }
}

/* Of all that is known of strains, but for the sum and what is pinned. */
static void take_ranks(toile_strain *out, const toile_strain *ranks) {
    out->p99 = ranks->p99;
    out->p999 = ranks->p999;
    out->max = ranks->max;
}

static void gather_second(measuring *m) {
    for (size_t i = 0; i < m->task_count; i++) {
        const measure_task *t = &m->tasks[i];
        toile_metrics *out = &m->metrics[t->index];
        if (t->run == rank_strains) {
            take_ranks(&out->strain, &t->strain);
        }
        penetration_add(&out->penetration, &t->penetration);
    }
    gather_crossings(m);
}

static void add_metrics(toile_metrics *all, const toile_metrics *m) {
    all->strain.mean += m->strain.mean; /* the sums */
    all->strain.pinned = fmax(all->strain.pinned, m->strain.pinned);
    penetration_add(&all->penetration, &m->penetration);
    all->self_intersections += m->self_intersections;
    all->cloth_intersections += m->cloth_intersections;
    all->kinetic_energy += m->kinetic_energy;
    all->elastic_energy += m->elastic_energy;
    all->potential_energy += m->potential_energy;
    for (int k = 0; k < 3; k++) {
        all->momentum[k] += m->momentum[k];
    }
    all->lowest = fmin(all->lowest, m->lowest);
    all->highest = fmax(all->highest, m->highest);
    all->area += m->area;
}

/* Of all cloths together. A pair of two cloths has been counted with both. */
static void sum_up(const measuring *m, unsigned what, toile_metrics *all) {
    if (m->cloth_count == 0) {
        *all = (toile_metrics){0};
        return;
    }
    *all = m->metrics[0];
    for (uint32_t i = 1; i < m->cloth_count; i++) {
        add_metrics(all, &m->metrics[i]);
    }
    all->cloth_intersections /= 2;
    all->self_intersections += all->cloth_intersections;
    if (m->cloth_count > 1 && (what & TOILE_MEASURE_STRAIN)) {
        toile_strain ranks = strain_ranks(m->strains, m->strain_count, m->picked);
        take_ranks(&all->strain, &ranks);
    }
    all->strain.mean = m->strain_count > 0 ? all->strain.mean / (double)m->strain_count : 0.0;
}

static void hand_out(const measuring *m, toile_metrics *each) {
    for (uint32_t i = 0; i < m->cloth_count; i++) {
        size_t strains = m->cloths[i]->gauge.row_strains[m->cloths[i]->grid.rows];
        each[i] = m->metrics[i];
        each[i].strain.mean = strains > 0 ? each[i].strain.mean / (double)strains : 0.0;
    }
}

/* ---- all of it ----------------------------------------------------------------------------------
 */

static toile_result measure(const toile_world *w, unsigned what, const cloth *only) {
    measuring *m = w->measuring;
    toile_result result = choose_cloths(w, only);
    if (result == TOILE_OK) {
        result = place_bodies(w);
    }
    if (result != TOILE_OK) {
        return result;
    }
    for (uint32_t i = 0; i < m->cloth_count; i++) {
        gauge_read(w, m->cloths[i]);
        if (what & TOILE_MEASURE_ENERGY) {
            measure_energy(&m->metrics[i], w, m->cloths[i]);
        }
    }
    result = list_first(m, what);
    if (result == TOILE_OK) {
        result = run_tasks(w);
    }
    if (result == TOILE_OK) {
        gather_first(m);
        result = list_second(m, what);
    }
    if (result == TOILE_OK) {
        result = run_tasks(w);
    }
    if (result == TOILE_OK) {
        gather_second(m);
    }
    return result;
}

toile_result toile_world_measure(const toile_world *world, toile_cloth_id id, toile_metrics *out) {
    TOILE_ASSERT(world && out);
    const cloth *only = id.slot ? slots_get(&world->cloths, id.slot, id.generation) : NULL;
    toile_result result = measure(world, TOILE_MEASURE_ALL, only);
    if (result == TOILE_OK) {
        sum_up(world->measuring, TOILE_MEASURE_ALL, out);
    }
    return result;
}

toile_result toile_world_measure_cloths(const toile_world *world, unsigned what, toile_metrics *all,
                                        toile_metrics *each, int count) {
    TOILE_ASSERT(world && (each || count == 0));
    int cloths = slots_list(&world->cloths, NULL, 0);
    if (each && count != cloths) {
        return error_set(TOILE_ERROR_INVALID, "count is %d: expected %d cloths", count, cloths);
    }
    toile_result result = measure(world, what, NULL);
    if (result == TOILE_OK && all) {
        sum_up(world->measuring, what, all);
    }
    if (result == TOILE_OK && each) {
        hand_out(world->measuring, each);
    }
    return result;
}

toile_result toile_cloth_get_strain(const toile_world *world, toile_cloth_id id,
                                    toile_strain *out) {
    TOILE_ASSERT(world && out);
    const cloth *only = slots_get(&world->cloths, id.slot, id.generation);
    toile_metrics metrics;
    toile_result result = measure(world, TOILE_MEASURE_STRAIN, only);
    if (result == TOILE_OK) {
        sum_up(world->measuring, TOILE_MEASURE_STRAIN, &metrics);
        *out = metrics.strain;
    }
    return result;
}
