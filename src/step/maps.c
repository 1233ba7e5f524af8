/* Images of bodies for collision maps. They are in the frames of the bodies, so that they are drawn
 * when bodies come or go, and not when they move. Those that deform are drawn each step. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "model/shape_surface.h"
#include "step/world.h"

enum { MEGABYTE = 1000000 };

/* A plane has no end, and needs no image. */
bool has_map(const toile_world *w, const world_body *b) {
    return w->def.collision == TOILE_COLLISION_MAPS && b->body.def.shape != TOILE_SHAPE_PLANE;
}

const solid *map_solid(const world_body *b) {
    return shape_is_mesh(b->body.def.shape) ? &b->body.solid : &b->surface;
}

toile_result maps_check(const toile_world *w) {
    const map_request nothing = {.side = w->def.map_size, .cameras = w->def.map_cameras};
    return w->def.collision == TOILE_COLLISION_MAPS ? w->device->set_maps(w->context, &nothing)
                                                    : TOILE_OK;
}

static toile_result make_surface(world_body *b) {
    toile_shape_kind kind = b->body.def.shape;
    return shape_is_mesh(kind) || b->surface.faces ? TOILE_OK
                                                   : shape_surface(&b->surface, kind, b->body.size);
}

/* The surfaces of all bodies, in the order of the plan; returns how many. */
static toile_result list_surfaces(toile_world *w, map_surface *out, int *count) {
    for (size_t i = 0; i < w->bodies.count; i++) {
        world_body *b = world_body_at(w, i);
        if (b && has_map(w, b)) {
            toile_result result = make_surface(b);
            if (result != TOILE_OK) {
                return result;
            }
            out[*count] = (map_surface){map_solid(b), shape_is_round(b->body.def.shape)};
        }
        *count += b != NULL;
    }
    return TOILE_OK;
}

toile_result maps_prepare(toile_world *w) {
    if (w->def.collision != TOILE_COLLISION_MAPS || w->maps_drawn) {
        return TOILE_OK;
    }
    map_surface *surfaces =
        memory_alloc(w->bodies.count + 1, sizeof *surfaces, "the surfaces of bodies");
    if (!surfaces) {
        return TOILE_ERROR_MEMORY;
    }
    int count = 0;
    toile_result result = list_surfaces(w, surfaces, &count);
    if (result == TOILE_OK) {
        const map_request request = {.surfaces = surfaces,
                                     .count = count,
                                     .side = w->def.map_size,
                                     .cameras = w->def.map_cameras,
                                     .memory = (size_t)w->def.map_memory * MEGABYTE};
        result = w->device->set_maps(w->context, &request);
    }
    free(surfaces);
    w->maps_drawn = result == TOILE_OK;
    return result;
}

toile_result maps_move(toile_world *w) {
    if (!w->plan.maps) {
        return TOILE_OK;
    }
    double start = clock_ms(); /* of the host: what a GPU still does then counts for the next */
    map_counts counts = {w->info.map_draws, w->info.map_reuses};
    toile_result result = w->device->move_maps(w->context, &counts);
    w->info.map_draws = counts.draws;
    w->info.map_reuses = counts.reuses;
    w->profile.stage_ms[TOILE_STAGE_BODIES] += clock_ms() - start;
    return result;
}
