#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "step/world.h"

/* Below this, rounding of positions makes velocities of pinned texels. */
static const float SHORTEST_STEP = 1e-6f;

/* s, for which steps of second order are made in first order once cloth was struck
 * (kernel/stage.h): what lands goes on to strike. */
static const double STRIKE_TIME = 0.1;

/* Bodies and pins have arrived. */
static void arrive(toile_world *w) {
    for (size_t i = 0; i < w->bodies.count; i++) {
        world_body *b = world_body_at(w, i);
        if (b) {
            body_arrive(&b->body);
        }
    }
    for (size_t i = 0; i < w->pins.count; i++) {
        pin *p = world_pin(w, i);
        if (p) {
            pin_arrive(p);
        }
    }
}

/* They have not: all but what the caller wants moved forget where they were going. */
static void stay(toile_world *w) {
    for (size_t i = 0; i < w->bodies.count; i++) {
        world_body *b = world_body_at(w, i);
        if (b) {
            body_stay(&b->body);
        }
    }
    for (size_t i = 0; i < w->pins.count; i++) {
        pin *p = world_pin(w, i);
        if (p && !p->driven) {
            p->next = p->now;
        }
    }
}

static toile_result report_failure(const toile_world *w, const device_failure *failure) {
    int index = 0;
    const char *name = "";
    for (size_t i = 0; i < w->cloths.count; i++) {
        const cloth *c = world_cloth(w, i);
        if (c && index++ == failure->cloth) {
            name = c->name;
        }
    }
    char stable[48] = "";
    if (isfinite(w->info.stable_substep)) {
        snprintf(stable, sizeof stable, ", stable up to %.3g ms", w->info.stable_substep * 1e3);
    }
    return error_set(
        TOILE_ERROR_NUMERICAL,
        "cloth '%s' left all bounds at texel (%d, %d) in the step from %.6g s (%d substeps of %.3g "
        "ms%s); the state before it is kept",
        name, failure->column, failure->row, w->time, w->plan.substeps,
        (double)w->plan.substep * 1e3, stable);
}

static toile_result run(toile_world *w, device_solved *solved, device_failure *failure) {
    *solved = (device_solved){.converged = true};
    if (sleep_is_deep(w)) {
        return TOILE_OK;
    }
    return w->device->run(w->context, &w->plan, w->plan_cloths, &w->profile, solved, failure);
}

static toile_result report_stop(const toile_world *w) {
    return error_set(TOILE_ERROR_STOPPED,
                     "the step from %.6g s was stopped; the state before it is kept", w->time);
}

static void say_inside(toile_world *w, uint64_t inside) {
    if (inside > 0 && w->info.inside_texels == 0) {
        world_log(w, TOILE_LOG_BROUGHT_OUT,
                  "%" PRIu64 " texels are inside a mesh at %.6g s and are brought out", inside,
                  w->time);
    }
    w->info.inside_texels = inside;
}

/* What has come apart is kept apart, by bounds alone. */
static void note_pierced(toile_world *w, const device_solved *solved) {
    w->info.pierced = solved->pierced[1];
    if (!w->tangled || solved->pierced[1] > 0) {
        return;
    }
    w->tangled = false;
    if (solved->pierced[0] > 0) {
        w->untangled = w->time;
        world_log(w, TOILE_LOG_UNTANGLED, "no cloth goes through cloth any more from %.6g s on",
                  w->time);
    }
}

static void note_solved(toile_world *w, const device_solved *solved) {
    world_log_threads(w);
    w->info.threads = w->device->threads(w->context);
    w->info.iterations = solved->iterations;
    w->info.gradients = solved->gradients;
    w->info.converged = solved->converged;
    w->info.last_move = solved->last_move;
    w->info.ambiguous_texels = solved->hidden;
    w->info.caught_texels = solved->caught;
    say_inside(w, solved->inside);
}

toile_result world_step(toile_world *w, float time_step) {
    if (w->def.stop && w->def.stop(w->def.stop_user)) {
        return report_stop(w);
    }
    size_t refused;
    toile_result result = w->prepared ? TOILE_OK : start_check(w, &refused);
    if (result == TOILE_OK) {
        result = plan_prepare(w);
    }
    if (result == TOILE_OK) {
        result = plan_fill(w, time_step);
    }
    if (result != TOILE_OK) {
        return result;
    }
    double start = clock_ms();
    device_failure failure = {0};
    device_solved solved;
    const double calm = w->calm;
    w->profile = (toile_profile){0};
    result = maps_move(w);
    if (result != TOILE_OK) {
        stay(w);
        return result;
    }
    result = run(w, &solved, &failure);
    if (result == TOILE_OK && solved.struck && w->plan.gives_up) {
        w->calm = w->time + STRIKE_TIME;
        result = plan_fill(w, time_step);
        result = result == TOILE_OK ? run(w, &solved, &failure) : result;
    }
    while (result == TOILE_OK && solved.given_up) {
        w->halvings++;
        result = plan_fill(w, time_step);
        result = result == TOILE_OK ? run(w, &solved, &failure) : result;
    }
    if (result == TOILE_OK && w->finer) {
        result = refine_finish(w->finer, time_step, &w->profile);
        if (result != TOILE_OK) {
            stay(w);
            return result;
        }
    }
    w->profile.step_ms = clock_ms() - start;
    note_solved(w, &solved);
    if (result != TOILE_OK) {
        w->calm = calm;
        stay(w);
    }
    if (result == TOILE_ERROR_NUMERICAL) {
        return report_failure(w, &failure);
    }
    if (result == TOILE_ERROR_STOPPED) {
        return report_stop(w);
    }
    if (result == TOILE_OK) {
        arrive(w);
        w->time += (double)time_step;
        w->steps++;
        w->calm = solved.struck ? w->time + STRIKE_TIME : w->calm;
        w->moment = (double)w->plan.moment;
        implicit_note_calm(w, &solved);
        note_pierced(w, &solved);
        sleep_note(w);
        pins_say_trapped(w);
    }
    return result;
}

toile_result toile_world_step(toile_world *world, float time_step) {
    TOILE_ASSERT(world);
    if (!(time_step >= SHORTEST_STEP && time_step <= 1.0f)) {
        return error_set(TOILE_ERROR_INVALID, "time_step is %g: expected %g to 1 s",
                         (double)time_step, (double)SHORTEST_STEP);
    }
    /* The caller may round another way or flush small numbers to zero; results do not depend on it.
     */
    fenv_t callers;
    fegetenv(&callers);
    fesetenv(FE_DFL_ENV);
    toile_result result =
        world->refine ? refine_world_step(world, time_step) : world_step(world, time_step);
    fesetenv(&callers);
    return result;
}
