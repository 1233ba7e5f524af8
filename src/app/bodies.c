#include "app/bodies.h"

#include <stdlib.h>

#include "base/memory.h"
#include "io/actor.h"

/* Poses come from keyframes alone, so bodies that deform need not be driven. */
static toile_result trace(toile_world *world, const scene_ids *ids, body_trace *t) {
    toile_result result = TOILE_OK;
    for (uint32_t sample = 0; sample < t->samples && result == TOILE_OK; sample++) {
        if (sample > 0) {
            result = toile_world_step(world, t->scene->time_step);
        }
        t->times[sample] = toile_world_time(world);
        for (int b = 0; b < t->scene->body_count; b++) {
            t->poses[(size_t)b * t->samples + sample] = toile_body_get_pose(world, ids->bodies[b]);
        }
    }
    return result;
}

toile_result bodies_trace(const scene *s, uint32_t samples, body_trace *out) {
    /* A world without cloths, on the device that moves nothing, takes its bodies through the very
     * steps of a run. */
    scene without_cloths = *s;
    without_cloths.cloth_count = without_cloths.tie_count = 0;
    without_cloths.world.device = "null";
    body_trace t = {.scene = s, .samples = samples};
    t.poses = memory_alloc((size_t)s->body_count * samples, sizeof *t.poses, "poses of bodies");
    t.times = memory_alloc(samples, sizeof *t.times, "times of samples");
    toile_world *world;
    scene_ids ids;
    toile_result result = t.poses && t.times
                              ? scene_build(&without_cloths, NULL, NULL, &world, &ids)
                              : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        result = trace(world, &ids, &t);
        toile_world_destroy(world);
        scene_ids_free(&ids);
    }
    if (result != TOILE_OK) {
        bodies_free(&t);
        return result;
    }
    *out = t;
    return TOILE_OK;
}

void bodies_free(body_trace *t) {
    free(t->poses);
    free(t->times);
    *t = (body_trace){0};
}

toile_result bodies_at(const body_trace *t, int body, uint32_t sample, float *scratch,
                       body_sample *out) {
    const scene_body *b = &t->scene->bodies[body];
    out->def = b->def;
    out->pose = t->poses[(size_t)body * t->samples + sample];
    if (!b->actor) {
        return TOILE_OK;
    }
    toile_result result = actor_place(b->actor->loaded, t->times[sample], &out->pose, scratch);
    out->def.mesh.positions = scratch;
    out->pose = (toile_pose){.rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
    return result;
}
