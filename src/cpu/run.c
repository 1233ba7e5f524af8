/* Threads over rows. One run of the team does all substeps of a step; a pass waits only where it
 * must. */
#include "cpu/run.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/barrier.h"
#include "base/clock.h"
#include "cpu/between.h"
#include "cpu/edges.h"
#include "kernel/limit.h"

/* Pinned texels get the velocity of their pin. One that is away from it, having been put somewhere
 * else, gets there by the end of the step. */
static void steer_pinned(const step_plan *plan, const plan_pin *pin, cloth_state *s, int substep,
                         int row_begin, int row_end) {
    const double count = plan->substeps, left = plan->substeps - substep,
                 time = (double)plan->moment;
    const pose before = pose_lerp(&pin->start, &pin->end, substep / count);
    const pose after = pose_lerp(&pin->start, &pin->end, (substep + 1) / count);
    for (uint32_t t = 0; t < pin->count; t++) {
        int column = (int)(pin->texels[t] % (uint32_t)s->grid.columns);
        int row = (int)(pin->texels[t] / (uint32_t)s->grid.columns);
        if (row < row_begin || row >= row_end) {
            continue;
        }
        size_t k = grid_index(&s->grid, column, row);
        double from[3], to[3];
        plan_pin_place(pin, &before, t, substep / count, from);
        plan_pin_place(pin, &after, t, (substep + 1) / count, to);
        for (int axis = 0; axis < 3; axis++) {
            double away = from[axis] - (double)s->at.plane[PLANE_x + axis][k];
            s->at.plane[PLANE_vx + axis][k] = (float)((to[axis] - from[axis] + away / left) / time);
        }
    }
}

static bool near_limit(const cloth_params *params, const cloth_state *s) {
    float allowed = limit_nearly(params->longest, params->spacing);
    for (int row = 0; params->limited && row < s->grid.rows; row++) {
        if (!(s->row_stretch[row] <= allowed)) {
            return true;
        }
    }
    return false;
}

/* What the threads of a step share. */
typedef struct run_state {
    device_context *context;
    const pass_table *passes;
    step_plan *plan;
    device_cloth *const *cloths;
    unsigned first_substep; /* number of it */
    self_table *self;
    meet_table *meet;
    const map_set *maps;
    atomic_uint_fast64_t hidden; /* texels in the last substep that no camera can tell of */
    atomic_uint_fast64_t inside; /* texels in the last substep that are brought out of meshes, */
    atomic_uint_fast64_t caught; /* and those that parts of one have caught */
    toile_profile *profile;
    double clock;    /* of thread 0 */
    pass_call timed; /* what time is counted for */
    barrier barrier;
    device_solved solved; /* thread 0 */
    atomic_bool stopped;  /* the caller wants no more; thread 0 */
    bool short_of_memory; /* likewise, what goes on is of no use; thread 0 */
    atomic_int end;       /* substep that is not begun any more. Others look at it before they
                             begin one, behind a wait of the substep in which it was set */
} run_state;

static bool is_of_limit(pass p) {
    return p == PASS_LIMIT || p == PASS_LIMIT_BACK || p == PASS_REST || p == PASS_REST_BACK;
}

/* Does self_rows do it? */
static bool is_of_self(pass p) {
    return p == PASS_SELF_MOVED || p == PASS_SELF_KEY || p == PASS_SELF_LIST ||
           p == PASS_SELF_LOAD || p == PASS_SELF_PUSH || p == PASS_SELF_MEET || p == PASS_SELF_STOP;
}

/* How many rows, pairs of rows, or vertices of the coarse mesh a pass goes over. */
static int unit_count(pass p, const grid *g, const device_cloth *cloth) {
    if (p == PASS_COARSE) {
        return (int)cloth->panel->coarse.vertex_count;
    }
    return p == PASS_RELAX_EVEN  ? (g->rows + 1) / 2
           : p == PASS_RELAX_ODD ? (g->rows - 1) / 2
                                 : g->rows;
}

/* Does this call concern one thread only? Small levels are not worth meeting for. */
static bool is_small(const run_state *run, pass_call call) {
    return call.level > 0 && run->plan->levels[call.level].small;
}

/* The grid that a call is about, NULL if the cloth has none of that level. */
static const grid *grid_of_call(const device_cloth *cloth, pass_call call) {
    if (call.level > 0) {
        return call.level < cloth->hierarchy.count
                   ? &cloth->hierarchy.levels[call.level].table->grid
                   : NULL;
    }
    return &cloth->state.grid;
}

/* A pass over rows that are compared with images of bodies. */
static void run_maps(run_state *run, const pass_args *args, device_cloth *cloth, pass p,
                     bool counts, int begin, int end) {
    uint64_t hidden = 0;
    if (p == PASS_MAPS) {
        hidden = maps_planes(&cloth->implicit, run->maps, args, begin, end);
    } else if (p == PASS_MAPS_RESPOND) {
        hidden = maps_respond(run->maps, args, begin, end);
    } else {
        maps_push_out(run->maps, args, begin, end);
    }
    if (counts && hidden > 0) {
        atomic_fetch_add_explicit(&run->hidden, hidden, memory_order_relaxed);
    }
}

static void run_ccd(run_state *run, const pass_args *args, device_cloth *cloth, bool counts,
                    int begin, int end) {
    ccd_count count = ccd_rows(&cloth->ccd, args, begin, end);
    if (counts && count.inside > 0) {
        atomic_fetch_add_explicit(&run->inside, count.inside, memory_order_relaxed);
    }
    if (counts && count.caught > 0) {
        atomic_fetch_add_explicit(&run->caught, count.caught, memory_order_relaxed);
    }
}

/* One pass over a thread's rows of a cloth. */
static void run_rows(run_state *run, pass_call call, int substep, int c, int thread) {
    step_plan *plan = run->plan;
    device_cloth *cloth = run->cloths[c];
    cloth_state *state = &cloth->state;
    const grid *g = grid_of_call(cloth, call);
    if (!g || plan->cloths[c].asleep) {
        return; /* it sleeps, or has fewer levels than another one */
    }
    bool alone = is_small(run, call);
    int64_t units = unit_count(call.pass, g, cloth), threads = alone ? 1 : run->barrier.threads;
    int begin = (int)(units * thread / threads), end = (int)(units * (thread + 1) / threads);
    if (is_of_limit(call.pass) && !near_limit(&plan->cloths[c], state)) {
        return; /* another cloth is: what this one does must not depend on it */
    }
    const pass_args args = {.plan = plan,
                            .params = &plan->cloths[c],
                            .state = state,
                            .hierarchy = &cloth->hierarchy,
                            .implicit = &cloth->implicit,
                            .share = call.share,
                            .parity = substep & 1,
                            .level = call.level,
                            .again = call.again,
                            .backwards = call.backwards};
    unsigned number = run->first_substep + (unsigned)substep;
    if (call.pass == PASS_PINS) {
        for (int p = 0; p < plan->pin_count; p++) {
            if (plan->pins[p].cloth == c) {
                steer_pinned(plan, &plan->pins[p], state, substep, begin, end);
            }
        }
    } else if (call.pass == PASS_COARSE) {
        coarse_collide(&cloth->coarse, &args, number, (uint32_t)begin, (uint32_t)end);
    } else if (call.pass == PASS_MESHES) {
        meshes_rows(&cloth->implicit, &args, substep == 0, begin, end);
    } else if (call.pass == PASS_MAPS || call.pass == PASS_MAPS_RESPOND ||
               call.pass == PASS_MAPS_OUT) {
        run_maps(run, &args, cloth, call.pass, substep + 1 == plan->substeps, begin, end);
    } else if (call.pass == PASS_CCD_BEGIN) {
        ccd_begin(&cloth->ccd, state, begin, end);
    } else if (call.pass == PASS_CCD) {
        run_ccd(run, &args, cloth, substep + 1 == plan->substeps, begin, end);
    } else if (call.pass == PASS_CCD_EDGES) {
        edges_rows(&cloth->ccd, &args, begin, end);
    } else if (call.pass == PASS_CCD_PUSH) {
        ccd_push_rows(&cloth->ccd, &args, begin, end);
    } else if (call.pass == PASS_SAMPLE) {
        coarse_sample(&cloth->coarse, &args, number, begin, end);
    } else if (call.pass == PASS_MEET) {
        meet_begin_rows(run->meet, c, &args, begin, end);
    } else if (call.pass == PASS_SELF_FORGET) {
        self_forget(run->self, c, g, &cloth->implicit.at.plane[IMPLICIT_change_x], begin, end);
    } else if (is_of_self(call.pass)) {
        self_rows(run->self, call.pass, c, state, &cloth->hierarchy.levels[0], begin, end);
    } else if (run->passes->row_passes[call.pass]) {
        run->passes->row_passes[call.pass](&args, begin, end);
    }
    if (call.pass == PASS_CHECK && plan->motions) {
        cloth_motion_rows(&cloth->implicit, state, cloth->panel->mask, begin, end);
    }
}

/* A thread's way through the passes of a step. */
typedef struct walk {
    run_state *run;
    int substep, thread;
    since_met since;
} walk;

/* Thread 0 keeps the time. */
static void count_time(run_state *run) {
    double now = clock_ms(), spent = now - run->clock;
    toile_stage stage = pass_stage(run->timed.pass);
    run->profile->stage_ms[stage] += spent;
    if (stage == TOILE_STAGE_SOLVE) {
        run->profile->level_ms[run->timed.level] += spent;
    }
    run->clock = now;
}

static void time_call(run_state *run, pass_call call) {
    run->timed = call;
    count_time(run);
}

/* Waits for all threads, which counts for the pass before. What follows is thread 0's alone to look
 * at until it has met the others again. */
static void meet(walk *w) {
    barrier_wait(&w->run->barrier);
    w->since = (since_met){0};
    if (w->thread == 0) {
        count_time(w->run);
    }
}

static void run_pass(walk *w, pass_call call) {
    run_state *run = w->run;
    if (is_small(run, call) && w->thread > 0) {
        return;
    }
    if (call.pass == PASS_BODIES && w->thread == 0 && w->substep + 1 < run->plan->substeps) {
        plan_advance(run->plan, w->substep + 1);
    }
    for (int c = 0; c < run->plan->cloth_count; c++) {
        if (call.pass == PASS_COARSE_BEGIN && w->thread == 0) {
            coarse_begin(&run->cloths[c]->coarse, run->plan, w->substep & 1);
        }
        if (call.pass == PASS_MESHES_BEGIN && w->thread == 0) {
            meshes_begin(&run->cloths[c]->implicit, run->plan, w->substep & 1);
        }
        run_rows(run, call, w->substep, c, w->thread);
    }
    if (w->thread == 0) {
        time_call(run, call);
    }
}

/* Where a level is small, thread 0 has nobody to wait for. */
static void run_and_meet(walk *w, pass_call call, pass p) {
    call.pass = p;
    run_pass(w, call);
    if (!is_small(w->run, call)) {
        meet(w);
    }
}

/* The iterations of a level. */
static void run_relax(walk *w, pass_call call) {
    const toile_level_def *def = &w->run->plan->levels[call.level].def;
    bool jacobi = def->relaxation == TOILE_RELAXATION_JACOBI;
    for (int i = 0; i < def->iterations; i++) {
        call.backwards = i % 2 != 0;
        if (jacobi) {
            run_and_meet(w, call, i % 2 ? PASS_JACOBI_BACK : PASS_JACOBI);
        } else {
            pass first = call.backwards ? PASS_RELAX_ODD : PASS_RELAX_EVEN;
            pass last = call.backwards ? PASS_RELAX_EVEN : PASS_RELAX_ODD;
            run_and_meet(w, call, first);
            run_and_meet(w, call, last);
        }
    }
    if (jacobi && def->iterations % 2) {
        run_and_meet(w, call, PASS_JACOBI_COPY);
    }
}

/* A pass of self-collision, and the wait behind it. */
static void run_self_pass(walk *w, pass p) {
    if (p == PASS_SELF_COUNT || p == PASS_SELF_SORT) {
        (p == PASS_SELF_COUNT ? self_count : self_sort)(w->run->self, w->thread,
                                                        w->run->barrier.threads);
        if (w->thread == 0) {
            w->run->timed.pass = p;
        }
    } else {
        run_pass(w, (pass_call){.pass = p});
    }
    meet(w);
}

/* Lists of partners, if there are none yet or texels are too far from them, which all threads find
 * alike. */
static void list_partners(walk *w, bool none) {
    if (!none) {
        run_self_pass(w, PASS_SELF_MOVED);
    }
    if (none || self_is_stale(w->run->self)) {
        run_self_pass(w, PASS_SELF_KEY);
        run_self_pass(w, PASS_SELF_COUNT);
        run_self_pass(w, PASS_SELF_SORT);
        run_self_pass(w, PASS_SELF_LIST);
    }
}

static void run_self(walk *w, pass p) {
    list_partners(w, w->substep == 0 && p != PASS_SELF_AFTER);
    for (int i = 0; p == PASS_SELF && i < SELF_PUSHES; i++) {
        run_self_pass(w, PASS_SELF_LOAD);
        run_self_pass(w, PASS_SELF_PUSH);
    }
    if (p != PASS_SELF) {
        run_self_pass(w, PASS_SELF_LOAD);
        run_self_pass(w, PASS_SELF_MEET);
    }
    if (p == PASS_SELF_AFTER) {
        run_self_pass(w, PASS_SELF_STOP);
    }
}

/* Does any part of a cloth want something of its texels? All threads find the same. */
static bool any_met(const run_state *run) {
    bool any = false;
    for (int c = 0; c < run->plan->cloth_count; c++) {
        const ccd_state *s = &run->cloths[c]->ccd;
        const bool asleep = run->plan->cloths[c].asleep;
        for (int row = 0; !asleep && row < run->cloths[c]->state.grid.rows; row++) {
            any |= s->row_met[row];
        }
    }
    return any;
}

/* Texels have the last word, and what they are pushed by edges may bring other edges to meet
 * something, so these look again. In the last rounds, what still meets something goes with it. */
static void run_edges(walk *w) {
    enum { ROUNDS = 6, RIDE = 3 };
    for (int i = 0; i < ROUNDS; i++) {
        pass_call look = {.pass = PASS_CCD_EDGES, .again = i >= RIDE};
        meet(w);
        run_and_meet(w, look, PASS_CCD_EDGES);
        if (!any_met(w->run)) {
            return;
        }
        run_pass(w, (pass_call){.pass = PASS_CCD_PUSH});
        note_call(&w->since, w->run->plan, (pass_call){.pass = PASS_CCD_PUSH});
    }
}

/* Pairs of passes, velocities to the scratch planes and back. All threads find the same cloths near
 * the limit. */
static void run_limit(walk *w, pass there, int pairs) {
    run_state *run = w->run;
    const pass back = there == PASS_LIMIT ? PASS_LIMIT_BACK : PASS_REST_BACK;
    const step_plan *plan = run->plan;
    bool any = false;
    for (int c = 0; c < plan->cloth_count; c++) {
        any |= near_limit(&plan->cloths[c], &run->cloths[c]->state);
    }
    for (int i = 0; any && i < 2 * pairs; i++) {
        meet(w);
        run_pass(w, (pass_call){.pass = i % 2 ? back : there});
    }
    if (any) {
        meet(w);
    }
}

/* Does the caller want the substep that runs to be the last? Thread 0 asks. */
static bool is_last(run_state *run, int substep) {
    if (!run->stopped && plan_stops(run->plan)) {
        run->stopped = true;
        atomic_store_explicit(&run->end, substep + 1, memory_order_relaxed);
    }
    return run->stopped;
}

typedef struct newton_user {
    run_state *run;
    int substep;
} newton_user;

static void time_solve(void *user, int depth) {
    time_call(((newton_user *)user)->run, (pass_call){.pass = PASS_SOLVE, .level = depth});
}

static void ask_to_stop(void *user) {
    newton_user *u = user;
    is_last(u->run, u->substep);
}

/* Cloths that are too near each other are solved together. */
static void join_cloths(void *user, int one, int other) {
    newton_state *s = user;
    newton_join_islands(s, s->equations.part_of[one], s->equations.part_of[other]);
}

static void find_islands(newton_state *s, const self_table *self) {
    newton_part_islands(s);
    if (self) {
        self_visit_mixed(self, join_cloths, s);
    }
    newton_list_islands(s);
}

/* Thread 0. Without memory for all contacts, as below. */
static void look_at_memory(run_state *run, int substep) {
    if (run->meet && run->meet->failed) {
        run->short_of_memory = true;
        atomic_store_explicit(&run->end, substep + 1, memory_order_relaxed);
    }
}

/* Thread 0. Without memory for all springs the step is given up. */
static void place_springs(run_state *run, int substep) {
    if (run->self && !self_place_repels(run->self)) {
        run->short_of_memory = true;
        atomic_store_explicit(&run->end, substep + 1, memory_order_relaxed);
    }
}

/* Newton's method, of all cloths at once. */
static void run_newton(walk *w) {
    run_state *run = w->run;
    const int substep = w->substep, thread = w->thread;
    device_context *context = run->context;
    if (thread == 0) {
        for (int c = 0; c < run->plan->cloth_count; c++) {
            context->panels[c] = (pass_args){.plan = run->plan,
                                             .params = &run->plan->cloths[c],
                                             .state = &run->cloths[c]->state,
                                             .hierarchy = &run->cloths[c]->hierarchy,
                                             .implicit = &run->cloths[c]->implicit,
                                             .parity = substep & 1};
        }
        newton_aim(context->newton.aims, run->plan, substep);
        find_islands(&context->newton, run->self);
        place_springs(run, substep);
    }
    barrier_wait(&run->barrier);
    const newton_left left = newton_solve(&(newton_run){.state = &context->newton,
                                                        .table = run->passes->newton,
                                                        .panels = context->panels,
                                                        .plan = run->plan,
                                                        .self = run->self,
                                                        .meet = run->meet,
                                                        .barrier = &run->barrier,
                                                        .timed = time_solve,
                                                        .ask = ask_to_stop,
                                                        .stopped = &run->stopped,
                                                        .user = &(newton_user){run, substep}},
                                          thread);
    if (thread == 0) {
        look_at_memory(run, substep);
        run->solved.iterations += left.iterations;
        run->solved.gradients += left.gradients;
        run->solved.converged &= left.converged;
        run->solved.last_move = fmax(run->solved.last_move, (double)left.longest);
        if (run->plan->halves && !left.converged) {
            run->solved.given_up = true;
            atomic_store_explicit(&run->end, substep + 1, memory_order_relaxed);
        }
        if (substep + 1 < run->plan->substeps) {
            plan_advance(run->plan, substep + 1); /* others have left the substep before */
        }
    }
    meet(w);
}

/* Vertices of outlines lie between texels. */
static void run_meet(walk *w) {
    run_state *run = w->run;
    run_and_meet(w, (pass_call){.pass = PASS_MEET}, PASS_MEET);
    for (int c = 0; c < run->plan->cloth_count; c++) {
        if (!run->plan->cloths[c].asleep) {
            meet_begin_vertices(run->meet, c, w->thread, run->barrier.threads);
        }
    }
}

/* Those within which threads meet end with that. */
static void run_call(walk *w, pass_call call) {
    const step_plan *plan = w->run->plan;
    if (call.pass == PASS_LIMIT) {
        run_limit(w, PASS_LIMIT, plan->limit_pairs);
    } else if (call.pass == PASS_REST) {
        run_limit(w, PASS_REST, REST_PAIRS);
    } else if (call.pass == PASS_CCD_EDGES) {
        run_edges(w);
    } else if (call.pass == PASS_RELAX) {
        run_relax(w, call);
    } else if (call.pass == PASS_MEET) {
        run_meet(w);
    } else if (call.pass == PASS_SOLVE) {
        run_newton(w);
    } else if (call.pass == PASS_SELF || call.pass == PASS_SELF_AHEAD ||
               call.pass == PASS_SELF_AFTER) {
        run_self(w, call.pass);
    } else {
        run_pass(w, call);
    }
}

static void run_passes(walk *w, int begin, int end) {
    const step_plan *plan = w->run->plan;
    for (int p = begin; p < end; p++) {
        if (meets_before(&w->since, plan, plan->passes[p])) {
            meet(w);
        }
        note_call(&w->since, plan, plan->passes[p]);
        run_call(w, plan->passes[p]);
    }
}

/* Has a body struck a cloth in the step? Only second order asks. */
static bool is_struck(const step_plan *plan, device_cloth *const *cloths) {
    bool any = false;
    for (int c = 0; c < plan->cloth_count; c++) {
        const implicit_state *s = &cloths[c]->implicit;
        const bool awake = !plan->cloths[c].asleep;
        for (int row = 0; s->there && awake && row < cloths[c]->state.grid.rows; row++) {
            any |= s->row_struck[row] != 0;
        }
    }
    return any;
}

static bool find_failure(const step_plan *plan, device_cloth *const *cloths,
                         device_failure *failure) {
    for (int c = 0; c < plan->cloth_count; c++) {
        const cloth_state *s = &cloths[c]->state;
        for (int row = 0; !plan->cloths[c].asleep && row < s->grid.rows; row++) {
            if (s->row_bad[row] >= 0) {
                *failure = (device_failure){c, s->row_bad[row], row};
                return true;
            }
        }
    }
    return false;
}

/* The wind planes are read also when there is no wind, and must be finite then. */
static void restore(const step_plan *plan, device_cloth *const *cloths) {
    for (int c = 0; c < plan->cloth_count; c++) {
        cloth_state *s = &cloths[c]->state;
        coarse_forget(&cloths[c]->coarse);
        ccd_forget(&cloths[c]->ccd);
        if (plan->cloths[c].asleep) {
            continue; /* it was not touched */
        }
        for (int p = PLANE_sx; p <= PLANE_sz; p++) {
            memset(s->at.plane[p], 0, s->grid.size * sizeof(float));
        }
        implicit_state_restore(&cloths[c]->implicit, &s->grid);
        for (int p = 0; p < SAVED_PLANES; p++) {
            memcpy(s->at.plane[FIRST_SAVED + p], s->at.plane[FIRST_BACKUP + p],
                   s->grid.size * sizeof(float));
        }
    }
}

static void tell_motions(step_plan *plan, device_cloth *const *cloths) {
    for (int c = 0; plan->motions && c < plan->cloth_count; c++) {
        if (!plan->cloths[c].asleep) {
            plan->motions[c] = cloth_motion_of(&cloths[c]->implicit, &cloths[c]->state.grid);
        }
    }
}

/* Threads own rows: more of them than rows have nothing to do but wait. */
static int useful_threads(const device_context *context, const step_plan *plan,
                          device_cloth *const *cloths) {
    int rows = 1;
    for (int c = 0; c < plan->cloth_count; c++) {
        rows = cloths[c]->state.grid.rows > rows ? cloths[c]->state.grid.rows : rows;
    }
    return team_gather(context->team, rows);
}

static void run_substeps(void *argument, int thread, int threads) {
    run_state *run = argument;
    const step_plan *plan = run->plan;
    (void)threads; /* the barrier has them */
    walk w = {.run = run, .thread = thread};
    run_passes(&w, 0, plan->prologue);
    for (; w.substep < atomic_load_explicit(&run->end, memory_order_relaxed); w.substep++) {
        if (thread == 0 && w.substep + 1 < plan->substeps) {
            is_last(run, w.substep);
        }
        run_passes(&w, plan->prologue, plan->epilogue);
    }
    w.substep = plan->substeps - 1;
    run_passes(&w, plan->epilogue, plan->pass_count);
    run_pass(&w, (pass_call){.pass = PASS_CHECK});
}

toile_result cpu_run(device_context *context, step_plan *plan, device_cloth *const *cloths,
                     toile_profile *profile, device_solved *solved, device_failure *failure) {
    run_state run = {.context = context,
                     .passes = context->passes,
                     .plan = plan,
                     .cloths = cloths,
                     .first_substep = context->substeps + 1,
                     .self = context->self,
                     .meet = context->meet,
                     .maps = &context->maps,
                     .profile = profile,
                     .clock = clock_ms(),
                     .end = plan->substeps,
                     .solved = {.converged = true}};
    plan_advance(plan, 0);
    if (run.self) {
        self_begin(run.self, plan);
    }
    context->used = useful_threads(context, plan, cloths);
    if (run.meet) {
        run.meet->threads = context->used;
        run.meet->listed = false;
        run.meet->looked = false;
    }
    barrier_create(&run.barrier, context->used);
    team_run(context->team, context->used, run_substeps, &run);
    barrier_destroy(&run.barrier);
    context->substeps += (unsigned)plan->substeps;
    *solved = run.solved;
    if (run.stopped || run.short_of_memory) {
        restore(plan, cloths);
        newton_state_forget(&context->newton);
        return run.short_of_memory ? TOILE_ERROR_MEMORY : TOILE_ERROR_STOPPED;
    }
    solved->hidden = run.hidden;
    solved->inside = run.inside;
    solved->caught = run.caught;
    for (int k = 0; k < 2 && run.meet && plan->untangle; k++) {
        solved->pierced[k] = run.meet->pierced[k];
    }
    solved->struck = is_struck(plan, cloths);
    bool gives_up = (solved->struck && plan->gives_up) || solved->given_up;
    bool failed = find_failure(plan, cloths, failure) && !gives_up;
    if (gives_up || failed) {
        restore(plan, cloths);
        newton_state_forget(&context->newton);
    } else {
        tell_motions(plan, cloths);
    }
    return failed ? TOILE_ERROR_NUMERICAL : TOILE_OK;
}
