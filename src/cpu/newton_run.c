#include "cpu/newton_run.h"

#include <string.h>

/* A level smaller than this is left to one thread, because meeting would take longer. */
static const size_t SMALL_LEVEL = 1500;

typedef struct solve {
    const newton_run *run;
    int thread;
    newton_args args;
    newton_part *parts; /* of the thread */
    newton_left left;
} solve;

static bool is_small(const solve *s, int level) {
    return level > 0 && level < s->run->state->equations.levels &&
           s->run->state->equations.level[level].texels < SMALL_LEVEL;
}

static bool is_loose(const solve *s, int panel) {
    return !s->run->plan->cloths[panel].pinned;
}

/* The sum over rows of a panel, in their order. */
static double panel_dot(const solve *s, int panel) {
    const newton_level *l = &s->run->state->level[0];
    const system_panel *own = &l->table->panels[panel];
    double sum = 0.0;
    int first = 0;
    for (int p = 0; p < panel; p++) {
        first += l->table->panels[p].grid.rows;
    }
    for (int row = first; row < first + own->grid.rows; row++) {
        sum += l->row_dot[row];
    }
    return sum;
}

static float panel_move(const solve *s, int panel) {
    const newton_level *l = &s->run->state->level[0];
    float longest = 0.0f;
    for (int row = 0; row < l->table->rows; row++) {
        bool further = l->table->row[row].panel == panel && !(l->row_moved[row] <= longest);
        longest = further ? l->row_moved[row] : longest;
    }
    return longest;
}

/* Conjugate gradients leave some of the move that all texels of a panel make alike, and with it of
 * its momentum, which falling cloth has nothing to make up for. That move has three unknowns: it is
 * solved exactly. */
static v3 shift_of(const solve *s, int panel) {
    const newton_level *l = &s->run->state->level[0];
    double sums[SUMS] = {0.0};
    for (int row = 0; row < l->table->rows; row++) {
        for (int k = 0; l->table->row[row].panel == panel && k < SUMS; k++) {
            sums[k] += l->row_sums[SUMS * row + k];
        }
    }
    const double *b = sums + SUM_BLOCK;
    block inverse = block_inverse(block_make(v3_make((float)b[0], (float)b[1], (float)b[2]),
                                             v3_make((float)b[3], (float)b[4], (float)b[5])));
    return block_times(inverse, v3_make((float)sums[0], (float)sums[1], (float)sums[2]));
}

/* The numbers of conjugate gradients, before the pass that needs them. */
static void look_at_dots(solve *s, newton_pass pass) {
    for (int p = 0; p < s->run->state->equations.panels; p++) {
        newton_part *part = &s->parts[p];
        if (part->rests) {
            continue;
        }
        if (pass == NEWTON_FORCES) {
            part->before = 0.0;
        } else if (pass == NEWTON_DIRECTION) {
            part->now = panel_dot(s, p);
            part->beta = part->before > 0.0 ? (float)(part->now / part->before) : 0.0f;
            part->before = part->now;
        } else if (pass == NEWTON_ADVANCE) {
            double curvature = panel_dot(s, p);
            part->alpha = curvature > 0.0 ? (float)(part->now / curvature) : 0.0f;
        } else if (pass == NEWTON_MOVE && is_loose(s, p)) {
            part->shift = shift_of(s, p);
        }
    }
}

static void run_panels(const solve *s, newton_pass pass, int level, int thread, int threads) {
    const system_level *l = s->run->state->level[level].table;
    for (int p = thread; p < s->run->state->equations.panels; p += threads) {
        if (l->panels[p].last && !s->parts[p].rests) {
            (pass == NEWTON_FACTOR ? newton_factor : newton_exact)(s->run->state, level, p);
        }
    }
}

static void run_rows(solve *s, newton_pass pass, int level, int thread, int threads) {
    if (pass == NEWTON_FACTOR || pass == NEWTON_EXACT) {
        run_panels(s, pass, level, thread, threads);
        return;
    }
    const int64_t rows = s->run->state->equations.level[level].rows;
    s->args.level = level;
    s->run->table->passes[pass](&s->args, (int)(rows * thread / threads),
                                (int)(rows * (thread + 1) / threads));
}

/* Small levels are thread 0's alone: nobody waits on the way down, and on the way up at the first
 * one that is not small. */
static void run_pass(void *user, newton_pass pass, int level) {
    solve *s = user;
    const int threads = s->run->barrier->threads;
    if (is_small(s, level)) {
        if (s->thread == 0) {
            run_rows(s, pass, level, 0, 1);
            s->run->timed(s->run->user, level);
        }
        return;
    }
    if (pass == NEWTON_UP && is_small(s, level + 1)) {
        barrier_wait(s->run->barrier);
    }
    look_at_dots(s, pass);
    run_rows(s, pass, level, s->thread, threads);
    barrier_wait(s->run->barrier);
    if (s->thread == 0) {
        s->run->timed(s->run->user, level);
    }
}

/* A panel rests when an iteration has moved none of its texels by more than was asked for. */
static bool goes_on(void *user, int done) {
    solve *s = user;
    const step_plan *plan = s->run->plan;
    bool any = false;
    s->left = (newton_left){.iterations = done, .converged = true};
    for (int p = 0; p < s->run->state->equations.panels; p++) {
        float longest = panel_move(s, p);
        bool little = longest <= plan->cloths[p].little_move;
        s->parts[p].rests |= little || done >= plan->most_iterations;
        any |= !s->parts[p].rests;
        s->left.converged &= little;
        s->left.longest = longest > s->left.longest ? longest : s->left.longest;
    }
    return any;
}

newton_left newton_solve(const newton_run *run, int thread) {
    newton_state *state = run->state;
    const int panels = state->equations.panels;
    solve s = {.run = run, .thread = thread, .parts = state->parts + thread * panels};
    s.args = (newton_args){.state = state,
                           .panels = run->panels,
                           .scratch = state->scratch + (size_t)thread * state->scratch_size,
                           .parts = s.parts};
    memset(s.parts, 0, (size_t)panels * sizeof *s.parts);
    newton_order(&(newton_device){.user = &s,
                                  .levels = state->equations.levels,
                                  .gradients = run->plan->gradients,
                                  .run = run_pass,
                                  .goes_on = goes_on});
    return s.left;
}
