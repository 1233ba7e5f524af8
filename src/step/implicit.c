/* The plan of a step of the implicit solver: backward Euler or BDF2 by Newton's method
 * (kernel/newton.h, docs/physics.md). A substep is `passes`, at the end of the file. */
#include <math.h>

#include "kernel/self.h"
#include "kernel/stage.h"
#include "step/world.h"

/* Second order: the share of the substep that backward Euler takes (kernel/stage.h). */
static const double STAGE = 2.0 / 3.0;

/* Yarns are stiffer from this share of their limit on, so that they end below it. */
static const float BOUND_FROM = 0.8f;

/* s, over which the pressure on a texel is averaged for friction. */
static const double GRIP_TIME = 0.02;

/* What a word of quality stands for. A substep is as long as `substep` at most. Conjugate gradients
 * end when an iteration takes less than the share `little` of the kinetic energy of the substep's
 * motion from what the step minimises, Newton's method when all of an iteration take less than
 * `enough`. Shares of energy are squares of shares of velocity: the default leaves velocities right
 * to about two percent. Of what Newton's method leaves, the next iteration takes the square: of
 * 0.03 some 0.0005. */
typedef struct effort {
    double substep; /* s */
    double enough, little;
} effort;

static const effort efforts[] = {
    [TOILE_QUALITY_DEFAULT] = {1.0 / 240.0, 0.03, 3e-4},
    [TOILE_QUALITY_GAME] = {1.0 / 120.0, 0.05, 3e-4},
    [TOILE_QUALITY_FILM] = {1.0 / 480.0, 0.003, 1e-5},
};

/* Cloth within bounds that touches cloth: a cut stretches yarns, and more iterations meet the same
 * bounds. Shorter substeps meet fewer. Where so many iterations do not do, a step is made again
 * with twice as many substeps, up to so many times; in the shortest ones what is left after a few
 * goes on in the next. With 8 iterations in long ones a sheet that crumples gained 0.07 of its
 * weight times size, with 3 in short ones none. */
enum { MOST_TOUCHING = 8, LAST_TOUCHING = 3, MOST_HALVINGS = 2 };

/* After so many steps that took at most so many iterations per substep it takes half as many. */
enum { CALM_STEPS = 8 };
static const double CALM_ITERATIONS = 2.5;

/* m/s; cloth that is slower counts as this fast, so that cloth at rest needs no iterations. */
static const double SLOW = 0.003;

/* Second order keeps what iterations leave for longer, as it does motion: with the shares of the
 * default swings of the safety grid gain energy, with these none does. */
static const double SECOND_ENOUGH = 0.01, SECOND_LITTLE = 3e-6;

/* Behind an iteration of Newton's method that takes more than `enough` comes another one. Conjugate
 * gradients also end in it at this part of the share, `little` of `enough`, of what they took. With
 * all of it cloth that lies still keeps 1e-10 J. Not with second order, which keeps what that
 * leaves, nor within bounds: a layer that slides over another one got 11 % less far. */
static const double EARLY = 0.1;

/* With a tolerance they end at this share of what they have taken only. */
static const double SHARE_EXACT = 1e-4;

/* Most iterations of Newton's method, which only blows take, and of conjugate gradients in each.
 * With 10 of the former, 17 runs of the safety grid fail in which cloth strikes with its edge.
 * With a tolerance, moves end them. */
enum { MOST = 50, GRADIENTS = 20, GRADIENTS_EXACT = 30 };

/* ---- what is asked of cloths and bodies ---------------------------------------------------------
 */

static bool has_meshes(const toile_world *w) {
    bool any = false;
    for (size_t i = 0; i < w->bodies.count; i++) {
        const world_body *b = world_body_at(w, i);
        any |= b && (shape_is_mesh(b->body.def.shape) || has_map(w, b));
    }
    return any;
}

static bool any_reflects(const step_plan *plan) {
    bool any = false;
    for (int b = 0; b < plan->body_count; b++) {
        any |= plan->bodies[b].shape[0].reflection > 0.0f;
    }
    return any;
}

/* By any pin. A soft one counts, too: the common move of the texels of a loose cloth is solved with
 * their inertia and contact alone, and a soft pin resists it with a stiffness of its own. */
static bool is_pinned(const toile_world *w, const cloth *c) {
    bool any = false;
    for (size_t p = 0; p < w->pins.count; p++) {
        const pin *held = world_pin(w, p);
        any |= held && world_cloth(w, held->cloth) == c;
    }
    return any;
}

/* ---- arrays and numbers -------------------------------------------------------------------------
 */

/* A cloth has one level, for its positions; coarser ones are those of the system of all cloths. */
static toile_result create(toile_world *w, cloth *c) {
    cloth_inverse_masses(w, c, c->buffer);
    levels_base base = {&c->grid, c->panel->coverage, c->mass, c->buffer};
    levels_free(&c->levels);
    toile_result result = levels_create(&c->levels, &base, 1);
    if (result == TOILE_OK) {
        result = w->device->set_levels(c->memory, &c->levels, NULL);
    }
    return result == TOILE_OK ? w->device->set_implicit(c->memory, has_meshes(w)) : result;
}

static const grid *level_grid(const cloth *c, int depth) {
    return depth < c->levels.count ? &c->levels.items[depth].grid : NULL;
}

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
    p->pinned = is_pinned(w, c);
    p->strike = strike_speed(p->spacing, w->plan.substep);
    p->self_distance = self_distance(c->def.fabric.thickness, p->spacing);
    p->self_friction = c->def.fabric.friction;
    p->thickness = c->def.fabric.thickness;
    p->layer = c->def.layer;
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
    plan->most_iterations = def->iterations > 0 ? def->iterations : MOST;
    plan->halves = plan_is_bounded(w) && def->substeps == 0 && w->halvings < MOST_HALVINGS &&
                   2 * plan->substeps <= def->max_substeps;
    plan->most_touching = plan->halves ? MOST_TOUCHING : LAST_TOUCHING;
    plan->enough = fmin(effort_of(w)->enough, second ? SECOND_ENOUGH : 1.0);
    plan->little = exact ? 0.0 : fmin(effort_of(w)->little, second ? SECOND_LITTLE : 1.0);
    plan->share = second || plan_is_bounded(w) ? 0.0 : EARLY * plan->little / plan->enough;
    plan->share = exact ? SHARE_EXACT : plan->share;
    plan->slow = SLOW;
    plan->untangle = w->tangled;
    plan->gradients = exact ? GRADIENTS_EXACT : GRADIENTS;
}

void implicit_note_calm(toile_world *w, const device_solved *solved) {
    const bool calm = solved->iterations <= CALM_ITERATIONS * w->plan.substeps;
    w->calm_steps = calm && w->halvings > 0 ? w->calm_steps + 1 : 0;
    if (w->calm_steps == CALM_STEPS) {
        w->halvings--;
        w->calm_steps = 0;
    }
}

/* ---- a substep ----------------------------------------------------------------------------------
 */

static void add(toile_world *w, pass p) {
    plan_add(&w->plan, (pass_call){.pass = p, .share = 1.0f});
}

/* What leads to the solve: where velocities lead, bodies near texels, cloth near cloth. */
static void add_start(toile_world *w) {
    const step_plan *plan = &w->plan;
    add(w, PASS_BEGIN);
    if (cloths_curved(w)) {
        add(w, PASS_NORMAL);
        add(w, PASS_CURL);
    }
    if (plan->coarse_only && plan->body_count > 0) {
        add(w, PASS_COARSE_BEGIN);
        add(w, PASS_COARSE);
        add(w, PASS_SAMPLE);
    }
    add(w, PASS_DETECT);
    if (has_meshes(w) && !plan->coarse_only) {
        add(w, PASS_MESHES_BEGIN);
        add(w, plan->maps ? PASS_MAPS : PASS_MESHES);
    }
    if (w->def.solver.self_collision && !plan_is_bounded(w)) {
        add(w, PASS_SELF_AHEAD);
    }
}

static void passes(toile_world *w) {
    step_plan *plan = &w->plan;
    const bool second = w->def.solver.order == 2, self = w->def.solver.self_collision;
    add(w, PASS_BACKUP);
    plan->prologue = plan->pass_count;
    if (plan->ccd) {
        add(w, PASS_CCD_BEGIN);
    }
    if (plan_is_bounded(w)) {
        add(w, PASS_MEET);
    }
    add(w, PASS_PINS);
    if (plan->wind.on) {
        add(w, PASS_WIND);
    }
    if (second) {
        add(w, PASS_STAGE);
    }
    add_start(w);
    add(w, PASS_SOLVE);
    if (self && !plan_is_bounded(w)) {
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
    if (any_reflects(plan) && !plan->coarse_only) {
        add(w, PASS_REBOUND);
    }
    plan->epilogue = plan->pass_count;
}

const solver_table implicit_solver = {.longest_substep = longest_substep,
                                      .meeting_speed = 5.0,
                                      .one_system = true,
                                      .create = create,
                                      .level_grid = level_grid,
                                      .fill = fill,
                                      .fill_world = fill_world,
                                      .passes = passes};
