/* The plan of a step: which passes, how many substeps, and all the numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "kernel/self.h"
#include "step/world.h"

/* Rows are looked at this many spacings ahead: what the elongation limit may still move a texel in
 * a substep. */
static const float CONTACT_REACH = 0.25f;

static const int MOST_SUBSTEPS = 100000;

/* NULL for springs, which need nothing special. */
static const solver_table *solver_of(const toile_world *w) {
    return w->def.solver.kind == TOILE_SOLVER_MULTILEVEL ? &multilevel_solver
           : w->def.solver.kind == TOILE_SOLVER_IMPLICIT ? &implicit_solver
                                                         : NULL;
}

void plan_free(toile_world *w) {
    free(w->plan.passes);
    free(w->plan.bodies);
    free(w->plan.pins);
    free(w->plan.couplings);
    free(w->plan.cloths);
    free(w->plan.motions);
    free(w->plan_cloths);
    free(w->contact_numbers);
    free(w->stirring);
    w->plan = (step_plan){0};
    w->plan_cloths = NULL;
    w->contact_numbers = NULL;
    w->stirring = NULL;
}

static int count_used(const slots *s) {
    int count = 0;
    for (size_t i = 0; i < s->count; i++) {
        count += s->items[i]->used;
    }
    return count;
}

/* Pins that are not soft. */
static int count_held(const toile_world *w) {
    int count = 0;
    for (size_t i = 0; i < w->pins.count; i++) {
        const pin *p = world_pin(w, i);
        count += p && p->stiffness == 0.0f;
    }
    return count;
}

/* Passes of a substep and around it, whatever wind and bodies ask for: multilevel has 9 for a level
 * in each cycle. */
static int most_passes(const toile_world *w) {
    enum { OTHERS = 48, A_LEVEL = 9 };
    return solver_of(w) ? OTHERS + A_LEVEL * w->plan.level_count * w->def.solver.cycles : OTHERS;
}

static float distance_kept(const cloth *c) {
    return self_distance(c->def.fabric.thickness, c->grid.spacing);
}

bool plan_is_bounded(const toile_world *w) {
    return w->def.solver.bounded && w->device->set_meet;
}

static toile_result prepare_self(toile_world *w) {
    int index = 0;
    float *distances =
        memory_alloc((size_t)w->plan.cloth_count, sizeof *distances, "the plan of a step");
    if (!distances) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t i = 0; i < w->cloths.count; i++) {
        if (world_cloth(w, i)) {
            distances[index++] = distance_kept(world_cloth(w, i));
        }
    }
    toile_result result = w->device->set_self(w->context, w->plan_cloths, distances, index);
    free(distances);
    return result;
}

static toile_result prepare_ccd(toile_world *w) {
    toile_result result = TOILE_OK;
    for (size_t i = 0; i < w->cloths.count && w->device->set_ccd && result == TOILE_OK; i++) {
        cloth *c = world_cloth(w, i);
        if (c) {
            result = w->device->set_ccd(c->memory, w->plan.ccd, w->plan.edges);
        }
    }
    return result;
}

/* All cloths as one system, with what ties them. The null device has none. */
static toile_result prepare_equations(toile_world *w) {
    coupling_base *rows = NULL;
    int count = 0;
    toile_result result = couplings_list(w, &rows, &count);
    if (result == TOILE_OK && w->device->set_equations) {
        result =
            w->device->set_equations(w->context, w->plan_cloths, w->plan.cloth_count, rows, count);
        w->plan.level_count = w->device->system(w->context).levels;
    }
    free(rows);
    return result;
}

/* The arrays of a solver with levels. */
static toile_result prepare_levels(toile_world *w, const solver_table *table) {
    step_plan *plan = &w->plan;
    size_t largest[MAX_LEVELS] = {0};
    plan->level_count = 1;
    if (table->choose) {
        table->choose(w);
    }
    int index = 0;
    for (size_t i = 0; i < w->cloths.count; i++) {
        cloth *c = world_cloth(w, i);
        if (!c) {
            continue;
        }
        w->plan_cloths[index++] = c->memory;
        toile_result result = table->create(w, c);
        if (result != TOILE_OK) {
            return result;
        }
        for (int k = 0; k < MAX_LEVELS && table->level_grid(c, k); k++) {
            size_t texels = grid_texels(table->level_grid(c, k));
            largest[k] = texels > largest[k] ? texels : largest[k];
            plan->level_count = k + 1 > plan->level_count ? k + 1 : plan->level_count;
        }
    }
    for (int k = 1; k < plan->level_count; k++) { /* all threads always meet at the finest */
        plan->levels[k].small = largest[k] < SMALL_LEVEL;
    }
    toile_result result = TOILE_OK;
    if (table->one_system) {
        result = prepare_equations(w);
    }
    if (result != TOILE_OK || !w->def.solver.self_collision) {
        return result;
    }
    return plan_is_bounded(w) ? w->device->set_meet(w->context, w->plan_cloths, w->plan.cloth_count)
                              : prepare_self(w);
}

toile_result plan_prepare(toile_world *w) {
    if (w->prepared) {
        return TOILE_OK;
    }
    toile_result result = bodies_check(w);
    if (result == TOILE_OK) {
        result = maps_prepare(w);
    }
    if (result != TOILE_OK) {
        return result;
    }
    plan_free(w);
    step_plan *plan = &w->plan;
    plan->cloth_count = count_used(&w->cloths);
    plan->body_count = count_used(&w->bodies);
    plan->pin_count = count_held(w);
    size_t cloths = (size_t)plan->cloth_count, bodies = (size_t)plan->body_count;
    plan->bodies = memory_alloc(bodies, sizeof *plan->bodies, "the plan of a step");
    plan->pins = memory_alloc((size_t)plan->pin_count, sizeof *plan->pins, "the plan of a step");
    plan->cloths = memory_alloc(cloths, sizeof *plan->cloths, "the plan of a step");
    w->plan_cloths = memory_alloc(cloths, sizeof *w->plan_cloths, "the plan of a step");
    w->contact_numbers = memory_alloc(cloths * bodies, 3 * sizeof(float), "the plan of a step");
    if (!plan->bodies || !plan->pins || !plan->cloths || !w->plan_cloths || !w->contact_numbers) {
        plan_free(w);
        return TOILE_ERROR_MEMORY;
    }
    if (sleep_is_on(w)) {
        plan->motions = memory_alloc(cloths, sizeof *plan->motions, "the plan of a step");
        w->stirring = memory_alloc(w->cloths.count, sizeof *w->stirring, "the plan of a step");
    }
    if (sleep_is_on(w) && (!plan->motions || !w->stirring)) {
        plan_free(w);
        return TOILE_ERROR_MEMORY;
    }
    cloths_update_masses(w);
    plan->ccd = bodies_take_ccd(w);
    plan->edges = plan->ccd && w->def.edges;
    result = solver_of(w) ? prepare_levels(w, solver_of(w)) : TOILE_OK;
    if (result == TOILE_OK) {
        result = prepare_ccd(w);
    }
    if (result == TOILE_OK) {
        plan->pass_capacity = most_passes(w);
        plan->passes =
            memory_alloc((size_t)plan->pass_capacity, sizeof *plan->passes, "the plan of a step");
        result = plan->passes ? TOILE_OK : TOILE_ERROR_MEMORY;
    }
    if (result != TOILE_OK) {
        plan_free(w);
        return result;
    }
    w->prepared = true;
    w->info.substeps = 0; /* says again what is chosen */
    return TOILE_OK;
}

/* How many substeps the fabrics need at their own stiffness. */
static double true_substeps(const toile_world *w, float time_step) {
    double most = 1.0;
    for (size_t i = 0; i < w->cloths.count; i++) {
        const cloth *c = world_cloth(w, i);
        if (c) {
            double longest = springs_true_substep(&c->def.fabric, (double)c->grid.spacing);
            most = fmax(most, ceil((double)time_step / longest));
        }
    }
    return most;
}

/* The longest substep in which texels that meet do not get past each other, s. */
static double meeting_substep(const toile_world *w) {
    double speed = plan_is_bounded(w) ? 0.0 : solver_of(w)->meeting_speed, longest = INFINITY;
    for (size_t i = 0; i < w->cloths.count && w->def.solver.self_collision && speed > 0.0; i++) {
        const cloth *c = world_cloth(w, i);
        if (c) {
            longest = fmin(longest, (double)distance_kept(c) / speed);
        }
    }
    return longest;
}

static int substeps_of(const toile_world *w, float time_step, double longest) {
    double needed = ceil((double)time_step / longest - 1e-3);
    return (int)fmax(1.0, fmin(needed, (double)w->def.solver.max_substeps));
}

/* How many a solver with levels takes, said where self-collision makes them more. */
static int usual_substeps(toile_world *w, float time_step) {
    const solver_table *s = solver_of(w);
    const double longest = s->longest_substep(w);
    int alone = substeps_of(w, time_step, longest);
    int substeps = substeps_of(w, time_step, fmin(longest, meeting_substep(w)));
    if (substeps > alone && substeps != w->said_substeps) {
        w->said_substeps = substeps;
        world_log(w, TOILE_LOG_SUBSTEPS,
                  "%d substeps of %.3g ms, for cloth that meets cloth at %.3g m/s; %d would do "
                  "without self-collision",
                  substeps, 1e3 * (double)time_step / substeps, s->meeting_speed, alone);
    }
    return substeps;
}

static toile_result choose_substeps(toile_world *w, float time_step) {
    const toile_solver_def *solver = &w->def.solver;
    if (solver_of(w)) {
        w->plan.substeps =
            solver->substeps > 0 ? solver->substeps : usual_substeps(w, time_step) << w->halvings;
        w->plan.substep = w->plan.moment = time_step / (float)w->plan.substeps;
        return TOILE_OK;
    }
    double needed = true_substeps(w, time_step);
    int substeps = solver->substeps;
    if (substeps == 0 && solver->stiffness == TOILE_STIFFNESS_TRUE) {
        if (needed > MOST_SUBSTEPS) {
            return error_set(TOILE_ERROR_INVALID,
                             "the fabric's own stiffness needs %.3g substeps a step of %g s: "
                             "expected at most %d; "
                             "use a larger spacing or stiffness \"auto\"",
                             needed, (double)time_step, MOST_SUBSTEPS);
        }
        substeps = (int)needed;
    } else if (substeps == 0) {
        substeps = (int)fmin(needed, (double)solver->max_substeps);
    }
    bool changed = w->info.substeps != substeps || w->said_time_step != time_step;
    w->plan.substeps = substeps;
    w->plan.substep = w->plan.moment = time_step / (float)substeps;
    if (!changed) {
        return TOILE_OK;
    }
    if (solver->substeps == 0) {
        world_log(w, TOILE_LOG_SUBSTEPS,
                  "%d substeps of %.3g ms; the fabrics' own stiffness needs %.0f", substeps,
                  (double)w->plan.substep * 1e3, needed);
    } else if (solver->stiffness == TOILE_STIFFNESS_TRUE && substeps < needed) {
        world_log(w, TOILE_LOG_SUBSTEPS_UNSTABLE,
                  "%d substeps were asked for, but the fabrics' own stiffness is stable only from "
                  "%.0f on",
                  substeps, needed);
    }
    return TOILE_OK;
}

static void choose_springs(toile_world *w, float time_step) {
    bool soften = w->def.solver.stiffness == TOILE_STIFFNESS_AUTO && !solver_of(w);
    toile_solver_info *info = &w->info;
    bool changed = info->substeps != w->plan.substeps || w->said_time_step != time_step;
    w->said_time_step = time_step;
    info->substeps = w->plan.substeps;
    info->stretch_scale = info->shear_scale = info->bend_scale = 1.0;
    info->stable_substep = info->true_substep = INFINITY;
    info->levels = solver_of(w) ? w->plan.level_count : 0;
    info->stretch_damping = info->bend_damping = INFINITY;
    for (size_t i = 0; i < w->cloths.count; i++) {
        cloth *c = world_cloth(w, i);
        if (!c) {
            continue;
        }
        if (c->springs_of != w->plan.substep) {
            c->springs = springs_create(&c->def.fabric, (double)c->grid.spacing,
                                        (double)w->plan.substep, soften);
            c->springs_of = w->plan.substep;
        }
        const springs s = c->springs;
        info->stretch_scale = fmin(info->stretch_scale, s.stretch_scale);
        info->shear_scale = fmin(info->shear_scale, s.shear_scale);
        info->bend_scale = fmin(info->bend_scale, s.bend_scale);
        if (!solver_of(w)) { /* the others are stable at any */
            info->stable_substep = fmin(info->stable_substep, s.stable_substep);
            info->true_substep = fmin(info->true_substep, s.true_substep);
        }
        info->stretch_damping = fmin(info->stretch_damping, s.stretch_retardation);
        info->bend_damping = fmin(info->bend_damping, s.bend_retardation);
        bool softened = fmin(s.stretch_scale, fmin(s.shear_scale, s.bend_scale)) < 1.0;
        if (changed && softened) {
            world_log(w, TOILE_LOG_SOFTENED,
                      "cloth '%s' is softened to %.3g %% of its stretch, %.3g %% of its shear and "
                      "%.3g %% of its "
                      "bending stiffness; its elongation limit holds",
                      c->name, 100.0 * s.stretch_scale, 100.0 * s.shear_scale,
                      100.0 * s.bend_scale);
        }
        double own = (double)c->def.fabric.damping;
        if (changed && !solver_of(w) && fmin(s.stretch_retardation, s.bend_retardation) < own) {
            world_log(w, TOILE_LOG_DAMPING_CHANGED,
                      "cloth '%s' is damped with %.3g ms in stretch and %.3g ms in bending instead "
                      "of %.3g ms to keep the step stable",
                      c->name, 1e3 * s.stretch_retardation, 1e3 * s.bend_retardation, 1e3 * own);
        }
    }
}

/* Of the edges by which the middle of what is drawn is below its texels. A cell's diagonal is a
 * chord; and where drawn vertices lie between texels, on those chords already, so is what spans
 * their triangles, which are about as large as cells are. */
static float edges_squared(const cloth *c) {
    const float h = c->grid.spacing, drawn = c->panel->def.render_edge * c->def.transform.scale;
    return 2.0f * h * h + (c->panel->rectangle ? 0.0f : 2.0f * drawn * drawn);
}

/* Distance that keeps flat triangles out of a round body: a chord lies edge^2 / 8 R below the arc.
 * `most` is for bodies with edges. */
static float contact_distance(const toile_world *w, const cloth *c, const body *b,
                              float edge_squared, float most) {
    float margin = w->def.contact_margin;
    if (margin < 0.0f) {
        margin = fminf(edge_squared / (8.0f * body_roundness(b)), most);
    }
    return 0.5f * c->def.fabric.thickness + margin;
}

static void fill_cloth(const toile_world *w, cloth *c, cloth_params *p) {
    const springs *s = &c->springs;
    const toile_fabric *f = &c->def.fabric;
    float h = c->grid.spacing;
    p->spacing = h;
    p->diagonal = h * 1.41421356f;
    p->stretch_u = (float)s->stretch[0];
    p->stretch_v = (float)s->stretch[1];
    p->shear = (float)s->shear;
    p->bend = (float)s->bend;
    p->stretch_retardation = (float)s->stretch_retardation;
    p->bend_retardation = (float)s->bend_retardation;
    p->longest = h * (1.0f + f->limit);
    p->cell_mass = f->density * h * h;
    p->limited = w->def.solver.limit_iterations > 0;
    p->contact_reach = CONTACT_REACH * h;
    p->asleep = c->rest.asleep && !c->rest.wakes;
    p->looks = c->rest.quiet == 0.0;
    if (solver_of(w)) {
        solver_of(w)->fill(w, c, p);
    }
    int index = 0;
    for (size_t i = 0; i < w->bodies.count; i++) {
        const world_body *b = world_body_at(w, i);
        if (b) {
            float own = b->body.def.friction;
            float edge = c->panel->def.coarse_edge * c->def.transform.scale;
            p->contact_distance[index] =
                contact_distance(w, c, &b->body, edges_squared(c), 0.25f * h);
            p->coarse_distance[index] = contact_distance(w, c, &b->body, edge * edge, 0.1f * edge);
            p->contact_friction[index] = own < 0.0f ? f->friction : sqrtf(own * f->friction);
            index++;
        }
    }
}

static void fill_cloths(toile_world *w) {
    size_t index = 0, bodies = (size_t)w->plan.body_count;
    for (size_t i = 0; i < w->cloths.count; i++) {
        cloth *c = world_cloth(w, i);
        if (c) {
            cloth_params *p = &w->plan.cloths[index];
            p->contact_distance = w->contact_numbers + 3 * index * bodies;
            p->coarse_distance = p->contact_distance + bodies;
            p->contact_friction = p->coarse_distance + bodies;
            fill_cloth(w, c, p);
            w->plan_cloths[index++] = c->memory;
        }
    }
}

static void fill_bodies(toile_world *w, double end) {
    plan_body *out = w->plan.bodies;
    for (size_t i = 0; i < w->bodies.count; i++) {
        world_body *b = world_body_at(w, i);
        if (b) {
            body_aim(&b->body, end);
            *out = (plan_body){.start = body_shape_pose(&b->body, &b->body.now),
                               .end = body_shape_pose(&b->body, &b->body.next)};
            out->solid = has_map(w, b)                      ? map_solid(b)
                         : shape_is_mesh(b->body.def.shape) ? &b->body.solid
                                                            : NULL;
            out->joints = body_placed_joints(&b->body);
            out->skin = out->joints ? &b->body.skin : NULL;
            out->rest = out->joints ? b->body.rest : NULL;
            out->shape[0].kind = b->body.def.shape;
            out->shape[0].size = b->body.size;
            out->shape[0].reflection = b->body.def.reflection;
            out->shape[1] = out->shape[0];
            out++;
        }
    }
}

static void aim_pin(pin *p, double end) {
    if (p->driven || p->body) {
        return;
    }
    pose moved = motion_at(&p->motion, end);
    for (int k = 0; k < 3; k++) {
        p->next.position[k] = p->middle[k] + moved.position[k];
    }
    p->next.rotation = moved.rotation;
}

int plan_index(const toile_world *w, size_t cloth_index) {
    int index = 0;
    for (size_t i = 0; i < cloth_index; i++) {
        index += world_cloth(w, i) != NULL;
    }
    return index;
}

plan_pin plan_pin_of(const toile_world *w, pin *p, double end) {
    aim_pin(p, end);
    if (p->rides) {
        pin_aim_ride(w, p);
    } else if (p->body) {
        const body *b = &world_body_at(w, p->body - 1)->body;
        p->now = b->now;
        p->next = b->next;
    }
    return (plan_pin){.start = p->now,
                      .end = p->next,
                      .cloth = plan_index(w, p->cloth),
                      .texels = p->coarse ? p->coarse : p->texels,
                      .anchors = p->anchors,
                      .end_anchors = p->rides ? p->end_anchors : p->anchors,
                      .count = p->count};
}

static void fill_pins(toile_world *w, double end) {
    plan_pin *out = w->plan.pins;
    for (size_t i = 0; i < w->pins.count; i++) {
        pin *p = world_pin(w, i);
        if (p && p->stiffness == 0.0f) {
            *out++ = plan_pin_of(w, p, end);
        }
    }
}

void plan_add(step_plan *plan, pass_call call) {
    TOILE_ASSERT(plan->pass_count < plan->pass_capacity);
    plan->passes[plan->pass_count++] = call;
}

static void add_pass(step_plan *plan, pass p, float share) {
    plan_add(plan, (pass_call){.pass = p, .share = share});
}

void plan_add_ccd(step_plan *plan) {
    if (plan->ccd) {
        add_pass(plan, PASS_CCD, 1.0f);
    }
    if (plan->edges) {
        add_pass(plan, PASS_CCD_EDGES, 1.0f);
    }
}

static void add_forces(step_plan *plan) {
    if (plan->wind.on) {
        add_pass(plan, PASS_WIND, 1.0f);
    }
    add_pass(plan, PASS_FORCE, 1.0f);
}

/* What follows the new velocities in every integrator. */
static void add_collision(step_plan *plan) {
    add_pass(plan, PASS_PINS, 1.0f);
    add_pass(plan, PASS_DETECT, 1.0f);
    add_pass(plan, PASS_LIMIT, 1.0f);
    add_pass(plan, PASS_RESPOND, 1.0f);
    if (plan->maps) {
        add_pass(plan, PASS_MAPS_RESPOND, 1.0f);
    }
    plan_add_ccd(plan);
    add_pass(plan, PASS_MOVE, 1.0f);
}

static void add_start(step_plan *plan) {
    if (plan->ccd) {
        add_pass(plan, PASS_CCD_BEGIN, 1.0f);
    }
}

/* Rabenius eq. (3) and (4). With x_n - x_(n-1) kept as a velocity, Verlet's positions are those of
 * Euler's method that moves by the new velocity, as the programs of Rabenius (section 3.3) and
 * Vassilev (algorithm 1) do; the two differ in how they damp. Moving by the old one, as eq. (3) is
 * printed, was tried: folds under tension have no damping across the threads and gain energy at any
 * substep. */
static void euler_passes(step_plan *plan) {
    plan->prologue = plan->pass_count;
    add_start(plan);
    add_forces(plan);
    add_pass(plan, PASS_BODIES, 1.0f);
    add_pass(plan, PASS_INTEGRATE, 1.0f);
    add_collision(plan);
    plan->epilogue = plan->pass_count;
}

/* What the last half of the velocities gained against the elongation limit is taken off, so that a
 * caller who reads them sees how the cloth moves. */
static void add_rest(step_plan *plan) {
    plan->epilogue = plan->pass_count;
    add_pass(plan, PASS_REST, 1.0f);
}

/* Vassilev eq. (4). The last force of a substep is the first of the next. */
static void velocity_verlet_passes(step_plan *plan) {
    add_pass(plan, PASS_PINS, 1.0f);
    add_forces(plan);
    plan->prologue = plan->pass_count;
    add_start(plan);
    add_pass(plan, PASS_INTEGRATE, 0.5f);
    add_collision(plan);
    add_forces(plan);
    add_pass(plan, PASS_BODIES, 1.0f);
    add_pass(plan, PASS_INTEGRATE, 0.5f);
    add_rest(plan);
}

static void fill_passes(toile_world *w) {
    w->plan.pass_count = 0;
    if (solver_of(w)) {
        solver_of(w)->passes(w);
        return;
    }
    add_pass(&w->plan, PASS_BACKUP, 1.0f);
    if (w->def.solver.integrator == TOILE_INTEGRATOR_VELOCITY_VERLET) {
        velocity_verlet_passes(&w->plan);
    } else {
        euler_passes(&w->plan);
    }
}

static void fill_world(toile_world *w) {
    const toile_world_def *def = &w->def;
    step_plan *plan = &w->plan;
    plan->time = w->time;
    plan->stop = def->stop;
    plan->stop_user = def->stop_user;
    plan->maps = def->collision == TOILE_COLLISION_MAPS && w->maps_drawn;
    plan->follows = def->response == TOILE_RESPONSE_FOLLOW;
    plan->gravity = v3_make(def->gravity[0], def->gravity[1], def->gravity[2]);
    plan->limit_pairs = (def->solver.limit_iterations + 1) / 2;
    bool verlet = def->solver.integrator == TOILE_INTEGRATOR_VERLET;
    plan->viscosity = verlet ? 0.0f : def->solver.damping;
    plan->persistence =
        verlet ? (float)exp(-(double)def->solver.damping * (double)plan->substep) : 1.0f;
    const toile_wind_def *wind = &def->wind;
    plan->wind_def = *wind;
    plan->seed = def->seed;
    plan->wind = (wind_args){.on = wind->velocity[0] != 0.0f || wind->velocity[1] != 0.0f ||
                                   wind->velocity[2] != 0.0f,
                             .drag = 0.5f * wind->air_density * wind->drag,
                             .lift = 0.5f * wind->air_density * wind->lift};
}

toile_result plan_fill(toile_world *w, float time_step) {
    toile_result result = choose_substeps(w, time_step);
    if (result != TOILE_OK) {
        return result;
    }
    w->plan.span = time_step;
    choose_springs(w, time_step);
    fill_world(w);
    if (solver_of(w)) {
        solver_of(w)->fill_world(w);
    }
    double end = w->time + (double)time_step;
    fill_bodies(w, end); /* before the passes, which ask whether there are meshes */
    fill_pins(w, end);
    couplings_fill(w);
    sleep_plan(w);
    fill_cloths(w);
    fill_passes(w);
    return TOILE_OK;
}
