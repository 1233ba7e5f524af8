#include "app/bodies.h"

#include <stdlib.h>

#include "base/memory.h"

static toile_result trace(toile_world *world, const scene *s, const scene_ids *ids,
                          uint32_t samples, toile_pose *poses) {
    toile_result result = TOILE_OK;
    for (uint32_t sample = 0; sample < samples && result == TOILE_OK; sample++) {
        if (sample > 0) {
            result = toile_world_step(world, s->time_step);
        }
        for (int b = 0; b < s->body_count; b++) {
            poses[(size_t)b * samples + sample] = toile_body_get_pose(world, ids->bodies[b]);
        }
    }
    return result;
}

toile_result bodies_trace(const scene *s, uint32_t samples, toile_pose **poses) {
    /* A world without cloths, on the device that moves nothing, takes its bodies through the very
     * steps of a run. */
    scene without_cloths = *s;
    without_cloths.cloth_count = 0;
    without_cloths.world.device = "null";
    toile_pose *all = memory_alloc((size_t)s->body_count * samples, sizeof *all, "poses of bodies");
    toile_world *world;
    scene_ids ids;
    toile_result result =
        all ? scene_build(&without_cloths, NULL, NULL, &world, &ids) : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        result = trace(world, s, &ids, samples, all);
        toile_world_destroy(world);
        scene_ids_free(&ids);
    }
    if (result != TOILE_OK) {
        free(all);
        return result;
    }
    *poses = all;
    return TOILE_OK;
}
