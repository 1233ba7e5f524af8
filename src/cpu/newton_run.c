#include "cpu/newton_run.h"

#include <math.h>
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

static bool is_small(const solve *s, int depth) {
    return depth > 0 && depth < s->run->state->equations.levels &&
           s->run->state->equations.level[depth].texels < SMALL_LEVEL;
}

static bool is_loose(const solve *s, int panel) {
    return !s->run->plan->cloths[panel].pinned;
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

static double panel_dot(const solve *s, int panel) {
    return sum_of(s, panel, s->run->state->level[0].row_dot);
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

/* Conjugate gradients leave some of the move that all texels of a panel make alike, and with it of
 * its momentum, which falling cloth has nothing to make up for. That move has three unknowns: it is
 * solved exactly. */
static v3 shift_of(const solve *s, int panel) {
    const newton_level *l = &s->run->state->level[0];
    const row_range rows = rows_of(s, panel);
    double sums[SUMS] = {0.0};
    for (int row = rows.first; row < rows.end; row++) {
        for (int k = 0; k < SUMS; k++) {
            sums[k] += l->row_sums[SUMS * row + k];
        }
    }
    const double *b = sums + SUM_BLOCK;
    block inverse = block_inverse(block_make(v3_make((float)b[0], (float)b[1], (float)b[2]),
                                             v3_make((float)b[3], (float)b[4], (float)b[5])));
    return block_times(inverse, v3_make((float)sums[0], (float)sums[1], (float)sums[2]));
}

/* The numbers of conjugate gradients, before the pass that needs them. */
static void look_at_dots(solve *s, newton_pass which) {
    for (int p = 0; p < s->run->state->equations.panels; p++) {
        newton_part *part = &s->parts[p];
        if (which == NEWTON_SPRINGS || which == NEWTON_MOVE) {
            part->skips = part->rests;
        }
        if (part->skips) {
            continue;
        }
        if (which == NEWTON_FORCES) {
            part->before = part->gain = 0.0;
        } else if (which == NEWTON_DIRECTION) {
            part->now = panel_dot(s, p);
            part->beta = part->before > 0.0 ? (float)(part->now / part->before) : 0.0f;
            part->before = part->now;
        } else if (which == NEWTON_ADVANCE) {
            double curvature = panel_dot(s, p);
            part->alpha = curvature > 0.0 ? (float)(part->now / curvature) : 0.0f;
            part->step = (double)part->alpha * part->now;
            part->gain += part->step;
        } else if (which == NEWTON_MOVE && is_loose(s, p)) {
            part->shift = shift_of(s, p);
        }
    }
}

static void run_panels(const solve *s, newton_pass which, int depth, int thread, int threads) {
    const system_level *l = s->run->state->level[depth].table;
    for (int p = thread; p < s->run->state->equations.panels; p += threads) {
        if (l->panels[p].last && !s->parts[p].skips) {
            (which == NEWTON_FACTOR ? newton_factor : newton_exact)(s->run->state, depth, p);
        }
    }
}

static void run_rows(solve *s, newton_pass which, int depth, int thread, int threads) {
    if (which == NEWTON_FACTOR || which == NEWTON_EXACT) {
        run_panels(s, which, depth, thread, threads);
        return;
    }
    const int64_t rows = s->run->state->equations.level[depth].rows;
    s->args.depth = depth;
    s->run->table->passes[which](&s->args, (int)(rows * thread / threads),
                                 (int)(rows * (thread + 1) / threads));
}

/* Small levels are thread 0's alone: nobody waits on the way down, and on the way up at the first
 * one that is not small. */
static void run_pass(void *user, newton_pass which, int depth) {
    solve *s = user;
    const int threads = s->run->barrier->threads;
    if (is_small(s, depth)) {
        if (s->thread == 0) {
            run_rows(s, which, depth, 0, 1);
            s->run->timed(s->run->user, depth);
        }
        return;
    }
    if (which == NEWTON_UP && is_small(s, depth + 1)) {
        barrier_wait(s->run->barrier);
    }
    look_at_dots(s, which);
    run_rows(s, which, depth, s->thread, threads);
    barrier_wait(s->run->barrier);
    if (s->thread == 0) {
        s->run->timed(s->run->user, depth);
    }
}

/* J, twice the kinetic energy of a panel's motion in the substep, or of a slow one. */
static double motion_of(const solve *s, int panel) {
    const newton_level *l = &s->run->state->level[0];
    const double slow = s->run->plan->slow * (double)s->run->plan->substep;
    const double inertia = sum_of(s, panel, l->row_inertia);
    return fmax(sum_of(s, panel, l->row_motion), inertia * slow * slow);
}

/* Conjugate gradients end when an iteration takes little. */
static bool draws_on(void *user, int done) {
    solve *s = user;
    bool any = false;
    for (int p = 0; p < s->run->state->equations.panels; p++) {
        newton_part *part = &s->parts[p];
        part->skips |=
            part->step <= s->run->plan->little * motion_of(s, p) || done >= s->run->plan->gradients;
        any |= !part->skips;
    }
    return any;
}

/* A panel rests when an iteration has taken little, or, where a tolerance was asked for, moved no
 * texel further than that. */
static bool goes_on(void *user, int done) {
    solve *s = user;
    const step_plan *plan = s->run->plan;
    bool any = false;
    s->left = (newton_left){.iterations = done, .converged = true};
    for (int p = 0; p < s->run->state->equations.panels; p++) {
        float longest = panel_move(s, p);
        const float tolerance = plan->cloths[p].little_move;
        bool little = tolerance > 0.0f ? longest <= tolerance
                                       : s->parts[p].gain <= plan->enough * motion_of(s, p);
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
    if (panels == 0) {
        return (newton_left){.converged = true};
    }
    solve s = {.run = run, .thread = thread, .parts = state->parts + thread * panels};
    s.args = (newton_args){.state = state,
                           .panels = run->panels,
                           .scratch = state->scratch + (size_t)thread * state->scratch_size,
                           .parts = s.parts};
    memset(s.parts, 0, (size_t)panels * sizeof *s.parts);
    newton_order(&(newton_device){.user = &s,
                                  .levels = state->equations.levels,
                                  .run = run_pass,
                                  .draws_on = draws_on,
                                  .goes_on = goes_on});
    return s.left;
}
