#include "cpu/newton_run.h"

#include <string.h>

#include "kernel/gradients.h"

/* A move of which more than this share of the thickness of a cloth was taken back is followed by
 * another one. */
static const float CUT_SHARE = 0.1f;

/* ... up to so many iterations. */
enum { MOST_AFTER_CUTS = 4 };

/* A part with fewer texels than this is left to one thread, as is a small level. */
static const size_t SMALL_PART = 2000;

/* What a thread solves: all parts together with the other threads, or one by itself. */
typedef struct solve {
    const newton_run *run;
    int thread;
    bool alone;
    int first_part, end_part;
    newton_args args;
    newton_part *parts; /* of the thread */
} solve;

static bool is_small(const solve *s, int depth) {
    return depth > 0 && depth < s->run->state->equations.levels &&
           s->run->state->equations.level[depth].texels < SMALL_LEVEL;
}

/* Rows of a panel on the finest level, from the first up to the end. */
typedef struct row_range {
    int first, end;
} row_range;

static row_range rows_of(const solve *s, int panel) {
    const system_panel *own = &s->run->state->level[0].table->panels[panel];
    return (row_range){own->first_row, own->first_row + own->grid.rows};
}

/* A sum over them, in their order. */
static double sum_of(const solve *s, int panel, const double *values) {
    const row_range rows = rows_of(s, panel);
    double sum = 0.0;
    for (int row = rows.first; row < rows.end; row++) {
        sum += values[row];
    }
    return sum;
}

/* The panels of an island, one part after the other: the next one behind a panel. */
static int first_panel(const solve *s, int lead) {
    return s->run->state->equations.part[lead].first;
}

static int next_panel(const solve *s, int panel) {
    const newton_state *state = s->run->state;
    const equations *e = &state->equations;
    if (e->next[panel] != NO_PANEL) {
        return e->next[panel];
    }
    const int part = state->next_part[e->part_of[panel]];
    return part != NO_PART ? e->part[part].first : NO_PANEL;
}

/* A sum over the rows of an island, panel by panel. */
static double island_sum(const solve *s, int lead, const double *values) {
    double sum = 0.0;
    for (int p = first_panel(s, lead); p != NO_PANEL; p = next_panel(s, p)) {
        sum += sum_of(s, p, values);
    }
    return sum;
}

static double island_dot(const solve *s, int lead) {
    return island_sum(s, lead, s->run->state->level[0].row_dot);
}

static float panel_move(const solve *s, int panel) {
    const row_range rows = rows_of(s, panel);
    const float *moved = s->run->state->level[0].row_moved;
    float longest = 0.0f;
    for (int row = rows.first; row < rows.end; row++) {
        longest = moved[row] <= longest ? longest : moved[row];
    }
    return longest;
}

static void add_sums(const solve *s, int panel, double sums[SUMS]) {
    const newton_level *l = &s->run->state->level[0];
    const row_range rows = rows_of(s, panel);
    for (int row = rows.first; row < rows.end; row++) {
        for (int k = 0; k < SUMS; k++) {
            sums[k] += l->row_sums[SUMS * row + k];
        }
    }
}

static void sum_rows(const solve *s, int lead, double sums[SUMS]) {
    for (int p = first_panel(s, lead); p != NO_PANEL; p = next_panel(s, p)) {
        add_sums(s, p, sums);
    }
}

static v3 shift_of(const solve *s, int lead) {
    double sums[SUMS] = {0.0};
    sum_rows(s, lead, sums);
    const double *b = sums + SUM_BLOCK;
    block all = block_make(v3_make((float)b[0], (float)b[1], (float)b[2]),
                           v3_make((float)b[3], (float)b[4], (float)b[5]));
    return gradients_shift(all, v3_make((float)sums[0], (float)sums[1], (float)sums[2]));
}

/* Parts of an island have the numbers of its first one, which comes before them. Returns whether
 * the part is another one, and has got them. */
static bool follows_lead(solve *s, int part) {
    const int lead = s->run->state->lead[part];
    s->parts[part] = s->parts[lead];
    return lead != part;
}

/* The numbers of conjugate gradients, before the pass that needs them. */
static void look_at_dots(solve *s, newton_pass which) {
    for (int p = s->first_part; p < s->end_part; p++) {
        newton_part *part = &s->parts[p];
        if (follows_lead(s, p)) {
            continue;
        }
        if (which == NEWTON_SPRINGS || which == NEWTON_MOVE) {
            part->solved = false;
        }
        if (part->rests || part->solved) {
            continue;
        }
        if (which == NEWTON_FORCES) {
            part->before = part->gain = 0.0;
        } else if (which == NEWTON_DIRECTION) {
            part->now = island_dot(s, p);
            part->beta = (float)gradients_ratio(part->now, part->before);
            part->before = part->now;
        } else if (which == NEWTON_ADVANCE) {
            part->alpha = (float)gradients_ratio(part->now, island_dot(s, p));
            part->step = (double)part->alpha * part->now;
            part->gain += part->step;
            part->gradients++;
        } else if (which == NEWTON_MOVE && part->loose) {
            part->shift = shift_of(s, p);
        }
    }
}

static void run_parts(const solve *s, newton_pass which, int depth, int thread, int threads) {
    const equations *e = &s->run->state->equations;
    for (int p = thread; p < e->parts; p += threads) {
        if (e->part[p].levels - 1 == depth && !s->parts[p].rests && !s->parts[p].solved) {
            (which == NEWTON_FACTOR ? newton_factor : newton_exact)(&s->args, p);
        }
    }
}

/* A part that a thread has alone is one panel, whose rows follow each other. */
static void run_alone(solve *s, newton_pass which, int depth) {
    const system_panel *own = &s->run->state->equations.level[depth].panels[s->first_part];
    if (which == NEWTON_FACTOR || which == NEWTON_EXACT) {
        if (own->last && !s->parts[s->first_part].solved) {
            (which == NEWTON_FACTOR ? newton_factor : newton_exact)(&s->args, s->first_part);
        }
    } else if (own->there) {
        s->args.depth = depth;
        s->run->table->passes[which](&s->args, own->first_row, own->first_row + own->grid.rows);
    }
}

/* Is there something to do for a panel on a level? */
static bool is_awake(const solve *s, const system_level *l, int panel) {
    return l->panels[panel].there && !s->run->plan->cloths[panel].asleep;
}

/* A thread's share of the rows of panels that are awake. Those that follow each other are done in
 * one call: some passes begin with what all couplings do. */
static void run_awake(solve *s, newton_pass which, int depth, int thread, int threads) {
    const equations *e = &s->run->state->equations;
    const system_level *l = &e->level[depth];
    int64_t rows = 0;
    for (int p = 0; p < e->panels; p++) {
        rows += is_awake(s, l, p) ? l->panels[p].grid.rows : 0;
    }
    const int begin = (int)(rows * thread / threads), end = (int)(rows * (thread + 1) / threads);
    int before = 0, first = 0, last = 0; /* rows that wait for their call */
    for (int p = 0; p < e->panels && before < end; p++) {
        const system_panel *own = &l->panels[p];
        if (!is_awake(s, l, p)) {
            continue;
        }
        const int low = begin > before ? begin - before : 0;
        const int high = end - before < own->grid.rows ? end - before : own->grid.rows;
        before += own->grid.rows;
        if (low >= high) {
            continue;
        }
        if (last > first && last != own->first_row + low) {
            s->run->table->passes[which](&s->args, first, last);
            first = own->first_row + low;
        }
        first = last > first ? first : own->first_row + low;
        last = own->first_row + high;
    }
    s->run->table->passes[which](&s->args, first, last);
}

static void run_rows(solve *s, newton_pass which, int depth, int thread, int threads) {
    if (which == NEWTON_FACTOR || which == NEWTON_EXACT) {
        run_parts(s, which, depth, thread, threads);
        return;
    }
    const system_level *l = &s->run->state->equations.level[depth];
    const int couplings = l->couplings.rows;
    s->args.depth = depth;
    if (which == NEWTON_STIFFEN) {
        s->run->table->passes[which](&s->args, (int)((int64_t)couplings * thread / threads),
                                     (int)((int64_t)couplings * (thread + 1) / threads));
    } else if (which != NEWTON_TOGETHER && which != NEWTON_JOINED) {
        run_awake(s, which, depth, thread, threads);
    } else if (thread == 0) {
        s->run->table->passes[which](&s->args, 0, l->rows);
    }
}

/* ---- cloth against cloth ------------------------------------------------------------------------
 */

/* What contacts make of what a pass multiplies the matrix with. Returns whether there are any. */
static bool pull_contacts(solve *s, newton_pass which, int depth, int thread, int threads) {
    const meet_table *t = s->run->meet;
    const bool multiplies =
        which == NEWTON_DEFECT || which == NEWTON_SWEEP || which == NEWTON_PRODUCT;
    if (!t || !multiplies || t->level[depth].rows == 0) {
        return false;
    }
    const meet_range own = meet_share_of(t->level[depth].rows, thread, threads);
    s->args.depth = depth;
    s->run->table->meet_pull(&s->args, which == NEWTON_PRODUCT ? EQ_direction : EQ_guess,
                             (int)own.begin, (int)own.end);
    return true;
}

/* Parts that have met are one island from now on: it is loose if all of them are, and rests when
 * all do. */
static void join_parts(const solve *s) {
    const int *lead = s->run->state->lead;
    for (int p = 0; p < s->run->state->equations.parts; p++) {
        newton_part *first = &s->parts[lead[p]];
        const newton_part *own = &s->parts[p];
        first->loose &= own->loose;
        first->rests &= own->rests;
        first->converged &= own->converged;
    }
    for (int p = 0; p < s->run->state->equations.parts; p++) {
        s->parts[p] = s->parts[lead[p]];
    }
}

static meet_run meeting(const solve *s) {
    return (meet_run){.table = s->run->meet,
                      .state = s->run->state,
                      .panels = s->run->panels,
                      .plan = s->run->plan,
                      .barrier = s->run->barrier,
                      .vectors = &s->run->table->meet};
}

/* Texels have moved: what would cross is put back. */
static void look_at_move(const solve *s, bool first) {
    meet_run run = meeting(s);
    run.first = first;
    if (first && s->thread == 0) {
        meet_forget_levels(&run);
    }
    meet_move(&run, s->thread);
    join_parts(s);
}

/* Small levels are thread 0's alone: nobody waits on the way down, and on the way up at the first
 * one that is not small. */
static void run_pass(void *user, newton_pass which, int depth) {
    solve *s = user;
    if (which == NEWTON_MEET && !s->run->meet) {
        return;
    }
    const int threads = s->run->barrier->threads;
    if (s->alone) {
        look_at_dots(s, which);
        run_alone(s, which, depth);
        if (s->thread == 0) {
            s->run->timed(s->run->user, depth);
        }
        return;
    }
    if (is_small(s, depth)) {
        if (s->thread == 0) {
            pull_contacts(s, which, depth, 0, 1);
            run_rows(s, which, depth, 0, 1);
            s->run->timed(s->run->user, depth);
        }
        return;
    }
    if (which == NEWTON_UP && is_small(s, depth + 1)) {
        barrier_wait(s->run->barrier);
    }
    look_at_dots(s, which);
    if (pull_contacts(s, which, depth, s->thread, threads)) {
        barrier_wait(s->run->barrier);
    }
    if (which == NEWTON_MEET) {
        const meet_run run = meeting(s);
        meet_press_all(&run, s->thread);
    }
    run_rows(s, which, depth, s->thread, threads);
    barrier_wait(s->run->barrier);
    if (s->run->meet && (which == NEWTON_START || which == NEWTON_LOCAL || which == NEWTON_MOVE)) {
        look_at_move(s, which == NEWTON_START);
    }
    if (s->thread == 0) {
        s->run->timed(s->run->user, depth);
    }
}

/* Of an island, J. */
static double motion_of(const solve *s, int lead) {
    const newton_level *l = &s->run->state->level[0];
    const double slow = s->run->plan->slow * (double)s->run->plan->substep;
    const double inertia = island_sum(s, lead, l->row_inertia);
    double motion = island_sum(s, lead, l->row_motion), sums[SUMS] = {0.0};
    if (s->parts[lead].loose) {
        sum_rows(s, lead, sums);
        const double *way = sums + SUM_WAY;
        motion = gradients_inner(motion, way[0], way[1], way[2], inertia);
    }
    return gradients_motion(motion, inertia, slow);
}

static bool draws_on(void *user, int done) {
    solve *s = user;
    const step_plan *plan = s->run->plan;
    bool any = false;
    for (int p = s->first_part; p < s->end_part; p++) {
        newton_part *part = &s->parts[p];
        if (follows_lead(s, p) || part->rests) {
            continue;
        }
        if (done == 1) {
            part->motion = motion_of(s, p);
        }
        part->solved |=
            gradients_end(part->step, plan->little, part->motion, plan->share, part->gain) ||
            done >= plan->gradients;
        any |= !part->solved;
    }
    return any;
}

/* Was more of a move taken back than contacts give way by? */
static bool is_cut(const solve *s, int lead) {
    const meet_table *t = s->run->meet;
    bool any = false;
    for (int p = first_panel(s, lead); t && p != NO_PANEL; p = next_panel(s, p)) {
        any |= t->cloths[p].cut > CUT_SHARE * s->run->plan->cloths[p].thickness;
    }
    return any;
}

static bool touches(const solve *s, int lead) {
    const meet_table *t = s->run->meet;
    bool any = false;
    for (int p = first_panel(s, lead); t && p != NO_PANEL; p = next_panel(s, p)) {
        any |= t->cloths[p].touches;
    }
    return any;
}

/* Looks at an island behind an iteration. */
static void look_at_island(solve *s, int lead, int done) {
    const step_plan *plan = s->run->plan;
    newton_part *part = &s->parts[lead];
    const float tolerance = plan->cloths[first_panel(s, lead)].little_move;
    float longest = 0.0f;
    for (int p = first_panel(s, lead); p != NO_PANEL; p = next_panel(s, p)) {
        const float own = panel_move(s, p);
        longest = own <= longest ? longest : own;
    }
    part->converged = gradients_settle(part->gain, plan->enough, part->motion, longest, tolerance);
    part->converged &= done >= MOST_AFTER_CUTS || !is_cut(s, lead);
    part->rests |= part->converged || done >= plan->most_iterations ||
                   (done >= plan->most_touching && touches(s, lead));
    part->iterations = done;
    part->longest = longest;
}

static bool goes_on(void *user, int done) {
    solve *s = user;
    bool any = false;
    if (s->thread == 0) {
        s->run->ask(s->run->user);
    }
    if (!s->alone) {
        barrier_wait(s->run->barrier);
    }
    for (int p = s->first_part; p < s->end_part; p++) {
        if (!follows_lead(s, p) && !s->parts[p].rests) {
            look_at_island(s, p, done);
        }
        any |= !s->parts[p].rests;
    }
    return any && !atomic_load_explicit(s->run->stopped, memory_order_relaxed);
}

/* Cloths that are tied together sleep together, and meet none that is awake. */
static bool is_asleep(const newton_run *run, int part) {
    return run->plan->cloths[run->state->equations.part[part].first].asleep;
}

/* An island is loose where no panel of it is pinned. */
static void begin_parts(const solve *s) {
    const equations *e = &s->run->state->equations;
    const int *lead = s->run->state->lead;
    for (int part = 0; part < e->parts; part++) {
        const bool asleep = is_asleep(s->run, part);
        s->parts[part] = (newton_part){.loose = true, .rests = asleep, .converged = asleep};
    }
    for (int p = 0; p < e->panels; p++) {
        s->parts[lead[e->part_of[p]]].loose &= !s->run->plan->cloths[p].pinned;
    }
    for (int part = 0; part < e->parts; part++) {
        s->parts[part] = s->parts[lead[part]];
    }
}

static void solve_parts(solve *s) {
    const equations *e = &s->run->state->equations;
    newton_order(&(newton_device){.user = s,
                                  .levels = e->levels,
                                  .coupled = e->level[0].couplings.rows > 0,
                                  .run = run_pass,
                                  .draws_on = draws_on,
                                  .goes_on = goes_on});
}

/* That are solved. */
static size_t texels_of(const newton_run *run, int panel) {
    const system_panel *own = &run->state->equations.level[0].panels[panel];
    return run->plan->cloths[panel].asleep ? 0 : grid_texels(&own->grid);
}

static size_t all_texels(const newton_run *run) {
    size_t texels = 0;
    for (int p = 0; p < run->state->equations.panels; p++) {
        texels += texels_of(run, p);
    }
    return texels;
}

/* Do threads solve one part after the other, each its own, and meet only at the end? Where none
 * meets another and none is much larger than the others or all are small: a part then stays in the
 * cache of a thread. Bits are the same either way. */
static bool is_divided(const newton_run *run, size_t texels) {
    const newton_state *state = run->state;
    const equations *e = &state->equations;
    size_t largest = 0;
    for (int p = 0; p < e->panels; p++) {
        largest = texels_of(run, p) > largest ? texels_of(run, p) : largest;
    }
    return e->level[0].couplings.rows == 0 && !run->meet && state->islands == e->parts &&
           (largest * (size_t)run->barrier->threads <= texels || largest < SMALL_PART);
}

/* Which thread has a part, by the texels up to its middle of all those. */
static int owner_of(const newton_run *run, int part, size_t before, size_t texels) {
    return (int)((before + texels_of(run, part) / 2) * (size_t)run->barrier->threads / texels);
}

/* What is left, of all parts: those of other threads are in theirs. */
static newton_left look_at_all(const newton_run *run, bool divided, size_t texels) {
    const equations *e = &run->state->equations;
    newton_left left = {.converged = true};
    size_t before = 0;
    for (int p = 0; p < e->parts; p++) {
        const bool other = divided && !is_asleep(run, p);
        const int owner = other ? owner_of(run, p, before, texels) : 0;
        const newton_part *part = &run->state->parts[owner * e->parts + p];
        left.iterations = part->iterations > left.iterations ? part->iterations : left.iterations;
        left.gradients = part->gradients > left.gradients ? part->gradients : left.gradients;
        left.longest = part->longest > left.longest ? part->longest : left.longest;
        left.converged &= part->converged;
        before += divided ? texels_of(run, p) : 0;
    }
    return left;
}

newton_left newton_solve(const newton_run *run, int thread) {
    newton_state *state = run->state;
    const equations *e = &state->equations;
    const size_t texels = all_texels(run);
    if (texels == 0) {
        return (newton_left){.converged = true};
    }
    solve s = {.run = run, .thread = thread, .parts = state->parts + thread * e->parts};
    s.end_part = e->parts;
    s.args = (newton_args){.state = state,
                           .panels = run->panels,
                           .scratch = state->scratch + (size_t)thread * state->scratch_size,
                           .pulls = state->pulls + thread * e->level[0].couplings.rows,
                           .parts = s.parts,
                           .self = run->self,
                           .meet = run->meet};
    s.alone = is_divided(run, texels);
    begin_parts(&s);
    size_t before = 0;
    for (int p = 0; s.alone && p < e->parts; before += texels_of(run, p), p++) {
        if (!is_asleep(run, p) && owner_of(run, p, before, texels) == thread) {
            s.first_part = p;
            s.end_part = p + 1;
            solve_parts(&s);
        }
    }
    if (!s.alone) {
        solve_parts(&s);
    }
    barrier_wait(run->barrier);
    return look_at_all(run, s.alone, texels);
}
