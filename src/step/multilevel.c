/* The plan of a step of the multilevel solver: Schmitt 2013 section 5, with compliance. */
#include <math.h>

#include "kernel/bend.h"
#include "kernel/self.h"
#include "step/world.h"

/* Of Gauss-Seidel; more than 1 was tried and is not stable, see cpu/relax.c. Jacobi takes a share
 * of the sum over eight edges, of which four can pull the same way. */
static const float RELAXATION = 1.0f, JACOBI_SHARE = 0.3f;

/* Compliance of what has no stiffness at all. */
static const double SOFTEST = 1e20;

/* Jacobi where there are many texels, Gauss-Seidel below, as Schmitt found best (section 6). */
static toile_level_def usual_level(int depth) {
    static const int iterations[] = {2, 2, 2, 4, 4};
    int last = (int)(sizeof iterations / sizeof *iterations);
    return (toile_level_def){depth == 0 ? TOILE_RELAXATION_JACOBI : TOILE_RELAXATION_GAUSS_SEIDEL,
                             depth < last ? iterations[depth] : 8};
}

static toile_result create_levels(toile_world *w, cloth *c) {
    const toile_solver_def *def = &w->def.solver;
    bool jacobi[MAX_LEVELS];
    for (int k = 0; k < MAX_LEVELS; k++) {
        jacobi[k] = w->plan.levels[k].def.relaxation == TOILE_RELAXATION_JACOBI;
    }
    cloth_inverse_masses(w, c, c->buffer);
    levels_base base = {&c->grid, c->panel->coverage, c->mass, c->buffer};
    levels_free(&c->levels);
    int count = def->level_count > 0 ? def->level_count : levels_usual_count(&c->grid);
    toile_result result = levels_create(&c->levels, &base, count);
    if (result == TOILE_OK) {
        result = w->device->set_levels(c->memory, &c->levels, jacobi);
    }
    return result;
}

/* How each level is relaxed. A list in the definition is that of the levels; without one, the
 * usual.
 */
static void choose_levels(toile_world *w) {
    const toile_solver_def *def = &w->def.solver;
    for (int k = 0; k < MAX_LEVELS; k++) {
        bool given = def->levels && k < def->level_count;
        w->plan.levels[k] = (level_plan){.def = given ? def->levels[k] : usual_level(k)};
    }
}

static const grid *level_grid(const cloth *c, int depth) {
    return depth < c->levels.count ? &c->levels.items[depth].grid : NULL;
}

static float compliance(double stiffness, double substep) {
    return (float)fmin(1.0 / (stiffness * substep * substep), SOFTEST);
}

/* A smooth bend gets only a share of the step that it should on levels where bending is stiff
 * (kernel/bend.h), and nearly all of it where it is not: 11 times as much for each level. So levels
 * are bent from the finest one up to the first that gives half of it, which gives what is missing
 * in the sum. More would bend smooth shapes more than once. */
static void share_bending(const cloth *c, double substep, cloth_params *p) {
    const toile_fabric *f = &c->def.fabric;
    double given = 0.0, lag = (double)f->damping / substep;
    double h = (double)c->grid.spacing, rate = (double)f->bend / (h * h) * substep * substep;
    p->bend_lag = (float)lag;
    p->bend_rate = (float)rate;
    for (int k = 0; k < MAX_LEVELS; k++) {
        p->bend_stiff[k] = p->bend_taken[k] = 0.0f;
    }
    for (int k = 0; k < c->levels.count && f->bend > 0.0f; k++) {
        double coarser = ldexp(1.0, k), kinks = pow((double)BEND_KINK, k);
        double stiff = (double)BEND_ROW * rate * (1.0 + lag) * kinks / (coarser * coarser);
        double part = 1.0 / (1.0 + stiff / ((double)f->density * h * h * coarser * coarser));
        bool last = part >= 0.5;
        p->bend_stiff[k] = (float)stiff;
        p->bend_taken[k] = last ? (float)fmax((1.0 - given) / part, 0.0) : 1.0f;
        given += part;
        if (last) {
            break;
        }
    }
}

static void fill(const toile_world *w, cloth *c, cloth_params *p) {
    const toile_solver_def *def = &w->def.solver;
    const springs *s = &c->springs;
    double substep = (double)w->plan.substep;
    bool by_fabric = !(def->constraint_stiffness > 0.0f);
    p->compliance_u = by_fabric ? compliance(s->stretch[0], substep) : 0.0f;
    p->compliance_v = by_fabric ? compliance(s->stretch[1], substep) : 0.0f;
    p->compliance_shear = by_fabric ? compliance(s->shear, substep) : 0.0f;
    float limit = def->strain_limit > 0.0f ? def->strain_limit : c->def.fabric.limit;
    p->longest = p->spacing * (1.0f + limit);
    p->self_distance = self_distance(c->def.fabric.thickness, p->spacing);
    p->self_friction = c->def.fabric.friction;
    share_bending(c, substep, p);
}

static void fill_world(toile_world *w) {
    const toile_solver_def *def = &w->def.solver;
    step_plan *plan = &w->plan;
    plan->coarse_only = w->def.collision == TOILE_COLLISION_COARSE;
    plan->viscosity = 0.0f;
    plan->persistence = (float)exp(-(double)def->damping * (double)plan->substep);
    float k = def->constraint_stiffness;
    plan->relaxation = k > 0.0f ? k : RELAXATION;
    plan->jacobi_relaxation = JACOBI_SHARE * (k > 0.0f ? k : 1.0f);
}

static void add(toile_world *w, pass p, int depth, bool again) {
    plan_add(&w->plan, (pass_call){.pass = p, .share = 1.0f, .level = depth, .again = again});
}

/* From the coarsest level to the finest. */
static void add_cycle(toile_world *w, bool again) {
    const step_plan *plan = &w->plan;
    if (!again) {
        add(w, PASS_BEND, 0, again);
    }
    for (int k = 1; k < plan->level_count; k++) {
        add(w, PASS_RESTRICT, k, again);
    }
    for (int k = plan->level_count - 1; k >= 0; k--) {
        if (k < plan->level_count - 1) {
            add(w, PASS_UPSAMPLE, k, again);
        }
        add(w, PASS_RELAX, k, again);
        if (k > 0 && plan->body_count > 0 && !plan->coarse_only) {
            add(w, PASS_PROJECT_OUT, k, again);
            if (plan->maps) {
                add(w, PASS_MAPS_OUT, k, again);
            }
        }
    }
}

/* Does the coarse mesh have anything to collide with? */
static bool collides_coarsely(const step_plan *plan) {
    bool any = plan->coarse_only && plan->body_count > 0;
    for (int b = 0; b < plan->body_count && !plan->maps && !plan->ccd; b++) {
        any |= plan->bodies[b].solid != NULL;
    }
    return any;
}

static void passes(toile_world *w) {
    step_plan *plan = &w->plan;
    add(w, PASS_BACKUP, 0, false);
    plan->prologue = plan->pass_count;
    if (plan->ccd) {
        add(w, PASS_CCD_BEGIN, 0, false);
    }
    add(w, PASS_PINS, 0, false);
    if (plan->wind.on) {
        add(w, PASS_WIND, 0, false);
    }
    add(w, PASS_PREDICT, 0, false);
    if (collides_coarsely(plan)) {
        add(w, PASS_COARSE_BEGIN, 0, false);
        add(w, PASS_COARSE, 0, false);
        add(w, PASS_SAMPLE, 0, false);
    }
    add(w, PASS_BODIES, 0, false);
    for (int cycle = 0; cycle < w->def.solver.cycles; cycle++) {
        add_cycle(w, cycle > 0);
    }
    if (w->def.solver.self_collision) {
        add(w, PASS_SELF, 0, false);
    }
    add(w, PASS_VELOCITY, 0, false);
    if (!plan->coarse_only) {
        add(w, PASS_DETECT, 0, false);
        add(w, PASS_RESPOND, 0, false);
        if (plan->maps) {
            add(w, PASS_MAPS_RESPOND, 0, false);
        }
        plan_add_ccd(plan);
    }
    add(w, PASS_MOVE, 0, false);
    plan->epilogue = plan->pass_count;
}

/* Substeps instead of more iterations: what constraints leave undone after one cycle goes with the
 * square of the substep. So many give the hanging scene of docs/benchmarks.md a mean strain below
 * 1.5 % at every size tried. */
static double longest_substep(const toile_world *w) {
    (void)w;
    return 1.0 / 720.0;
}

const solver_table multilevel_solver = {.longest_substep = longest_substep,
                                        .choose = choose_levels,
                                        .create = create_levels,
                                        .level_grid = level_grid,
                                        .fill = fill,
                                        .fill_world = fill_world,
                                        .passes = passes};
