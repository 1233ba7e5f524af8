/* The plan of a step of the implicit solver: docs/physics.md derives it. */
#include <float.h>
#include <math.h>

#include "kernel/implicit.h"
#include "kernel/self.h"
#include "kernel/sway.h"
#include "step/implicit.h"

/* Second order: the share of the substep that backward Euler takes (kernel/implicit.h), and the
 * iterations, for it goes on with errors that first order damps. After a blow there are more
 * substeps of first order, which are as short as that share. */
enum { SECOND_ORDER_ITERATIONS = 3 };
static const double STAGE = 2.0 / 3.0;

/* Threads are bound to their limit everywhere if the cloth, hung up by one of its corners, would
 * stretch them by more than one in so many of it: swinging cloth pulls several times its weight. */
static const float HEAVY = 4.0f;

/* Threads are stiffer from this share of their limit on: stretched by more than takes them there,
 * they end below it. */
static const float BOUND_FROM = 0.8f;

/* s, over which the pressure on a texel is averaged for friction (kernel/implicit.h). */
static const double GRIP_TIME = 0.02;

/* The most iterations of a substep that has a tolerance. */
enum { MOST_ITERATIONS = 50 };

/* Without one, there are so many times the usual number of iterations, as long as they move a texel
 * by more than this share of a spacing: where cloth hits a body, its threads turn by so much in a
 * substep that one iteration leaves more energy in them than the blow had. Free cloth gets them
 * also by the work of what is left (kernel/implicit.h). */
enum { MORE = 4 };
static const float RESTLESS = 0.1f;

static bool has_meshes(const toile_world *w) {
    bool any = false;
    for (size_t i = 0; i < w->bodies.count; i++) {
        const world_body *b = world_body_at(w, i);
        any |= b && (shape_is_mesh(b->body.def.shape) || has_map(w, b));
    }
    return any;
}

bool implicit_reflects(const step_plan *plan) {
    bool any = false;
    for (int b = 0; b < plan->body_count; b++) {
        any |= plan->bodies[b].shape[0].reflection > 0.0f;
    }
    return any;
}

toile_result implicit_create_grids(toile_world *w, cloth *c) {
    cloth_inverse_masses(w, c, c->buffer);
    levels_base base = {&c->grid, c->panel->coverage, c->mass, c->buffer};
    levels_free(&c->levels);
    multigrid_free(&c->matrix);
    c->matrix_substep = 0.0f;
    toile_result result = levels_create(&c->levels, &base, 1);
    if (result == TOILE_OK) {
        result = w->device->set_levels(c->memory, &c->levels, NULL);
    }
    if (result == TOILE_OK) {
        result = multigrid_create(&c->matrix, &c->grid);
    }
    return result == TOILE_OK ? w->device->set_cycle(c->memory, &c->matrix, has_meshes(w)) : result;
}

const grid *implicit_level_grid(const cloth *c, int depth) {
    return depth < c->matrix.count ? &c->matrix.levels[depth].grid : NULL;
}

/* On how many levels moves along normals are looked for. In a substep a wave across the cloth is
 * felt as many spacings away as the root of its coupling to the next texel over its inertia; on the
 * last level that is a third of one, and sweeps suffice. The tension is not known beforehand: it is
 * taken to be that of cloth which swings in its own weight (N/m, density times gravity times
 * length), and none without gravity. Where something else pulls, too few levels cost little: with
 * those of no tension, strain in the hanging scene of docs/benchmarks.md was the same to 6 %. */
static int sway_levels(const cloth *c, const cloth_params *p, float weight, float substep) {
    const double swinging = 4.0;
    double tension = swinging * (double)weight;
    double coupling = tension + (double)SWAY_BEND * (double)p->bend * (1.0 + (double)p->bend_lag);
    double inertia = (double)p->cell_mass / ((double)substep * (double)substep);
    double reach = coupling / inertia;
    int count = 1;
    while (reach > 0.125 && count < c->matrix.count) {
        reach /= 4.0;
        count++;
    }
    return count;
}

static float slow_energy(const cloth *c) {
    float mass = c->def.fabric.density * c->grid.size_u * c->grid.size_v;
    return 0.5f * mass * TRUST_SLOW * TRUST_SLOW;
}

bool implicit_is_pinned(const toile_world *w, const cloth *c) {
    bool any = false;
    for (size_t p = 0; p < w->pins.count; p++) {
        const pin *held = world_pin(w, p);
        any |= held && world_cloth(w, held->cloth) == c;
    }
    return any;
}

static void fill(const toile_world *w, cloth *c, cloth_params *p) {
    const float substep = w->plan.substep;
    float limit =
        w->def.solver.strain_limit > 0.0f ? w->def.solver.strain_limit : c->def.fabric.limit;
    p->longest = p->spacing * (1.0f + BOUND_FROM * limit);
    p->little_move =
        w->def.solver.tolerance > 0.0f ? w->def.solver.tolerance : RESTLESS * p->spacing;
    p->slow = w->def.solver.tolerance > 0.0f ? FLT_MAX : slow_energy(c);
    p->strike = strike_speed(p->spacing, substep);
    p->pinned = implicit_is_pinned(w, c);
    p->self_distance = self_distance(c->def.fabric.thickness, p->spacing);
    p->self_friction = c->def.fabric.friction;
    p->bend_lag = c->def.fabric.damping / substep;
    p->curl_u = c->def.fabric.bend * c->def.fabric.curvature[0];
    p->curl_v = c->def.fabric.bend * c->def.fabric.curvature[1];
    float weight = c->def.fabric.density * sqrtf(v3_dot(w->plan.gravity, w->plan.gravity)) *
                   hypotf(c->grid.size_u, c->grid.size_v); /* N/m, hung up by a corner */
    p->sway_levels = sway_levels(c, p, weight, substep);
    p->slides = sway_slides(p->bend * (1.0f + p->bend_lag), fminf(p->stretch_u, p->stretch_v));
    bool bounded = weight * HEAVY > fminf(p->stretch_u, p->stretch_v) * limit;
    if (c->matrix_substep != substep || c->matrix_bounded != bounded) {
        cloth_inverse_masses(w, c, c->buffer);
        multigrid_fill(&c->matrix, &(multigrid_base){.coverage = c->panel->coverage,
                                                     .mass = c->mass,
                                                     .inverse_mass = c->buffer,
                                                     .bounded = bounded,
                                                     .spacing = p->spacing,
                                                     .stretch_u = p->stretch_u,
                                                     .stretch_v = p->stretch_v,
                                                     .shear = p->shear,
                                                     .bend = p->bend * (1.0f + p->bend_lag),
                                                     .substep = substep});
        c->matrix_substep = substep;
        c->matrix_bounded = bounded;
    }
}

static void fill_world(toile_world *w) {
    const toile_solver_def *def = &w->def.solver;
    step_plan *plan = &w->plan;
    const bool second = def->order == 2 && w->time >= w->calm;
    const double step = (double)plan->moment * plan->substeps;
    plan->gives_up = second;
    if (second) {
        plan->substep = (float)(STAGE * step / plan->substeps);
    } else if (def->order == 2) { /* the same matrix, unless the number of substeps was odd */
        plan->substeps = (int)ceil(plan->substeps / STAGE);
        plan->substep = plan->moment = (float)(step / plan->substeps);
        w->info.substeps = plan->substeps;
    }
    bool paced = def->order == 2 && w->moment > 0.0;
    plan->pace = paced ? stage_pace(plan->moment, (float)w->moment) : 1.0f;
    plan->coarse_only = w->def.collision == TOILE_COLLISION_COARSE;
    plan->viscosity = 0.0f;
    plan->persistence = (float)exp(-(double)def->damping * (double)plan->substep);
    plan->grip_follow = (float)(1.0 - exp(-(double)plan->moment / GRIP_TIME));
    int usual = second ? SECOND_ORDER_ITERATIONS : 1;
    plan->iterations = def->iterations > 0 ? def->iterations : usual;
    plan->most_iterations = def->iterations > 0 ? def->iterations : MORE * usual;
    if (def->tolerance > 0.0f) {
        plan->most_iterations = def->iterations > 0 ? def->iterations : MOST_ITERATIONS;
        plan->iterations = 1;
    }
}

static void add(toile_world *w, pass p, int depth) {
    plan_add(&w->plan, (pass_call){.pass = p, .share = 1.0f, .level = depth});
}

static void add_and_wait(toile_world *w, pass p, int depth) {
    add(w, p, depth);
    add(w, PASS_WAIT, depth);
}

/* Up from a level that one thread has, the others wait for it. */
static void wait_for_small(toile_world *w, int depth) {
    if (w->plan.levels[depth + 1].small && !w->plan.levels[depth].small) {
        add(w, PASS_WAIT, 0);
    }
}

/* Moves along the normals of the cloth, and along itself: cycles of their own, which do not know of
 * each other. The latter has no part on the finest level but its forces and the move. */
static void add_sway(toile_world *w) {
    const int last = w->plan.level_count - 1;
    add_and_wait(w, PASS_SWAY, 0);
    for (int k = 0; k < last; k++) {
        add(w, PASS_SWAY_DEFECT, k);
        if (k > 0) {
            add(w, PASS_SLIDE_DEFECT, k);
        }
        add(w, PASS_WAIT, k);
        add(w, PASS_SWAY_DOWN, k + 1);
        add_and_wait(w, PASS_SLIDE_DOWN, k + 1);
    }
    for (int k = last; k >= 0; k--) {
        if (k > 0) {
            add_and_wait(w, PASS_SLIDE_EXACT, k);
        }
        if (k < last) {
            wait_for_small(w, k);
            add(w, PASS_SWAY_UP, k);
            add_and_wait(w, PASS_SLIDE_UP, k);
        }
        add(w, PASS_SWAY_SWEEP, k);
        if (k > 0) {
            add(w, PASS_SLIDE_SWEEP, k);
        }
        add(w, PASS_WAIT, k);
        add(w, k > 0 ? PASS_SWAY_BACK : PASS_SWAY_MOVE, k);
        if (k > 0) {
            add(w, PASS_SLIDE_BACK, k);
        }
        add(w, PASS_WAIT, k);
    }
}

/* Texels by themselves, then along the normals, then a cycle from the finest level to the coarsest
 * and back. */
static void add_iteration(toile_world *w) {
    const step_plan *plan = &w->plan;
    const int last = plan->level_count - 1;
    add_and_wait(w, PASS_READY, 0);
    add_and_wait(w, PASS_LOCAL, 0);
    add_sway(w);
    add_and_wait(w, PASS_RESIDUAL, 0);
    for (int k = 0; k < last; k++) {
        add_and_wait(w, PASS_DEFECT, k);
        add_and_wait(w, PASS_DOWN, k + 1);
    }
    for (int k = last; k >= 0; k--) {
        if (k < last) {
            wait_for_small(w, k);
            add_and_wait(w, PASS_UP, k);
        }
        add_and_wait(w, PASS_EXACT, k);
        add_and_wait(w, PASS_SWEEP, k);
        if (k > 0) {
            add_and_wait(w, PASS_SWEEP_BACK, k);
        }
    }
    add_and_wait(w, PASS_CORRECT, 0);
    add(w, PASS_WORK, 0);
}

void implicit_add_start(toile_world *w) {
    step_plan *plan = &w->plan;
    add(w, PASS_BEGIN, 0);
    if (cloths_curved(w)) {
        add(w, PASS_WAIT, 0);
        add_and_wait(w, PASS_NORMAL, 0);
        add(w, PASS_CURL, 0);
    }
    if (plan->coarse_only && plan->body_count > 0) {
        add_and_wait(w, PASS_COARSE_BEGIN, 0);
        add_and_wait(w, PASS_COARSE, 0);
        add(w, PASS_SAMPLE, 0);
    }
    add(w, PASS_DETECT, 0);
    if (has_meshes(w) && !plan->coarse_only) {
        add_and_wait(w, PASS_MESHES_BEGIN, 0);
        add(w, plan->maps ? PASS_MAPS : PASS_MESHES, 0);
    }
    if (w->def.solver.self_collision) {
        add(w, PASS_WAIT, 0);
        add(w, PASS_SELF_AHEAD, 0);
    }
}

static void passes(toile_world *w) {
    step_plan *plan = &w->plan;
    add_iteration(w);
    plan->first = plan->pass_count;
    add(w, PASS_BACKUP, 0);
    plan->prologue = plan->pass_count;
    if (plan->ccd) {
        add(w, PASS_CCD_BEGIN, 0);
    }
    add(w, PASS_PINS, 0);
    if (plan->wind.on) {
        add(w, PASS_WAIT, 0);
        add_and_wait(w, PASS_WIND, 0);
    }
    if (w->def.solver.order == 2) {
        add(w, PASS_STAGE, 0);
    }
    implicit_add_start(w);
    add(w, PASS_ITERATE, 0);
    add(w, PASS_SHARE, 0);
    if (w->def.solver.self_collision) {
        add(w, PASS_SELF_AFTER, 0);
    }
    add(w, PASS_VELOCITY, 0);
    if (plan->body_count > 0 && !plan->coarse_only) {
        add(w, PASS_KEEP, 0);
        add(w, PASS_RESPOND, 0);
    }
    plan_add_ccd(plan);
    add(w, PASS_MOVE, 0);
    add(w, PASS_TRUST, 0);
    if (w->def.solver.order == 2) {
        add(w, PASS_CHANGE, 0);
    }
    if (w->def.solver.order == 2 && w->def.solver.self_collision) {
        add(w, PASS_SELF_FORGET, 0);
    }
    if (implicit_reflects(plan) && !plan->coarse_only) {
        add(w, PASS_REBOUND, 0);
    }
    plan->epilogue = plan->pass_count;
}

/* Substeps instead of more iterations: what one iteration leaves undone goes with the square of the
 * substep, and friction of swinging cloth is settled from about here on (docs/hindsight.md). Folds
 * that meet faster than that get through each other: what keeps them apart is a force, told to the
 * solve once a substep. */
static double longest_substep(const toile_world *w) {
    (void)w;
    return 1.0 / 480.0;
}

const solver_table implicit_solver = {.longest_substep = longest_substep,
                                      .meeting_speed = 5.0,
                                      .create = implicit_create_grids,
                                      .level_grid = implicit_level_grid,
                                      .fill = fill,
                                      .fill_world = fill_world,
                                      .passes = passes};
