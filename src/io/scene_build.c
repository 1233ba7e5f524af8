/* From a scene to a world. What the library refuses gets file, line and field in front. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/json.h"
#include "io/scene_mesh.h"
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
            return refuse(&at, error_last());
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
            return refuse(&at, error_last());
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

/* NULL for the rectangle that a cloth makes by itself. */
static toile_result build_panel(const scene_cloth *c, toile_panel **out) {
    *out = NULL;
    bool outlined = c->outline.loop_count > 0;
    if (!outlined && c->coarse_edge == 0.0f && !c->snap) {
        return TOILE_OK;
    }
    toile_panel_def def = toile_default_panel_def();
    def.outline = outlined ? &c->outline : NULL;
    memcpy(def.size, c->def.size, sizeof def.size);
    def.spacing = c->def.spacing;
    def.grain = c->grain;
    def.coarse_edge = c->coarse_edge;
    def.render_edge = c->render_edge;
    def.snap = c->snap;
    return toile_panel_cook(&def, out);
}

/* A piece of a mesh starts where the mesh is. */
static toile_result build_cloth(builder *b, const node *at, int index) {
    const scene_cloth *c = &b->scene->cloths[index];
    if (c->mesh.file && !c->piece) {
        return node_error(at, "the mesh of \"%s\" was not read: a scene in memory has no folder",
                          c->def.name);
    }
    toile_panel *cooked;
    toile_result result = build_panel(c, &cooked);
    if (result == TOILE_OK) {
        toile_cloth_def def = c->def;
        def.panel = cooked;
        b->ids.cloths[index] = toile_world_add_cloth(b->world, &def);
        result = b->ids.cloths[index].slot ? TOILE_OK : error_last();
    }
    if (result == TOILE_OK && c->piece) {
        result = scene_mesh_place(c, cooked, b->world, b->ids.cloths[index]);
    }
    toile_panel_destroy(cooked);
    return result == TOILE_OK ? check_memory(b, at, b->ids.cloths[index]) : refuse(at, result);
}

static toile_result build_cloths(builder *b) {
    node cloths = node_member(&b->root, "cloths");
    for (int i = 0; i < b->scene->cloth_count; i++) {
        node at = node_element(&cloths, (size_t)b->scene->cloths[i].element);
        toile_result result = build_cloth(b, &at, i);
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

/* A cloth as it starts, flat, and a body. */
typedef struct encounter {
    const panel *panel;
    const float *positions; /* of the texels */
    const bool *pinned;
    int columns, rows;
    const body *body;
    pose shape; /* of the body */
} encounter;

typedef struct inside {
    size_t count; /* texels; 0 when the body is between them */
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

static double depth_of(const encounter *e, const double place[3]) {
    double local[3];
    pose_apply_inverse(&e->shape, place, local);
    v3 p = v3_make((float)local[0], (float)local[1], (float)local[2]);
    return -(double)body_distance(e->body, p).w;
}

static inside measure_texels(const encounter *e) {
    inside in = {0};
    for (size_t t = 0, n = (size_t)e->columns * (size_t)e->rows; t < n; t++) {
        const float *x = e->positions + 3 * t;
        double depth = depth_of(e, (const double[3]){(double)x[0], (double)x[1], (double)x[2]});
        if (e->panel->mask[t] && !e->pinned[t] && depth > DEPTH_TOLERANCE) {
            in.count++;
            in.depth = depth > in.depth ? depth : in.depth;
        }
    }
    return in;
}

/* Depth at shares u and v of the cloth's width and height. */
static double depth_at(const encounter *e, double u, double v) {
    const float *origin = e->positions;
    const float *right = origin + 3 * (size_t)(e->columns - 1);
    const float *top = origin + 3 * (size_t)e->columns * (size_t)(e->rows - 1);
    double place[3];
    for (int k = 0; k < 3; k++) {
        double x = (double)origin[k];
        place[k] = x + u * ((double)right[k] - x) + v * ((double)top[k] - x);
    }
    return depth_of(e, place);
}

/* All bodies are convex and the cloth is flat, so that along any line across it the depth rises to
 * one maximum and falls: thirds are cut off at the lower side. */
enum { CUTS = 48 };

static double deepest_along_v(const encounter *e, double u, double *v) {
    double low = 0.0, high = 1.0;
    for (int i = 0; i < CUTS; i++) {
        double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
        if (depth_at(e, u, a) < depth_at(e, u, b)) {
            low = a;
        } else {
            high = b;
        }
    }
    *v = 0.5 * (low + high);
    return depth_at(e, u, *v);
}

static double deepest(const encounter *e, double *u, double *v) {
    double low = 0.0, high = 1.0;
    for (int i = 0; i < CUTS; i++) {
        double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
        if (deepest_along_v(e, a, v) < deepest_along_v(e, b, v)) {
            low = a;
        } else {
            high = b;
        }
    }
    *u = 0.5 * (low + high);
    return deepest_along_v(e, *u, v);
}

/* A body thinner than the spacing may pass between the texels. */
static inside measure_between(const encounter *e) {
    double u, v, depth = deepest(e, &u, &v);
    size_t column = (size_t)(u * (e->columns - 1) + 0.5), row = (size_t)(v * (e->rows - 1) + 0.5);
    bool held = e->pinned[row * (size_t)e->columns + column];
    return (inside){.depth = depth > DEPTH_TOLERANCE && !held ? depth : 0.0};
}

/* The same where the cloth does not fill its box: vertices and middles of triangles tell. */
static inside measure_mesh(const encounter *e) {
    const projection *from = &e->panel->render_projection;
    const flat_mesh *mesh = &e->panel->render;
    size_t above = (size_t)e->columns;
    inside in = {0};
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        double middle[3] = {0.0, 0.0, 0.0};
        bool held = false;
        for (int k = 0; k < 3; k++) {
            uint32_t v = mesh->indices[3 * t + (size_t)k];
            size_t texel = from->texels[v];
            held |= e->pinned[texel] || e->pinned[texel + 1] || e->pinned[texel + above] ||
                    e->pinned[texel + above + 1];
            float place[3];
            project_vectors(&(projection){from->texels + v, from->fractions + 2 * (size_t)v}, 1,
                            &e->panel->grid, e->positions, place);
            double corner[3] = {(double)place[0], (double)place[1], (double)place[2]};
            in.depth = held ? in.depth : fmax(in.depth, depth_of(e, corner));
            for (int axis = 0; axis < 3; axis++) {
                middle[axis] += corner[axis] / 3.0;
            }
        }
        in.depth = held ? in.depth : fmax(in.depth, depth_of(e, middle));
    }
    in.depth = in.depth > DEPTH_TOLERANCE ? in.depth : 0.0;
    return in;
}

static toile_result refuse_inside(const builder *b, int index, int other, inside in) {
    node cloths = node_member(&b->root, "cloths");
    node at = node_element(&cloths, (size_t)b->scene->cloths[index].element);
    const char *name = b->scene->cloths[index].def.name;
    const char *body_name = b->scene->bodies[other].def.name;
    if (in.count == 0) {
        return node_error(&at,
                          "the body \"%s\" (bodies[%d]) starts in \"%s\" between its texels, "
                          "%.3g mm deep: expected them apart",
                          body_name, other, name, in.depth * 1e3);
    }
    return node_error(&at,
                      "%zu texel%s of \"%s\" start%s inside the body \"%s\" (bodies[%d]), up to "
                      "%.3g mm deep: expected them apart",
                      in.count, in.count == 1 ? "" : "s", name, in.count == 1 ? "s" : "", body_name,
                      other, in.depth * 1e3);
}

static toile_result check_cloth_outside(const builder *b, int index, float *positions,
                                        bool *pinned) {
    toile_cloth_id id = b->ids.cloths[index];
    toile_cloth_info info = toile_cloth_get_info(b->world, id);
    const panel *piece = world_cloth(b->world, id.slot - 1)->panel;
    mark_pinned(b->world, id, pinned);
    toile_result result = toile_cloth_get_texel_positions(b->world, id, positions, info.texels);
    double reach = 0.5 * hypot((double)info.spacing * (info.columns - 1),
                               (double)info.spacing * (info.rows - 1));
    for (int i = 0; i < b->scene->body_count && result == TOILE_OK; i++) {
        const body *other = &world_body_at(b->world, b->ids.bodies[i].slot - 1)->body;
        encounter e = {piece,
                       positions,
                       pinned,
                       info.columns,
                       info.rows,
                       other,
                       body_shape_pose(other, &other->now)};
        /* No shape says that it is farther away than it is. */
        if (piece->rectangle && depth_at(&e, 0.5, 0.5) < -1.001 * reach) {
            continue;
        }
        inside in = measure_texels(&e);
        if (in.count == 0) {
            in = piece->rectangle ? measure_between(&e) : measure_mesh(&e);
        }
        if (in.depth > 0.0) {
            result = refuse_inside(b, index, i, in);
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
        result =
            positions && pinned ? check_cloth_outside(b, i, positions, pinned) : TOILE_ERROR_MEMORY;
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
