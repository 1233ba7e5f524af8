/* Any bytes must be a scene or a sentence about what is wrong with them. Small scenes are also made
 * into worlds and stepped once. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "io/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_TEXELS = 6000, MOST_THINGS = 20, MOST_SUBSTEPS = 20 };

/* A box that has all points of an outline in it, and the curves but for arcs, which may bulge far.
 */
static bool find_size(const scene_cloth *c, double size[2]) {
    if (c->outline.loop_count == 0) {
        size[0] = (double)c->def.size[0];
        size[1] = (double)c->def.size[1];
        return true;
    }
    float low[2] = {1e4f, 1e4f}, high[2] = {-1e4f, -1e4f};
    for (int l = 0; l < c->outline.loop_count; l++) {
        const toile_loop *loop = &c->outline.loops[l];
        for (int i = 0; i < loop->curve_count; i++) {
            const toile_curve *curve = &loop->curves[i];
            const float *points[3] = {curve->to, curve->control[0], curve->control[1]};
            if (curve->kind == TOILE_CURVE_ARC || loop->curve_count > MOST_THINGS) {
                return false;
            }
            for (int k = 0; k < 6; k++) {
                float x = points[k / 2][k % 2];
                low[k % 2] = x < low[k % 2] ? x : low[k % 2];
                high[k % 2] = x > high[k % 2] ? x : high[k % 2];
            }
        }
    }
    double width = (double)high[0] - (double)low[0], height = (double)high[1] - (double)low[1];
    size[0] = size[1] = width + height; /* whatever the grain */
    return true;
}

static bool is_small(const scene *s) {
    if (s->cloth_count > MOST_THINGS || s->body_count > MOST_THINGS) {
        return false;
    }
    double texels = 0.0;
    for (int i = 0; i < s->cloth_count; i++) {
        const toile_cloth_def *def = &s->cloths[i].def;
        double size[2];
        if (s->cloths[i].pin_count > MOST_THINGS || !find_size(&s->cloths[i], size)) {
            return false;
        }
        double edges[3] = {(double)def->spacing, (double)s->cloths[i].coarse_edge,
                           (double)s->cloths[i].render_edge};
        for (int k = 0; k < 3; k++) {
            double edge = edges[k] > 0.0 ? edges[k] : edges[0];
            texels += (size[0] / edge + 2.0) * (size[1] / edge + 2.0);
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
    if (s->world.solver.cycles > MOST_SUBSTEPS) {
        s->world.solver.cycles = MOST_SUBSTEPS;
    }
    s->world.solver.levels = NULL; /* as many iterations as the library chooses */
    s->world.map_size = 16;        /* images that are drawn soon */
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
