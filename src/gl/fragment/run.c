/* A step is a list of full-screen passes: Rabenius 2018 section 3.3, with an elongation limit and
 * all shapes between his two shaders. A pass draws into textures that nothing reads meanwhile, and
 * then they are the state (ping-pong). Nothing is read back but what the check has to tell. */
#include "gl/fragment/run.h"

#include "base/error.h"
#include "gl/fragment/draw.h"
#include "gl/fragment/numbers.h"
#include "gl/queue.h"

/* The program of a pass, FRAGMENT_NONE where there is nothing to do: one draw waits for what it
 * reads from another by itself, and plans are uploaded before. */
typedef struct fragment_way {
    bool known;
    fragment_name program;
} fragment_way;

static const fragment_way ways[PASS_COUNT] = {
    [PASS_BACKUP] = {true, FRAGMENT_NONE},         [PASS_BODIES] = {true, FRAGMENT_NONE},
    [PASS_DETECT] = {true, FRAGMENT_NONE},         [PASS_PINS] = {true, FRAGMENT_pins},
    [PASS_WIND] = {true, FRAGMENT_wind},           [PASS_FORCE] = {true, FRAGMENT_force},
    [PASS_INTEGRATE] = {true, FRAGMENT_integrate}, [PASS_LIMIT] = {true, FRAGMENT_limit},
    [PASS_REST] = {true, FRAGMENT_limit},          [PASS_RESPOND] = {true, FRAGMENT_respond},
    [PASS_MOVE] = {true, FRAGMENT_move},
};

/* ---- passes ------------------------------------------------------------------------------------
 */

static void run_force(const fragment_run_state *run, device_cloth *cloth, bool limited) {
    fragment_draw(
        run, cloth,
        &(fragment_call){.program = FRAGMENT_force, .frame = cloth->frames[TEXTURE_acceleration]});
    if (limited) {
        fragment_draw_mark(
            run, cloth,
            &(fragment_call){.program = FRAGMENT_mark, .frame = cloth->stretched.frame});
    }
}

/* Draws velocities into the other texture, which becomes the state. */
static void draw_velocity(const fragment_run_state *run, device_cloth *cloth, fragment_call call) {
    call.frame = cloth->frames[TEXTURE_v0 + 1 - cloth->v];
    fragment_draw(run, cloth, &call);
    cloth->v = 1 - cloth->v;
}

/* In pairs: a pass that draws nothing, because no thread is near its limit, leaves old velocities
 * in the other texture. */
static void run_limit(const fragment_run_state *run, device_cloth *cloth, bool rates, int pairs) {
    for (int i = 0; i < 2 * pairs; i++) {
        draw_velocity(run, cloth,
                      (fragment_call){.program = FRAGMENT_limit, .number = rates ? 1 : 0});
    }
}

/* Draws places and velocities into the other textures, which become the state. */
static void draw_both(const fragment_run_state *run, device_cloth *cloth, fragment_call call) {
    call.frame = cloth->both[1 - cloth->x][1 - cloth->v];
    fragment_draw(run, cloth, &call);
    cloth->x = 1 - cloth->x;
    cloth->v = 1 - cloth->v;
}

/* Rows are swept again where texels touch more than one body. */
static void run_respond(const fragment_run_state *run, device_cloth *cloth, int index) {
    int bodies = run->plan->body_count;
    if (bodies > 0) {
        draw_both(run, cloth,
                  (fragment_call){.program = FRAGMENT_respond, .number = index * bodies});
    }
    if (bodies > 1) {
        fragment_draw_blocks(
            run, cloth, &(fragment_call){.program = FRAGMENT_touch, .frame = cloth->touched.frame});
        draw_both(run, cloth, (fragment_call){.program = FRAGMENT_again, .number = index * bodies});
    }
}

static void run_move(const fragment_run_state *run, device_cloth *cloth) {
    fragment_draw(run, cloth,
                  &(fragment_call){.program = FRAGMENT_move,
                                   .frame = cloth->frames[TEXTURE_x0 + 1 - cloth->x]});
    cloth->x = 1 - cloth->x;
}

static void run_pins(const fragment_run_state *run, const device_cloth *cloth) {
    if (cloth->pinned > 0) {
        fragment_draw_pinned(run, cloth,
                             &(fragment_call){.program = FRAGMENT_pins,
                                              .frame = cloth->frames[TEXTURE_v0 + cloth->v],
                                              .number = run->plan->substeps - run->substep});
    }
}

static void run_pass_on(const fragment_run_state *run, pass_call call, int index) {
    device_cloth *cloth = run->cloths[index];
    bool limited = run->plan->cloths[index].limited;
    if (call.pass == PASS_BACKUP) {
        fragment_keep(cloth);
    } else if (call.pass == PASS_PINS) {
        run_pins(run, cloth);
    } else if (call.pass == PASS_WIND) {
        fragment_draw(
            run, cloth,
            &(fragment_call){.program = FRAGMENT_wind, .frame = cloth->frames[TEXTURE_air]});
    } else if (call.pass == PASS_FORCE) {
        run_force(run, cloth, limited);
    } else if (call.pass == PASS_INTEGRATE) {
        draw_velocity(run, cloth,
                      (fragment_call){.program = FRAGMENT_integrate, .share = call.share});
    } else if (call.pass == PASS_LIMIT && limited) {
        run_limit(run, cloth, false, run->plan->limit_pairs);
    } else if (call.pass == PASS_REST && limited) {
        run_limit(run, cloth, true, REST_PAIRS);
    } else if (call.pass == PASS_RESPOND) {
        run_respond(run, cloth, index);
    } else if (call.pass == PASS_MOVE) {
        run_move(run, cloth);
    } else if (call.pass == PASS_CHECK) {
        fragment_draw_mark(run, cloth,
                           &(fragment_call){.program = FRAGMENT_check, .frame = cloth->bad.frame});
    }
}

static void run_pass(const fragment_run_state *run, pass_call call) {
    if (call.pass == PASS_BACKUP || call.pass == PASS_CHECK ||
        ways[call.pass].program != FRAGMENT_NONE) {
        timer_mark(&run->gl->timer, pass_stage(call.pass), 0);
        for (int c = 0; c < run->plan->cloth_count; c++) {
            run_pass_on(run, call, c);
        }
    }
}

static void run_passes(const fragment_run_state *run, int first, int last) {
    for (int p = first; p < last; p++) {
        run_pass(run, run->plan->passes[p]);
    }
}

/* ---- a step ------------------------------------------------------------------------------------
 */

/* Refuses what the device does not do, in front of the step. */
static toile_result check_plan(const step_plan *plan) {
    for (int p = 0; p < plan->pass_count; p++) {
        pass what = plan->passes[p].pass;
        if (!ways[what].known) {
            return error_set(TOILE_ERROR_UNAVAILABLE,
                             "device \"gl-fragment\" cannot do a pass of stage \"%s\" (number "
                             "%d): expected device \"cpu\" or \"gl\" for this world",
                             toile_stage_name(pass_stage(what)), (int)what);
        }
    }
    return TOILE_OK;
}

static toile_result prepare_programs(fragment_program *programs, const step_plan *plan) {
    static const fragment_name always[] = {FRAGMENT_check, FRAGMENT_mark, FRAGMENT_touch,
                                           FRAGMENT_again};
    toile_result result = TOILE_OK;
    for (size_t i = 0; i < sizeof always / sizeof *always && result == TOILE_OK; i++) {
        result = fragment_prepare(programs, always[i]);
    }
    for (int p = 0; p < plan->pass_count && result == TOILE_OK; p++) {
        fragment_name program = ways[plan->passes[p].pass].program;
        if (program != FRAGMENT_NONE) {
            result = fragment_prepare(programs, program);
        }
    }
    return result;
}

static toile_result upload_chunk(fragment_run_state *run, int begin) {
    int end = begin + FRAGMENT_CHUNK;
    run->chunk = begin;
    return fragment_upload_numbers(run->gl, run->plan, begin,
                                   end < run->plan->substeps ? end : run->plan->substeps);
}

/* What can fail before the state is touched, and so before it is backed up. */
static toile_result prepare(fragment_run_state *run) {
    device_context *gl = run->gl;
    if (!gl->plain) {
        glGenVertexArrays(1, &gl->plain);
    }
    toile_result result = prepare_programs(gl->machine->fragments, run->plan);
    for (int c = 0; c < run->plan->cloth_count && result == TOILE_OK; c++) {
        result = fragment_upload_cloth(run->cloths[c], run->plan, c);
    }
    timer_open(&gl->timer);
    return result == TOILE_OK ? upload_chunk(run, 0) : result;
}

static toile_result queue_all(fragment_run_state *run) {
    step_plan *plan = run->plan;
    gl_timer *timer = &run->gl->timer;
    timer_begin(timer, plan->substeps, plan->epilogue - plan->prologue);
    timer_substep(timer, -1);
    run_passes(run, 0, plan->prologue);
    toile_result result = TOILE_OK;
    gl_queue queue = {0};
    for (int s = 0; s < plan->substeps && result == TOILE_OK; s++) {
        run->substep = s;
        result = s > 0 && s % FRAGMENT_CHUNK == 0 ? upload_chunk(run, s) : TOILE_OK;
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

/* The one read-back of a step. */
static bool read_marks(const fragment_run_state *run, device_failure *failure) {
    bool failed = false;
    for (int c = 0; c < run->plan->cloth_count && !failed; c++) {
        float told[4] = {0.0f};
        glBindFramebuffer(GL_READ_FRAMEBUFFER, run->cloths[c]->bad.frame);
        glReadPixels(0, 0, 1, 1, GL_RGBA, GL_FLOAT, told);
        if (told[0] > 0.0f) {
            *failure = (device_failure){c, (int)told[1], (int)told[2]};
            failed = true;
        }
    }
    return failed;
}

static toile_result run_in_context(fragment_run_state *run, toile_profile *profile,
                                   device_failure *failure) {
    toile_result result = prepare(run);
    if (result != TOILE_OK) {
        return result;
    }
    result = queue_all(run);
    bool failed = result == TOILE_OK && read_marks(run, failure);
    if (result == TOILE_OK) {
        timer_end(&run->gl->timer, profile);
        result = context_check("making a step");
    }
    for (int c = 0; c < run->plan->cloth_count && (failed || result != TOILE_OK); c++) {
        fragment_restore(run->cloths[c]);
    }
    return failed && result == TOILE_OK ? TOILE_ERROR_NUMERICAL : result;
}

toile_result fragment_run(device_context *gl, step_plan *plan, device_cloth *const *cloths,
                          toile_profile *profile, device_solved *solved, device_failure *failure) {
    fragment_run_state run = {.gl = gl, .plan = plan, .cloths = cloths};
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
        result = run_in_context(&run, profile, failure);
        context_leave(&gl->machine->context, &before);
    }
    return result;
}
