/* From a scene to a world. What the library refuses gets file, line and field in front. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/json.h"
#include "io/scene.h"
#include "step/world.h"

/* Deeper than this is inside: rounding of positions some metres from the origin stays below. */
static const double DEPTH_TOLERANCE = 1e-5;

/* Share of the machine's memory that the cloths of a scene may take together. */
static const double MEMORY_SHARE = 0.8;

typedef struct builder {
    const scene *scene;
    node root;
    toile_world *world;
    scene_ids ids;
    uint64_t solver_bytes;
} builder;

/* ---- making things ------------------------------------------------------------------------------
 */

static toile_result refuse(const node *at, toile_result result) {
    node_error_prefix(at);
    return result;
}

static toile_result build_world(builder *b, toile_log_handler *log, void *log_user) {
    toile_world_def def = b->scene->world;
    def.log = log;
    def.log_user = log_user;
    toile_result result = toile_world_create(&def, &b->world);
    if (result == TOILE_ERROR_UNAVAILABLE) {
        node at = node_member(&b->root, "device");
        return refuse(&at, result);
    }
    return result == TOILE_OK ? result : refuse(&b->root, result);
}

static toile_result build_bodies(builder *b) {
    node bodies = node_member(&b->root, "bodies");
    for (int i = 0; i < b->scene->body_count; i++) {
        b->ids.bodies[i] = toile_world_add_body(b->world, &b->scene->bodies[i].def);
        if (!b->ids.bodies[i].slot) {
            node at = node_element(&bodies, (size_t)i);
            return refuse(&at, TOILE_ERROR_INVALID);
        }
    }
    return TOILE_OK;
}

static toile_result build_pins(builder *b, const node *at_cloth, int index) {
    const scene_cloth *c = &b->scene->cloths[index];
    node pins = node_member(at_cloth, "pins");
    for (int i = 0; i < c->pin_count; i++) {
        toile_pin_def def = c->pins[i].def;
        if (c->pins[i].body >= 0) {
            def.body = b->ids.bodies[c->pins[i].body];
        }
        if (!toile_cloth_add_pin(b->world, b->ids.cloths[index], &def).slot) {
            node at = node_element(&pins, (size_t)i);
            return refuse(&at, TOILE_ERROR_INVALID);
        }
    }
    return TOILE_OK;
}

/* The library checks each cloth; many together may still be too much. */
static toile_result check_memory(builder *b, const node *at, toile_cloth_id id) {
    b->solver_bytes += toile_cloth_get_info(b->world, id).solver_bytes;
    double have = (double)memory_machine_bytes();
    if (have > 0.0 && (double)b->solver_bytes > MEMORY_SHARE * have) {
        return node_error(at,
                          "the cloths up to this one need about %.3g GB; this machine has %.3g GB: "
                          "expected fewer cloths or larger spacings",
                          (double)b->solver_bytes / 1e9, have / 1e9);
    }
    return TOILE_OK;
}

static toile_result build_cloths(builder *b) {
    node cloths = node_member(&b->root, "cloths");
    for (int i = 0; i < b->scene->cloth_count; i++) {
        node at = node_element(&cloths, (size_t)i);
        b->ids.cloths[i] = toile_world_add_cloth(b->world, &b->scene->cloths[i].def);
        if (!b->ids.cloths[i].slot) {
            return refuse(&at, TOILE_ERROR_INVALID);
        }
        toile_result result = check_memory(b, &at, b->ids.cloths[i]);
        if (result == TOILE_OK) {
            result = build_pins(b, &at, i);
        }
        if (result != TOILE_OK) {
            return result;
        }
    }
    return TOILE_OK;
}

/* ---- cloths that start inside bodies ------------------------------------------------------------
 */

typedef struct inside {
    size_t count;
    double depth; /* m, of the deepest */
} inside;

/* Texels that are pinned may be in a body: those that it carries usually are. */
static void mark_pinned(const toile_world *world, toile_cloth_id id, bool *pinned) {
    for (size_t i = 0; i < world->pins.count; i++) {
        const pin *p = world_pin(world, i);
        for (uint32_t t = 0; p && p->cloth == id.slot - 1 && t < p->count; t++) {
            pinned[p->texels[t]] = true;
        }
    }
}

static inside measure_inside(const body *b, const float *positions, const bool *pinned,
                             size_t texels) {
    pose shape = body_shape_pose(b, &b->now);
    inside in = {0};
    for (size_t t = 0; t < texels; t++) {
        double place[3], local[3];
        for (size_t k = 0; k < 3; k++) {
            place[k] = (double)positions[3 * t + k];
        }
        pose_apply_inverse(&shape, place, local);
        v3 p = v3_make((float)local[0], (float)local[1], (float)local[2]);
        double depth = -(double)body_distance(b, p).w;
        if (!pinned[t] && depth > DEPTH_TOLERANCE) {
            in.count++;
            in.depth = depth > in.depth ? depth : in.depth;
        }
    }
    return in;
}

static toile_result check_cloth_outside(const builder *b, int index, float *positions, bool *pinned,
                                        size_t texels) {
    toile_cloth_id id = b->ids.cloths[index];
    mark_pinned(b->world, id, pinned);
    toile_result result = toile_cloth_get_texel_positions(b->world, id, positions, texels);
    for (int i = 0; i < b->scene->body_count && result == TOILE_OK; i++) {
        const world_body *other = world_body_at(b->world, b->ids.bodies[i].slot - 1);
        inside in = measure_inside(&other->body, positions, pinned, texels);
        if (in.count > 0) {
            node cloths = node_member(&b->root, "cloths");
            node at = node_element(&cloths, (size_t)index);
            result = node_error(&at,
                                "%zu texel%s of \"%s\" start%s inside the body \"%s\" "
                                "(bodies[%d]), up to %.3g mm deep: expected them apart",
                                in.count, in.count == 1 ? "" : "s",
                                b->scene->cloths[index].def.name, in.count == 1 ? "s" : "",
                                b->scene->bodies[i].def.name, i, in.depth * 1e3);
        }
    }
    return result;
}

static toile_result check_outside(const builder *b) {
    toile_result result = TOILE_OK;
    for (int i = 0; i < b->scene->cloth_count && result == TOILE_OK; i++) {
        size_t texels = toile_cloth_get_info(b->world, b->ids.cloths[i]).texels;
        float *positions = memory_alloc(texels, 3 * sizeof *positions, "positions");
        bool *pinned = memory_alloc(texels, sizeof *pinned, "pinned texels");
        result = positions && pinned ? check_cloth_outside(b, i, positions, pinned, texels)
                                     : TOILE_ERROR_MEMORY;
        free(positions);
        free(pinned);
    }
    return result;
}

/* ---- the whole ----------------------------------------------------------------------------------
 */

static toile_result build(builder *b, toile_log_handler *log, void *log_user) {
    b->ids.cloths = memory_alloc((size_t)b->scene->cloth_count + 1, sizeof *b->ids.cloths, "ids");
    b->ids.bodies = memory_alloc((size_t)b->scene->body_count + 1, sizeof *b->ids.bodies, "ids");
    if (!b->ids.cloths || !b->ids.bodies) {
        return TOILE_ERROR_MEMORY;
    }
    toile_result result = build_world(b, log, log_user);
    if (result == TOILE_OK) {
        result = build_bodies(b);
    }
    if (result == TOILE_OK) {
        result = build_cloths(b);
    }
    if (result == TOILE_OK) {
        result = check_outside(b);
    }
    return result;
}

toile_result scene_build(const scene *s, toile_log_handler *log, void *log_user,
                         toile_world **world, scene_ids *ids) {
    builder b = {.scene = s, .root = node_root(s->source)};
    toile_result result = build(&b, log, log_user);
    if (result != TOILE_OK) {
        toile_world_destroy(b.world);
        scene_ids_free(&b.ids);
        return result;
    }
    *world = b.world;
    *ids = b.ids;
    return TOILE_OK;
}

void scene_ids_free(scene_ids *ids) {
    free(ids->cloths);
    free(ids->bodies);
    *ids = (scene_ids){0};
}
