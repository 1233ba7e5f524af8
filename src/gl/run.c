/* A step is queued as a list of dispatches with a barrier behind each. What it has to tell is read
 * back at its end; before that the host only learns when iterations have ended (gl/watch.h). */
#include "gl/run.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "gl/implicit.h"
#include "gl/levels.h"
#include "gl/newton.h"
#include "gl/queue.h"
#include "gl/self.h"
#include "gl/solids.h"
#include "gl/upload.h"

/* How the device does a pass. */
typedef enum gl_way {
    WAY_NONE,     /* not at all */
    WAY_NOTHING,  /* there is nothing to do: barriers are everywhere, plans are uploaded before */
    WAY_DISPATCH, /* by one program */
    WAY_OWN,      /* by a function of its own */
} gl_way;

typedef struct gl_pass {
    gl_way way;
    gl_program program; /* the first one of WAY_OWN, PROGRAM_NONE for none */
    gl_over over;
} gl_pass;

static const gl_pass passes[PASS_COUNT] = {
    [PASS_BODIES] = {WAY_NOTHING, PROGRAM_NONE, OVER_TEXELS},
    [PASS_DETECT] = {WAY_NOTHING, PROGRAM_NONE, OVER_TEXELS},
    [PASS_COARSE_BEGIN] = {WAY_NOTHING, PROGRAM_NONE, OVER_TEXELS},
    [PASS_COARSE] = {WAY_OWN, PROGRAM_coarse, OVER_VERTICES},
    [PASS_SAMPLE] = {WAY_OWN, PROGRAM_sample, OVER_TEXELS},
    [PASS_BACKUP] = {WAY_OWN, PROGRAM_backup, OVER_TEXELS},
    [PASS_PINS] = {WAY_DISPATCH, PROGRAM_pins, OVER_PINNED},
    [PASS_WIND] = {WAY_DISPATCH, PROGRAM_wind, OVER_TEXELS},
    [PASS_FORCE] = {WAY_DISPATCH, PROGRAM_force, OVER_TEXELS},
    [PASS_INTEGRATE] = {WAY_DISPATCH, PROGRAM_integrate, OVER_TEXELS},
    [PASS_LIMIT] = {WAY_OWN, PROGRAM_limit, OVER_TEXELS},
    [PASS_REST] = {WAY_OWN, PROGRAM_limit, OVER_TEXELS},
    [PASS_RESPOND] = {WAY_OWN, PROGRAM_respond, OVER_TEXELS},
    [PASS_MOVE] = {WAY_DISPATCH, PROGRAM_move, OVER_TEXELS},
    [PASS_CHECK] = {WAY_OWN, PROGRAM_check, OVER_TEXELS},
    [PASS_PREDICT] = {WAY_DISPATCH, PROGRAM_predict, OVER_TEXELS},
    [PASS_BEND] = {WAY_DISPATCH, PROGRAM_bend, OVER_TEXELS},
    [PASS_RESTRICT] = {WAY_DISPATCH, PROGRAM_restrict, OVER_TEXELS},
    [PASS_UPSAMPLE] = {WAY_OWN, PROGRAM_upsample, OVER_TEXELS},
    [PASS_RELAX] = {WAY_OWN, PROGRAM_relax, OVER_TEXELS},
    [PASS_PROJECT_OUT] = {WAY_DISPATCH, PROGRAM_project, OVER_TEXELS},
    [PASS_SELF] = {WAY_OWN, PROGRAM_self_key, OVER_TEXELS},
    [PASS_SELF_AHEAD] = {WAY_OWN, PROGRAM_self_key, OVER_TEXELS},
    [PASS_SELF_AFTER] = {WAY_OWN, PROGRAM_self_stop, OVER_TEXELS},
    [PASS_SELF_FORGET] = {WAY_DISPATCH, PROGRAM_self_forget, OVER_TEXELS},
    [PASS_BEGIN] = {WAY_DISPATCH, PROGRAM_implicit_begin, OVER_TEXELS},
    [PASS_STAGE] = {WAY_DISPATCH, PROGRAM_implicit_stage, OVER_TEXELS},
    [PASS_CHANGE] = {WAY_DISPATCH, PROGRAM_implicit_change, OVER_TEXELS},
    [PASS_MESHES_BEGIN] = {WAY_NOTHING, PROGRAM_NONE, OVER_TEXELS},
    [PASS_MESHES] = {WAY_DISPATCH, PROGRAM_implicit_meshes, OVER_TEXELS},
    [PASS_MAPS] = {WAY_DISPATCH, PROGRAM_implicit_maps, OVER_TEXELS},
    [PASS_MAPS_OUT] = {WAY_DISPATCH, PROGRAM_maps_out, OVER_TEXELS},
    [PASS_MAPS_RESPOND] = {WAY_DISPATCH, PROGRAM_maps_respond, OVER_TEXELS},
    [PASS_NORMAL] = {WAY_DISPATCH, PROGRAM_implicit_normal, OVER_TEXELS},
    [PASS_CURL] = {WAY_DISPATCH, PROGRAM_implicit_curl, OVER_TEXELS},
    [PASS_REBOUND] = {WAY_DISPATCH, PROGRAM_implicit_rebound, OVER_TEXELS},
    [PASS_SOLVE] = {WAY_OWN, PROGRAM_finish, OVER_TEXELS},
    [PASS_VELOCITY] = {WAY_DISPATCH, PROGRAM_velocity, OVER_TEXELS},
};

/* Programs of WAY_OWN beside the first. */
static const struct {
    pass pass;
    gl_program program;
} others[] = {{PASS_UPSAMPLE, PROGRAM_odd},
              {PASS_RELAX, PROGRAM_jacobi},
              {PASS_RELAX, PROGRAM_relax_small},
              {PASS_RELAX, PROGRAM_relax_tile},
              {PASS_RELAX, PROGRAM_relax_broad},
              {PASS_RELAX, PROGRAM_jacobi_finish},
              {PASS_BEGIN, PROGRAM_implicit_check},
              {PASS_BEGIN, PROGRAM_implicit_backup},
              {PASS_PREDICT, PROGRAM_finish},
              {PASS_RESPOND, PROGRAM_respond_rows},
              {PASS_SELF, PROGRAM_self_total},
              {PASS_SELF, PROGRAM_self_scan},
              {PASS_SELF, PROGRAM_self_start},
              {PASS_SELF, PROGRAM_self_place},
              {PASS_SELF, PROGRAM_self_rank},
              {PASS_SELF, PROGRAM_self_load},
              {PASS_SELF, PROGRAM_self_push},
              {PASS_SELF_AHEAD, PROGRAM_self_total},
              {PASS_SELF_AHEAD, PROGRAM_self_scan},
              {PASS_SELF_AHEAD, PROGRAM_self_start},
              {PASS_SELF_AHEAD, PROGRAM_self_place},
              {PASS_SELF_AHEAD, PROGRAM_self_rank},
              {PASS_SELF_AHEAD, PROGRAM_self_load},
              {PASS_SELF_AHEAD, PROGRAM_self_meet},
              {PASS_SELF_AHEAD, PROGRAM_self_springs},
              {PASS_SOLVE, PROGRAM_newton_advance},
              {PASS_SOLVE, PROGRAM_newton_coarsen},
              {PASS_SOLVE, PROGRAM_newton_direction},
              {PASS_SOLVE, PROGRAM_newton_down},
              {PASS_SOLVE, PROGRAM_newton_end},
              {PASS_SOLVE, PROGRAM_newton_exact},
              {PASS_SOLVE, PROGRAM_newton_factor},
              {PASS_SOLVE, PROGRAM_newton_forces},
              {PASS_SOLVE, PROGRAM_newton_local},
              {PASS_SOLVE, PROGRAM_newton_move},
              {PASS_SOLVE, PROGRAM_newton_numbers},
              {PASS_SOLVE, PROGRAM_newton_product},
              {PASS_SOLVE, PROGRAM_newton_small},
              {PASS_SOLVE, PROGRAM_newton_springs},
              {PASS_SOLVE, PROGRAM_newton_start},
              {PASS_SOLVE, PROGRAM_newton_up},
              {PASS_SOLVE, PROGRAM_newton_pull},
              {PASS_SOLVE, PROGRAM_newton_stiffen},
              {PASS_SOLVE, PROGRAM_newton_together}};

/* ---- passes -------------------------------------------------------------------------------------
 */

/* Pairs of passes, velocities to the scratch planes and back. */
static void run_limit(gl_run_state *run, bool rates, int pairs) {
    bool limited = false;
    for (int c = 0; c < run->plan->cloth_count; c++) {
        limited |= run->plan->cloths[c].limited;
    }
    for (int i = 0; limited && i < 2 * pairs; i++) {
        bool back = i % 2 != 0;
        gl_call_all(run, &(gl_call){.program = PROGRAM_limit,
                                    .numbers = {back ? PLANE_sx : PLANE_vx,
                                                back ? PLANE_vx : PLANE_sx, rates}});
    }
}

/* From texels to the coarse mesh, or back: by a compute shader alone, or behind drawing where the
 * cloth has a surface. */
static void run_coarse(gl_run_state *run, const device_cloth *cloth, bool back) {
    const gl_surface *drawn = cloth->surface.frame ? &cloth->surface : NULL;
    gl_call call = {.program = back ? PROGRAM_sample : PROGRAM_coarse,
                    .over = back ? OVER_TEXELS : OVER_VERTICES};
    if (drawn && back) {
        surface_sample(drawn);
        call.program = PROGRAM_sample_drawn;
    } else if (drawn) {
        surface_project(drawn, PLANE_x, PLANE_vx);
        call.program = PROGRAM_coarse_seen;
    }
    run->bound.program = drawn ? 0 : run->bound.program;
    gl_dispatch(run, &call, cloth);
}

/* Counts of the hash begin at zero; texels are sorted into it. */
static void sort_texels(gl_run_state *run) {
    const gl_self *self = &run->gl->self;
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, self->slots);
    glClearBufferSubData(GL_SHADER_STORAGE_BUFFER, GL_R32UI, 0,
                         (GLsizeiptr)((size_t)self->slot_count * sizeof(uint32_t)), GL_RED_INTEGER,
                         GL_UNSIGNED_INT, NULL);
    gl_call_all(run, &(gl_call){.program = PROGRAM_self_key});
    gl_call_all(run, &(gl_call){.program = PROGRAM_self_total, .over = OVER_SLOTS});
    gl_call_all(run, &(gl_call){.program = PROGRAM_self_scan, .over = OVER_HASH});
    gl_call_all(run, &(gl_call){.program = PROGRAM_self_start, .over = OVER_SLOTS});
    gl_call_all(run, &(gl_call){.program = PROGRAM_self_place});
    gl_call_all(run, &(gl_call){.program = PROGRAM_self_rank});
}

/* No springs yet that repel texels, and every part an island. */
static void clear_repels(const gl_self *self) {
    if (self->repels != 0) {
        glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
        glBindBuffer(GL_SHADER_STORAGE_BUFFER, self->repels);
        glClearBufferSubData(GL_SHADER_STORAGE_BUFFER, GL_R32UI, 0,
                             (GLsizeiptr)((size_t)self->repels_at * sizeof(uint32_t)),
                             GL_RED_INTEGER, GL_UNSIGNED_INT, NULL);
    }
}

static void run_self(gl_run_state *run, pass p) {
    sort_texels(run);
    for (int i = 0; p == PASS_SELF && i < SELF_PUSHES; i++) {
        gl_call_all(run, &(gl_call){.program = PROGRAM_self_load});
        gl_call_all(run, &(gl_call){.program = PROGRAM_self_push});
    }
    if (p != PASS_SELF) {
        bool ahead = p == PASS_SELF_AHEAD;
        gl_call_all(run, &(gl_call){.program = PROGRAM_self_load});
        clear_repels(&run->gl->self);
        gl_call_all(run, &(gl_call){.program = PROGRAM_self_meet});
        gl_call_all(run, &(gl_call){.program = ahead ? PROGRAM_self_springs : PROGRAM_self_stop});
    }
}

static bool is_implicit(const gl_run_state *run) {
    return run->plan->cloth_count > 0 && run->cloths[0]->implicit.planes != 0;
}

/* Keeps the state, or goes back to it. */
static void run_backup(gl_run_state *run, bool back) {
    gl_program program = is_implicit(run) ? PROGRAM_implicit_backup : PROGRAM_backup;
    gl_call_all(run, &(gl_call){.program = program, .numbers = {back}});
}

/* With one body at most, and none known by images, the passes from velocities to the move concern
 * each texel by itself: one program does them. */
static bool can_finish(const step_plan *plan, int p) {
    return p < plan->pass_count && plan->passes[p].pass == PASS_VELOCITY && plan->body_count <= 1 &&
           !plan->maps;
}

/* Returns the number of the last pass that it has done, the move. */
static int run_finish(gl_run_state *run, int velocity, gl_program program) {
    const step_plan *plan = run->plan;
    GLint responds = 0;
    int p = velocity;
    for (; plan->passes[p].pass != PASS_MOVE; p++) {
        responds |=
            plan->passes[p].pass == PASS_RESPOND && plan->body_count == 1 && !plan->bodies[0].solid;
    }
    timer_mark(&run->gl->timer, TOILE_STAGE_MOVE, 0);
    gl_call_all(run, &(gl_call){.program = program, .numbers = {responds}});
    return p;
}

/* Rows are swept again where texels touch more than one body. */
static void run_respond(gl_run_state *run) {
    const plan_body *bodies = run->plan->bodies;
    if (run->plan->body_count > 1) {
        gl_call_all(run, &(gl_call){.program = PROGRAM_respond_rows, .over = OVER_ROWS});
    } else if (run->plan->body_count == 1 && !bodies[0].solid) {
        gl_call_all(run, &(gl_call){.program = PROGRAM_respond});
    }
}

/* What a program over texels is told beside its level. */
static GLint number_of(const gl_run_state *run, pass_call call) {
    switch (call.pass) {
    case PASS_PINS:
        return run->plan->substeps - run->substep;
    case PASS_MESHES:
        return run->substep == 0;
    case PASS_MAPS:
    case PASS_MAPS_RESPOND:
        return run->substep + 1 == run->plan->substeps;
    default:
        return call.again;
    }
}

/* Also what sleep asks for, of the implicit solver. */
static void run_check(gl_run_state *run) {
    gl_program program = run->plan->motions ? PROGRAM_implicit_check : PROGRAM_check;
    gl_call_all(run, &(gl_call){.program = program});
}

static void run_pass(gl_run_state *run, pass_call call) {
    const gl_pass *how = &passes[call.pass];
    if (how->way == WAY_NOTHING) {
        return;
    }
    timer_mark(&run->gl->timer, pass_stage(call.pass), call.level);
    if (call.pass == PASS_FORCE || call.pass == PASS_COARSE) {
        run->gl->stamp++;
    }
    if (call.pass == PASS_BACKUP) {
        run_backup(run, false);
    } else if (call.pass == PASS_CHECK) {
        run_check(run);
    } else if (call.pass == PASS_LIMIT) {
        run_limit(run, false, run->plan->limit_pairs);
    } else if (call.pass == PASS_REST) {
        run_limit(run, true, REST_PAIRS);
    } else if (call.pass == PASS_COARSE || call.pass == PASS_SAMPLE) {
        for (int c = 0; c < run->plan->cloth_count; c++) {
            if (!run->plan->cloths[c].asleep) {
                run_coarse(run, run->cloths[c], call.pass == PASS_SAMPLE);
            }
        }
        glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
    } else if (call.pass == PASS_SOLVE) {
        gl_newton_run(run);
    } else if (call.pass == PASS_SELF || call.pass == PASS_SELF_AHEAD ||
               call.pass == PASS_SELF_AFTER) {
        run_self(run, call.pass);
    } else if (call.pass == PASS_RESPOND) {
        run_respond(run);
    } else if (call.pass == PASS_UPSAMPLE) {
        gl_run_upsample(run, call.level);
    } else {
        if (call.pass == PASS_MESHES) {
            call.share = run->gl->mesh_motion[run->substep - run->chunk];
        }
        gl_call_all(run, &(gl_call){.program = how->program,
                                    .over = how->over,
                                    .level = call.level,
                                    .share = call.share,
                                    .numbers = {number_of(run, call)}});
    }
}

/* Relaxation may do the passes behind it, too. Returns the number of the last one done. */
static int run_relax(gl_run_state *run, int relax) {
    const step_plan *plan = run->plan;
    int depth = plan->passes[relax].level, next = relax + 1;
    bool projects = next < plan->pass_count && plan->passes[next].pass == PASS_PROJECT_OUT;
    timer_mark(&run->gl->timer, TOILE_STAGE_SOLVE, depth);
    if (depth == 0 && can_finish(plan, next) && gl_run_but_last(run)) {
        return run_finish(run, next, PROGRAM_jacobi_finish);
    }
    return gl_run_relax(run, depth, projects) ? next : relax;
}

static void run_passes(gl_run_state *run, int begin, int end) {
    const step_plan *plan = run->plan;
    for (int p = begin; p < end; p++) {
        if (can_finish(plan, p)) {
            p = run_finish(run, p, PROGRAM_finish);
        } else if (plan->passes[p].pass == PASS_RELAX) {
            p = run_relax(run, p);
        } else {
            run_pass(run, plan->passes[p]);
        }
    }
}

/* ---- a step -------------------------------------------------------------------------------------
 */

/* Refuses what the device does not do, in front of the step. */
static toile_result check_plan(const step_plan *plan) {
    for (int p = 0; p < plan->pass_count; p++) {
        pass what = plan->passes[p].pass;
        if (passes[what].way == WAY_NONE) {
            return error_set(TOILE_ERROR_UNAVAILABLE,
                             "device \"gl\" cannot do a pass of stage \"%s\" (number %d): expected "
                             "device \"cpu\" for this world",
                             toile_stage_name(pass_stage(what)), (int)what);
        }
    }
    return TOILE_OK;
}

static toile_result prepare_programs(machine *m, const step_plan *plan) {
    toile_result result = machine_prepare(m, PROGRAM_check);
    for (int p = 0; p < plan->pass_count && result == TOILE_OK; p++) {
        pass what = plan->passes[p].pass;
        if (passes[what].program != PROGRAM_NONE) {
            result = machine_prepare(m, passes[what].program);
        }
        for (size_t i = 0; i < sizeof others / sizeof *others && result == TOILE_OK; i++) {
            if (others[i].pass == what) {
                result = machine_prepare(m, others[i].program);
            }
        }
    }
    return result;
}

/* Room for the marks of all cloths on the host. */
static mark_block *stage_marks(const gl_run_state *run, size_t *bytes) {
    *bytes = (size_t)run->plan->cloth_count * sizeof(mark_block);
    return gl_stage(run->gl, *bytes);
}

static toile_result clear_marks(const gl_run_state *run) {
    size_t bytes;
    mark_block *marks = stage_marks(run, &bytes);
    for (int c = 0; c < run->plan->cloth_count && marks; c++) {
        marks[c] = (mark_block){.bad = INT_MAX,
                                .low_x = INT_MAX,
                                .low_y = INT_MAX,
                                .low_z = INT_MAX,
                                .high_x = INT_MIN,
                                .high_y = INT_MIN,
                                .high_z = INT_MIN};
    }
    return marks ? gl_fill(run->gl->machine, &run->gl->marks, bytes, marks) : TOILE_ERROR_MEMORY;
}

/* What cloths have in the step that may change when it is made again. */
static toile_result upload_systems(gl_run_state *run) {
    device_context *gl = run->gl;
    toile_result result = TOILE_OK;
    if (gl->newton.equations.panels > 0) {
        result = gl_newton_upload(gl, run->plan, run->cloths);
    }
    if (result == TOILE_OK && gl->self.cloth_count > 0) {
        result = gl_self_upload(gl, run->plan, run->cloths);
    }
    return result;
}

static toile_result prepare(gl_run_state *run) {
    device_context *gl = run->gl;
    toile_result result = prepare_programs(gl->machine, run->plan);
    for (int c = 0; c < run->plan->cloth_count && result == TOILE_OK; c++) {
        if (c > 0 && run->plan->cloths[c].asleep) {
            continue; /* the first one is bound where a pass is of no cloth */
        }
        result = upload_cloth(run->cloths[c], run->plan, c);
    }
    if (result == TOILE_OK) {
        result = gl_solids_upload(gl, run->plan);
    }
    if (result == TOILE_OK) {
        result = upload_systems(run);
    }
    if (run->plan->maps) {
        glActiveTexture(GL_TEXTURE0 + MAP_UNIT_IMAGES);
        glBindTexture(GL_TEXTURE_2D_ARRAY, gl->maps.images);
    }
    timer_open(&gl->timer);
    return result;
}

static toile_result queue_all(gl_run_state *run) {
    step_plan *plan = run->plan;
    gl_timer *timer = &run->gl->timer;
    toile_result result = TOILE_OK;
    gl_queue queue = {0};
    timer_begin(timer, plan->substeps, plan->epilogue - plan->prologue);
    for (int s = 0; s < plan->substeps && result == TOILE_OK; s++) {
        if (s % GL_CHUNK == 0) {
            int end = s + GL_CHUNK < plan->substeps ? s + GL_CHUNK : plan->substeps;
            result = upload_moments(run->gl, plan, s, end);
            run->chunk = s;
        }
        run->substep = s;
        if (s == 0 && result == TOILE_OK) {
            timer_substep(timer, -1);
            run_passes(run, 0, plan->prologue);
        }
        if (result == TOILE_OK) {
            timer_substep(timer, s);
            run_passes(run, plan->prologue, plan->epilogue);
            result = queue_substep(&queue, plan, s) ? TOILE_ERROR_STOPPED : TOILE_OK;
        }
    }
    queue_close(&queue);
    if (result == TOILE_OK) {
        timer_substep(timer, -1);
        run_passes(run, plan->epilogue, plan->pass_count);
        run_pass(run, (pass_call){.pass = PASS_CHECK});
    }
    return result;
}

/* A float, from its bits and from bits whose order is that of floats. */
static float float_of(int bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float ordered_float(int bits) {
    return float_of(bits >= 0 ? bits : bits ^ INT_MAX);
}

static cloth_motion motion_of(const mark_block *m) {
    return (cloth_motion){
        .gone = sqrtf(float_of(m->gone)),
        .fastest = sqrtf(float_of(m->fastest)),
        .low = v3_make(ordered_float(m->low_x), ordered_float(m->low_y), ordered_float(m->low_z)),
        .high =
            v3_make(ordered_float(m->high_x), ordered_float(m->high_y), ordered_float(m->high_z))};
}

/* What a cloth has told, to what those before it have. */
static void take_mark(gl_run_state *run, int c, const mark_block *mark) {
    gl_outcome *out = &run->outcome;
    if (mark->bad != INT_MAX && !out->failed) {
        int columns = run->cloths[c]->grid.columns;
        out->failure = (device_failure){c, mark->bad % columns, mark->bad / columns};
        out->failed = true;
    }
    out->hurried |= mark->hurried != 0;
    out->wanted = mark->wanted > out->wanted ? mark->wanted : out->wanted;
    out->cut |= mark->cut != 0;
    out->drawn = mark->drawn > out->drawn ? mark->drawn : out->drawn;
    out->springs = mark->springs > out->springs ? mark->springs : out->springs;
    if (mark->gradients > out->solved.gradients) {
        out->solved.gradients = mark->gradients;
    }
    if (mark->iterations > out->solved.iterations) {
        out->solved.iterations = mark->iterations;
    }
    out->solved.converged &= mark->restless == 0;
    out->solved.last_move = fmax(out->solved.last_move, (double)mark->last_move);
    out->solved.struck |= mark->struck != 0;
    out->solved.hidden += (uint64_t)mark->hidden;
}

/* The one read-back of a step. */
static toile_result read_marks(gl_run_state *run) {
    size_t bytes;
    mark_block *marks = stage_marks(run, &bytes);
    if (!marks) {
        return TOILE_ERROR_MEMORY;
    }
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, run->gl->marks.handle);
    glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, (GLsizeiptr)bytes, marks);
    for (int c = 0; c < run->plan->cloth_count; c++) {
        take_mark(run, c, &marks[c]);
        if (run->plan->motions && !run->plan->cloths[c].asleep) {
            run->plan->motions[c] = motion_of(&marks[c]);
        }
    }
    return TOILE_OK;
}

/* All substeps. */
static toile_result run_all(gl_run_state *run, toile_profile *profile) {
    run->outcome = (gl_outcome){.solved = {.converged = true}};
    toile_result result = clear_marks(run);
    if (result != TOILE_OK) {
        return result;
    }
    toile_result queued = queue_all(run);
    result = read_marks(run);
    timer_end(&run->gl->timer, profile);
    toile_result there = context_check("making a step");
    return queued != TOILE_OK ? queued : result != TOILE_OK ? result : there;
}

/* Of what was too few. How long iterations took with springs missing tells nothing. */
static toile_result queue_more(gl_run_state *run) {
    if (run->outcome.springs > 0) {
        toile_result result = gl_self_grow(run->gl, run->outcome.springs);
        run->bound = (gl_bindings){0}; /* a buffer is gone */
        return result == TOILE_OK ? upload_systems(run) : result;
    }
    if (run->outcome.hurried) {
        run->iterations = gl_more_iterations(run->iterations, run->plan);
    }
    if (run->outcome.cut) {
        run->gradients = gl_more_gradients(run->gradients, run->plan);
    }
    return TOILE_OK;
}

static bool is_short(const gl_outcome *o) {
    return o->hurried || o->cut || o->springs > 0;
}

/* Where the GPU cannot tell that iterations have ended while they are queued (gl/watch.h), they are
 * fewer than there may be, if lately that was enough. Where it is not this time, the step is made
 * again with more of them: queueing them for cloth that has settled would take longer than
 * everything else. Likewise with more room for springs that repel texels. What comes out is the
 * same. */
static toile_result run_in_context(gl_run_state *run, toile_profile *profile) {
    const bool told = run->gl->newton.watch.told;
    run->iterations =
        told ? run->plan->most_iterations : gl_guess_iterations(&run->gl->guess, run->plan);
    run->gradients =
        told ? run->plan->gradients : gl_guess_gradients(&run->gl->gradients, run->plan);
    toile_result result = prepare(run);
    if (result != TOILE_OK) {
        return result;
    }
    result = run_all(run, profile);
    while (result == TOILE_OK && is_short(&run->outcome)) {
        run_backup(run, true);
        result = queue_more(run);
        result = result == TOILE_OK ? run_all(run, profile) : result;
    }
    gl_learn_iterations(&run->gl->guess, run->outcome.wanted);
    gl_learn_iterations(&run->gl->gradients, run->outcome.drawn);
    bool gives_up = run->outcome.solved.struck && run->plan->gives_up;
    bool failed = run->outcome.failed && !gives_up;
    if (gives_up || failed || result != TOILE_OK) {
        run_backup(run, true);
    }
    return failed && result == TOILE_OK ? TOILE_ERROR_NUMERICAL : result;
}

toile_result gl_run(device_context *gl, step_plan *plan, device_cloth *const *cloths,
                    toile_profile *profile, device_solved *solved, device_failure *failure) {
    gl_run_state run = {.gl = gl, .plan = plan, .cloths = cloths};
    context_before before;
    *solved = (device_solved){.converged = true};
    if (gl->failed || gl->away) {
        gl->away = false;
        return error_set(TOILE_ERROR_UNAVAILABLE, "%s", gl->failure);
    }
    toile_result result = check_plan(plan);
    if (result == TOILE_OK) {
        result = context_enter(&gl->machine->context, &before);
    }
    if (result == TOILE_OK) {
        result = run_in_context(&run, profile);
        *solved = run.outcome.solved;
        *failure = run.outcome.failure;
        context_leave(&gl->machine->context, &before);
    }
    return result;
}
