/* A step is queued as a list of dispatches with a barrier behind each, and nothing is read back but
 * what it has to tell at its end. */
#include "gl/run.h"

#include <limits.h>
#include <math.h>

#include "base/error.h"
#include "gl/cycle.h"
#include "gl/dispatch.h"
#include "gl/self.h"
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
    [PASS_WAIT] = {WAY_NOTHING, PROGRAM_NONE, OVER_TEXELS},
    [PASS_BODIES] = {WAY_NOTHING, PROGRAM_NONE, OVER_TEXELS},
    [PASS_DETECT] = {WAY_NOTHING, PROGRAM_NONE, OVER_TEXELS},
    [PASS_COARSE_BEGIN] = {WAY_NOTHING, PROGRAM_NONE, OVER_TEXELS},
    [PASS_COARSE] = {WAY_DISPATCH, PROGRAM_coarse, OVER_VERTICES},
    [PASS_SAMPLE] = {WAY_DISPATCH, PROGRAM_sample, OVER_TEXELS},
    [PASS_BACKUP] = {WAY_OWN, PROGRAM_NONE, OVER_TEXELS},
    [PASS_PINS] = {WAY_DISPATCH, PROGRAM_pins, OVER_PINNED},
    [PASS_WIND] = {WAY_DISPATCH, PROGRAM_wind, OVER_TEXELS},
    [PASS_FORCE] = {WAY_DISPATCH, PROGRAM_force, OVER_TEXELS},
    [PASS_INTEGRATE] = {WAY_DISPATCH, PROGRAM_integrate, OVER_TEXELS},
    [PASS_LIMIT] = {WAY_OWN, PROGRAM_limit, OVER_TEXELS},
    [PASS_REST] = {WAY_OWN, PROGRAM_limit, OVER_TEXELS},
    [PASS_RESPOND] = {WAY_OWN, PROGRAM_respond, OVER_TEXELS},
    [PASS_MOVE] = {WAY_DISPATCH, PROGRAM_move, OVER_TEXELS},
    [PASS_CHECK] = {WAY_DISPATCH, PROGRAM_check, OVER_TEXELS},
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
    [PASS_BEGIN] = {WAY_DISPATCH, PROGRAM_cycle_begin, OVER_TEXELS},
    [PASS_STAGE] = {WAY_DISPATCH, PROGRAM_cycle_stage, OVER_TEXELS},
    [PASS_CHANGE] = {WAY_DISPATCH, PROGRAM_cycle_change, OVER_TEXELS},
    [PASS_MESHES_BEGIN] = {WAY_NOTHING, PROGRAM_NONE, OVER_TEXELS},
    [PASS_MESHES] = {WAY_DISPATCH, PROGRAM_cycle_meshes, OVER_TEXELS},
    [PASS_ITERATE] = {WAY_OWN, PROGRAM_cycle_settle, OVER_LEVEL},
    [PASS_READY] = {WAY_DISPATCH, PROGRAM_cycle_ready, OVER_TEXELS},
    [PASS_LOCAL] = {WAY_DISPATCH, PROGRAM_cycle_local, OVER_TEXELS},
    [PASS_RESIDUAL] = {WAY_DISPATCH, PROGRAM_cycle_residual, OVER_TEXELS},
    [PASS_DEFECT] = {WAY_OWN, PROGRAM_cycle_defect, OVER_TEXELS},
    [PASS_DOWN] = {WAY_OWN, PROGRAM_cycle_down, OVER_TEXELS},
    [PASS_EXACT] = {WAY_OWN, PROGRAM_cycle_exact, OVER_LEVEL},
    [PASS_UP] = {WAY_OWN, PROGRAM_cycle_up, OVER_TEXELS},
    [PASS_SWEEP] = {WAY_OWN, PROGRAM_cycle_sweep, OVER_TEXELS},
    [PASS_SWEEP_BACK] = {WAY_OWN, PROGRAM_cycle_sweep, OVER_TEXELS},
    [PASS_CORRECT] = {WAY_DISPATCH, PROGRAM_cycle_correct, OVER_TEXELS},
    [PASS_KEEP] = {WAY_DISPATCH, PROGRAM_cycle_keep, OVER_TEXELS},
    [PASS_VELOCITY] = {WAY_DISPATCH, PROGRAM_velocity, OVER_TEXELS},
};

/* Programs of WAY_OWN beside the first. */
static const struct {
    pass pass;
    gl_program program;
} others[] = {{PASS_UPSAMPLE, PROGRAM_odd},          {PASS_RELAX, PROGRAM_jacobi},
              {PASS_RELAX, PROGRAM_relax_small},     {PASS_RESPOND, PROGRAM_respond_rows},
              {PASS_SELF, PROGRAM_self_total},       {PASS_SELF, PROGRAM_self_scan},
              {PASS_SELF, PROGRAM_self_start},       {PASS_SELF, PROGRAM_self_place},
              {PASS_SELF, PROGRAM_self_rank},        {PASS_SELF, PROGRAM_self_load},
              {PASS_SELF, PROGRAM_self_push},        {PASS_SELF_AHEAD, PROGRAM_self_total},
              {PASS_SELF_AHEAD, PROGRAM_self_scan},  {PASS_SELF_AHEAD, PROGRAM_self_start},
              {PASS_SELF_AHEAD, PROGRAM_self_place}, {PASS_SELF_AHEAD, PROGRAM_self_rank},
              {PASS_SELF_AHEAD, PROGRAM_self_load},  {PASS_SELF_AHEAD, PROGRAM_self_meet},
              {PASS_SELF_AHEAD, PROGRAM_self_repel}};

/* ---- passes -------------------------------------------------------------------------------------
 */

/* Copies planes of a buffer, of a grid, behind what shaders wrote. */
static void copy_planes(GLuint buffer, const grid *g, int from, int to, int count) {
    size_t bytes = g->size * sizeof(float);
    glBindBuffer(GL_COPY_READ_BUFFER, buffer);
    glBindBuffer(GL_COPY_WRITE_BUFFER, buffer);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, (GLintptr)((size_t)from * bytes),
                        (GLintptr)((size_t)to * bytes), (GLsizeiptr)((size_t)count * bytes));
}

static void copy_state(const gl_run_state *run, int from, int to) {
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    for (int c = 0; c < run->plan->cloth_count; c++) {
        copy_planes(run->cloths[c]->state, &run->cloths[c]->grid, from, to, SAVED_PLANES);
    }
}

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

/* The eight sets of an iteration of Gauss-Seidel, backwards every second time. */
static void run_gauss_seidel(gl_run_state *run, int depth, bool backwards) {
    static const GLint sets[8][2] = {{KIND_U, 0},      {KIND_U, 1},       {KIND_V, 0},
                                     {KIND_RISING, 0}, {KIND_FALLING, 0}, {KIND_V, 1},
                                     {KIND_RISING, 1}, {KIND_FALLING, 1}};
    for (int i = 0; i < 8; i++) {
        const GLint *set = sets[backwards ? 7 - i : i];
        gl_call_all(
            run, &(gl_call){.program = PROGRAM_relax, .level = depth, .numbers = {set[0], set[1]}});
    }
}

static void run_jacobi(gl_run_state *run, int depth, int iterations) {
    for (int i = 0; i < iterations; i++) {
        bool back = i % 2 != 0;
        gl_call_all(
            run, &(gl_call){.program = PROGRAM_jacobi,
                            .level = depth,
                            .numbers = {back ? LEVEL_qx : LEVEL_x, back ? LEVEL_x : LEVEL_qx,
                                        back ? LEVEL_nu : LEVEL_lu, back ? LEVEL_lu : LEVEL_nu}});
    }
    for (int c = 0; c < run->plan->cloth_count && iterations % 2; c++) {
        if (depth < run->cloths[c]->level_count) {
            const gl_level *l = &run->cloths[c]->levels[depth];
            glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
            copy_planes(l->planes, &l->table->grid, LEVEL_qx, LEVEL_x, 3);
            copy_planes(l->planes, &l->table->grid, LEVEL_nu, LEVEL_lu, EDGE_KINDS);
        }
    }
}

/* Can a work group have all of a level? */
static bool is_small(const gl_run_state *run, int depth) {
    size_t most = 0;
    for (int c = 0; c < run->plan->cloth_count; c++) {
        const device_cloth *cloth = run->cloths[c];
        size_t texels =
            depth < cloth->level_count ? grid_texels(&cloth->levels[depth].table->grid) : 0;
        most = texels > most ? texels : most;
    }
    return most <= machine_small_level(run->gl->machine);
}

static void run_relax(gl_run_state *run, int depth) {
    const toile_level_def *def = &run->plan->levels[depth].def;
    if (def->relaxation == TOILE_RELAXATION_JACOBI) {
        run_jacobi(run, depth, def->iterations);
        return;
    }
    if (is_small(run, depth)) {
        gl_call_all(run, &(gl_call){.program = PROGRAM_relax_small,
                                    .over = OVER_LEVEL,
                                    .level = depth,
                                    .numbers = {def->iterations}});
        return;
    }
    for (int i = 0; i < def->iterations; i++) {
        run_gauss_seidel(run, depth, i % 2 != 0);
    }
}

/* Usual and odd texels are different ones, so no barrier is needed between them. */
static void run_upsample(gl_run_state *run, int depth) {
    for (int c = 0; c < run->plan->cloth_count; c++) {
        const device_cloth *cloth = run->cloths[c];
        if (depth + 1 < cloth->level_count) {
            const gl_level *coarser = &cloth->levels[depth + 1];
            gl_dispatch(run, &(gl_call){.program = PROGRAM_upsample, .level = depth}, cloth);
            gl_dispatch(run,
                        &(gl_call){.program = PROGRAM_odd,
                                   .over = OVER_ODD,
                                   .level = depth,
                                   .numbers = {coarser->odds_at, (GLint)coarser->table->odd_count}},
                        cloth);
        }
    }
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
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

static void run_self(gl_run_state *run, pass p) {
    sort_texels(run);
    for (int i = 0; p == PASS_SELF && i < SELF_PUSHES; i++) {
        gl_call_all(run, &(gl_call){.program = PROGRAM_self_load});
        gl_call_all(run, &(gl_call){.program = PROGRAM_self_push});
    }
    if (p != PASS_SELF) {
        bool ahead = p == PASS_SELF_AHEAD;
        gl_call_all(run, &(gl_call){.program = PROGRAM_self_load});
        gl_call_all(run, &(gl_call){.program = PROGRAM_self_meet});
        gl_call_all(run, &(gl_call){.program = ahead ? PROGRAM_self_repel : PROGRAM_self_stop});
    }
}

/* A pass of a cycle over those cloths that it concerns: it turns round at each one's own coarsest
 * level. */
static void run_cycle(gl_run_state *run, pass_call call) {
    const gl_pass *how = &passes[call.pass];
    for (int c = 0; c < run->plan->cloth_count; c++) {
        const device_cloth *cloth = run->cloths[c];
        int last = cloth->cycle.count - 1;
        bool ends = call.pass == PASS_SWEEP && call.level == 0; /* correct goes on from it */
        bool concerned = call.pass == PASS_EXACT  ? call.level == last
                         : call.pass == PASS_DOWN ? call.level <= last
                                                  : call.level < last || ends;
        GLint number = call.pass == PASS_EXACT ? last == 0 : call.pass == PASS_SWEEP_BACK;
        if (concerned) {
            gl_dispatch(run, &(gl_call){how->program, how->over, call.level, 1.0f, {number}},
                        cloth);
        }
    }
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}

static void run_passes(gl_run_state *run, int begin, int end);

/* All iterations that there may be are queued: those of a cloth that has settled return at once. */
static void run_iterations(gl_run_state *run) {
    const step_plan *plan = run->plan;
    for (int i = 0; i < plan->most_iterations; i++) {
        run->iteration = i;
        run->gl->stamp++;
        run_passes(run, 0, plan->first);
        gl_call_all(run, &(gl_call){.program = PROGRAM_cycle_settle,
                                    .over = OVER_LEVEL,
                                    .numbers = {i + 1, plan->iterations, plan->most_iterations}});
    }
    run->iteration = 0;
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
        copy_state(run, FIRST_SAVED, FIRST_BACKUP);
        for (int c = 0; c < run->plan->cloth_count; c++) {
            gl_cycle_backup(run->cloths[c]);
        }
    } else if (call.pass == PASS_LIMIT) {
        run_limit(run, false, run->plan->limit_pairs);
    } else if (call.pass == PASS_REST) {
        run_limit(run, true, REST_PAIRS);
    } else if (call.pass == PASS_RELAX) {
        run_relax(run, call.level);
    } else if (call.pass == PASS_ITERATE) {
        run_iterations(run);
    } else if (call.pass >= PASS_DEFECT && call.pass <= PASS_SWEEP_BACK) {
        run_cycle(run, call);
    } else if (call.pass >= PASS_SELF && call.pass <= PASS_SELF_AFTER) {
        run_self(run, call.pass);
    } else if (call.pass == PASS_RESPOND) {
        run_respond(run);
    } else if (call.pass == PASS_UPSAMPLE) {
        run_upsample(run, call.level);
    } else {
        GLint first = call.pass == PASS_PINS ? run->plan->substeps - run->substep
                      : call.pass == PASS_READY || call.pass == PASS_LOCAL ? run->iteration
                      : call.pass == PASS_MESHES                           ? run->substep == 0
                                                                           : call.again;
        if (call.pass == PASS_MESHES) {
            call.share = run->gl->mesh_motion[run->substep - run->chunk];
        }
        gl_call_all(run, &(gl_call){how->program, how->over, call.level, call.share, {first}});
    }
}

static void run_passes(gl_run_state *run, int begin, int end) {
    for (int p = begin; p < end; p++) {
        run_pass(run, run->plan->passes[p]);
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

static toile_result clear_marks(device_context *gl, int cloths) {
    const mark_block clear = {.stretched = 0, .bad = INT_MAX};
    if ((size_t)cloths * sizeof clear > gl->marks.room) {
        toile_result result = gl_fill(gl->machine, &gl->marks, (size_t)cloths * sizeof clear, NULL);
        if (result != TOILE_OK) {
            return result;
        }
    }
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, gl->marks.handle);
    for (int c = 0; c < cloths; c++) {
        glBufferSubData(GL_SHADER_STORAGE_BUFFER, (GLintptr)((size_t)c * sizeof clear),
                        sizeof clear, &clear);
    }
    return TOILE_OK;
}

static toile_result prepare(gl_run_state *run) {
    device_context *gl = run->gl;
    toile_result result = prepare_programs(gl->machine, run->plan);
    for (int c = 0; c < run->plan->cloth_count && result == TOILE_OK; c++) {
        result = upload_cloth(run->cloths[c], run->plan, c);
    }
    if (result == TOILE_OK) {
        result = upload_solids(gl, run->plan);
    }
    if (result == TOILE_OK && gl->self.cloth_count > 0) {
        result = gl_self_upload(gl, run->plan, run->cloths);
    }
    timer_open(&gl->timer);
    return result == TOILE_OK ? clear_marks(gl, run->plan->cloth_count) : result;
}

static toile_result queue_all(gl_run_state *run) {
    step_plan *plan = run->plan;
    gl_timer *timer = &run->gl->timer;
    toile_result result = TOILE_OK;
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
            run_passes(run, plan->first, plan->prologue);
        }
        if (result == TOILE_OK) {
            timer_substep(timer, s);
            run_passes(run, plan->prologue, plan->epilogue);
        }
    }
    if (result == TOILE_OK) {
        timer_substep(timer, -1);
        run_passes(run, plan->epilogue, plan->pass_count);
        run_pass(run, (pass_call){.pass = PASS_CHECK});
    }
    return result;
}

/* The one read-back of a step. */
static bool read_marks(const gl_run_state *run, device_solved *solved, device_failure *failure) {
    bool failed = false;
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, run->gl->marks.handle);
    for (int c = 0; c < run->plan->cloth_count; c++) {
        mark_block mark = {.bad = INT_MAX};
        glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, (GLintptr)((size_t)c * sizeof mark),
                           sizeof mark, &mark);
        if (mark.bad != INT_MAX && !failed) {
            int columns = run->cloths[c]->grid.columns;
            *failure = (device_failure){c, mark.bad % columns, mark.bad / columns};
            failed = true;
        }
        solved->iterations =
            mark.iterations > solved->iterations ? mark.iterations : solved->iterations;
        solved->converged &= mark.restless == 0;
        solved->last_move = fmax(solved->last_move, (double)mark.last_move);
    }
    return failed;
}

static toile_result run_in_context(gl_run_state *run, toile_profile *profile, device_solved *solved,
                                   device_failure *failure) {
    toile_result result = prepare(run);
    if (result != TOILE_OK) {
        return result;
    }
    result = queue_all(run);
    bool failed = read_marks(run, solved, failure);
    timer_end(&run->gl->timer, profile);
    if (result == TOILE_OK) {
        result = context_check("making a step");
    }
    if (failed || result != TOILE_OK) {
        copy_state(run, FIRST_BACKUP, FIRST_SAVED);
        for (int c = 0; c < run->plan->cloth_count; c++) {
            gl_cycle_restore(run->cloths[c]);
        }
    }
    return failed && result == TOILE_OK ? TOILE_ERROR_NUMERICAL : result;
}

toile_result gl_run(device_context *gl, step_plan *plan, device_cloth *const *cloths,
                    toile_profile *profile, device_solved *solved, device_failure *failure) {
    gl_run_state run = {.gl = gl, .plan = plan, .cloths = cloths};
    context_before before;
    *solved = (device_solved){.converged = true};
    if (gl->failed) {
        return error_set(TOILE_ERROR_UNAVAILABLE, "%s", gl->failure);
    }
    toile_result result = check_plan(plan);
    if (result == TOILE_OK) {
        result = context_enter(&gl->machine->context, &before);
    }
    if (result == TOILE_OK) {
        result = run_in_context(&run, profile, solved, failure);
        context_leave(&gl->machine->context, &before);
    }
    return result;
}
