/* Any bytes must be a scene or a sentence about what is wrong with them. Small scenes are also made
 * into worlds and stepped once. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "io/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_TEXELS = 2000, MOST_THINGS = 20, MOST_SUBSTEPS = 20 };

static bool is_small(const scene *s) {
    if (s->cloth_count > MOST_THINGS || s->body_count > MOST_THINGS) {
        return false;
    }
    double texels = 0.0;
    for (int i = 0; i < s->cloth_count; i++) {
        const toile_cloth_def *def = &s->cloths[i].def;
        texels += ((double)def->size[0] / (double)def->spacing + 2.0) *
                  ((double)def->size[1] / (double)def->spacing + 2.0);
        if (s->cloths[i].pin_count > MOST_THINGS) {
            return false;
        }
    }
    return texels < MOST_TEXELS;
}

static void build_and_step(scene *s) {
    toile_world *world;
    scene_ids ids;
    s->world.threads = 1;
    s->world.solver.stiffness = TOILE_STIFFNESS_AUTO;
    if (s->world.solver.substeps > MOST_SUBSTEPS) {
        s->world.solver.substeps = MOST_SUBSTEPS;
    }
    if (s->world.solver.max_substeps > MOST_SUBSTEPS) {
        s->world.solver.max_substeps = MOST_SUBSTEPS;
    }
    if (s->world.solver.limit_iterations > MOST_SUBSTEPS) {
        s->world.solver.limit_iterations = MOST_SUBSTEPS;
    }
    if (scene_build(s, NULL, NULL, &world, &ids) == TOILE_OK) {
        toile_metrics metrics;
        toile_world_step(world, s->time_step);
        toile_world_measure(world, (toile_cloth_id){0}, &metrics);
        scene_ids_free(&ids);
        toile_world_destroy(world);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    scene *s;
    if (scene_parse((const char *)data, size, "fuzz.json", &s) == TOILE_OK) {
        if (is_small(s)) {
            build_and_step(s);
        }
        scene_free(s);
    } else if (toile_error_message()[0] == '\0') {
        abort(); /* a refusal says why */
    }
    return 0;
}
