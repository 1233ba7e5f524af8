#include <math.h>

#include "base/clock.h"
#include "base/error.h"
#include "step/world.h"

/* Bodies and pins have arrived. */
static void arrive(toile_world *w) {
    for (size_t i = 0; i < w->bodies.count; i++) {
        world_body *b = world_body_at(w, i);
        if (b) {
            b->body.now = b->body.next;
        }
    }
    for (size_t i = 0; i < w->pins.count; i++) {
        pin *p = world_pin(w, i);
        if (p) {
            p->now = p->next;
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
    return error_set(
        TOILE_ERROR_NUMERICAL,
        "cloth '%s' left all bounds at texel (%d, %d) in the step from %.6g s (%d substeps of %.3g "
        "ms, stable up to %.3g ms); the state before it is kept",
        name, failure->column, failure->row, w->time, w->plan.substeps,
        (double)w->plan.substep * 1e3, w->info.stable_substep * 1e3);
}

toile_result toile_world_step(toile_world *world, float time_step) {
    TOILE_ASSERT(world);
    if (!(time_step > 0.0f && time_step <= 1.0f)) {
        return error_set(TOILE_ERROR_INVALID,
                         "time_step is %g: expected more than 0 and at most 1 s",
                         (double)time_step);
    }
    toile_result result = plan_prepare(world);
    if (result == TOILE_OK) {
        result = plan_fill(world, time_step);
    }
    if (result != TOILE_OK) {
        return result;
    }
    double start = clock_ms();
    device_failure failure = {0};
    world->profile = (toile_profile){0};
    result = world->device->run(world->context, &world->plan, world->plan_cloths,
                                world->profile.stage_ms, &failure);
    world->profile.step_ms = clock_ms() - start;
    if (result == TOILE_ERROR_NUMERICAL) {
        return report_failure(world, &failure);
    }
    if (result == TOILE_OK) {
        arrive(world);
        world->time += (double)time_step;
        world->steps++;
    }
    return result;
}
