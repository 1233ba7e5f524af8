/* The plan of a step by Newton's method (kernel/newton.h): it is being made to replace that of
 * implicit.c, with which it shares the start and the end of a substep. */
#include <math.h>

#include "kernel/implicit.h"
#include "kernel/self.h"
#include "step/implicit.h"

/* Second order: the share of the substep that backward Euler takes (kernel/implicit.h). */
static const double STAGE = 2.0 / 3.0;

/* Yarns are stiffer from this share of their limit on, so that they end below it. */
static const float BOUND_FROM = 0.8f;

/* s, over which the pressure on a texel is averaged for friction. */
static const double GRIP_TIME = 0.02;

/* What a word of quality stands for. A substep is as long as `substep` at most. Conjugate gradients
 * end when an iteration takes less than the share `little` of the kinetic energy of the substep's
 * motion from what the step minimises, Newton's method when all of an iteration take less than
 * `enough`. Shares of energy are squares of shares of velocity: the default leaves velocities right
 * to about three percent. Of what Newton's method leaves, the next iteration takes the square: of
 * 0.04 some 0.0008. */
typedef struct effort {
    double substep; /* s */
    double enough, little;
} effort;

static const effort efforts[] = {
    [TOILE_QUALITY_DEFAULT] = {1.0 / 240.0, 0.04, 1e-3},
    [TOILE_QUALITY_GAME] = {1.0 / 120.0, 0.05, 3e-3},
    [TOILE_QUALITY_FILM] = {1.0 / 480.0, 0.003, 1e-5},
};

/* m/s; cloth that is slower counts as this fast, so that cloth at rest needs no iterations. */
static const double SLOW = 0.003;

/* Second order keeps what iterations leave for longer, as it does motion: with the whole of both
 * shares swings of the safety grid gain energy, with these parts of them none does. */
static const double SECOND_ENOUGH = 0.25, SECOND_LITTLE = 0.003;

/* Most iterations of Newton's method, which only blows take, and of conjugate gradients in each.
 * With 10 of the former, 17 runs of the safety grid fail in which cloth strikes with its edge.
 * With a tolerance, moves end them. */
enum { MOST = 50, GRADIENTS = 20, GRADIENTS_EXACT = 30 };

static const effort *effort_of(const toile_world *w) {
    return &efforts[w->def.solver.quality];
}

static double longest_substep(const toile_world *w) {
    return effort_of(w)->substep;
}

static void fill(const toile_world *w, cloth *c, cloth_params *p) {
    const toile_solver_def *def = &w->def.solver;
    const float limit = def->strain_limit > 0.0f ? def->strain_limit : c->def.fabric.limit;
    p->longest = p->spacing * (1.0f + BOUND_FROM * limit);
    p->little_move = def->tolerance;
    p->pinned = implicit_is_pinned(w, c);
    p->strike = strike_speed(p->spacing, w->plan.substep);
    p->self_distance = self_distance(c->def.fabric.thickness, p->spacing);
    p->self_friction = c->def.fabric.friction;
    p->bend_lag = c->def.fabric.damping / w->plan.substep;
    p->curl_u = c->def.fabric.bend * c->def.fabric.curvature[0];
    p->curl_v = c->def.fabric.bend * c->def.fabric.curvature[1];
}

static void fill_world(toile_world *w) {
    const toile_solver_def *def = &w->def.solver;
    step_plan *plan = &w->plan;
    const bool second = def->order == 2 && w->time >= w->calm;
    const double step = (double)plan->moment * plan->substeps;
    plan->gives_up = second;
    plan->self_springs = w->device->self_springs;
    if (second) {
        plan->substep = (float)(STAGE * step / plan->substeps);
    }
    bool paced = def->order == 2 && w->moment > 0.0;
    plan->pace = paced ? stage_pace(plan->moment, (float)w->moment) : 1.0f;
    plan->coarse_only = w->def.collision == TOILE_COLLISION_COARSE;
    plan->viscosity = 0.0f;
    plan->persistence = (float)exp(-(double)def->damping * (double)plan->substep);
    plan->grip_follow = (float)(1.0 - exp(-(double)plan->moment / GRIP_TIME));
    const bool exact = def->tolerance > 0.0f;
    plan->iterations = 1;
    plan->most_iterations = def->iterations > 0 ? def->iterations : MOST;
    plan->enough = (second ? SECOND_ENOUGH : 1.0) * effort_of(w)->enough;
    plan->little = exact ? 0.0 : (second ? SECOND_LITTLE : 1.0) * effort_of(w)->little;
    plan->slow = SLOW;
    plan->gradients = exact ? GRADIENTS_EXACT : GRADIENTS;
}

static void add(toile_world *w, pass p) {
    plan_add(&w->plan, (pass_call){.pass = p, .share = 1.0f});
}

static void add_and_wait(toile_world *w, pass p) {
    add(w, p);
    add(w, PASS_WAIT);
}

static void passes(toile_world *w) {
    step_plan *plan = &w->plan;
    const bool second = w->def.solver.order == 2, self = w->def.solver.self_collision;
    add(w, PASS_BACKUP);
    plan->prologue = plan->pass_count;
    if (plan->ccd) {
        add(w, PASS_CCD_BEGIN);
    }
    add(w, PASS_PINS);
    if (plan->wind.on) {
        add(w, PASS_WAIT);
        add_and_wait(w, PASS_WIND);
    }
    if (second) {
        add(w, PASS_STAGE);
    }
    implicit_add_start(w);
    add(w, PASS_SOLVE);
    if (self) {
        add(w, PASS_SELF_AFTER);
    }
    add(w, PASS_VELOCITY);
    plan_add_ccd(plan);
    add(w, PASS_MOVE);
    if (second) {
        add(w, PASS_CHANGE);
    }
    if (second && self) {
        add(w, PASS_SELF_FORGET);
    }
    if (implicit_reflects(plan) && !plan->coarse_only) {
        add(w, PASS_REBOUND);
    }
    plan->epilogue = plan->pass_count;
}

const solver_table newton_solver = {.longest_substep = longest_substep,
                                    .meeting_speed = 5.0,
                                    .one_system = true,
                                    .create = implicit_create_grids,
                                    .level_grid = implicit_level_grid,
                                    .fill = fill,
                                    .fill_world = fill_world,
                                    .passes = passes};
