/* From a scene to a world. What the library refuses gets file, line and field in front. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/cloth_mesh.h"
#include "io/json.h"
#include "io/panel_file.h"
#include "io/scene.h"
#include "step/world.h"

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

static toile_result refuse_unread(const node *at, const char *name) {
    return node_error(at, "the file of \"%s\" was not read: a scene in memory has no folder", name);
}

static toile_result build_bodies(builder *b) {
    node bodies = node_member(&b->root, "bodies");
    for (int i = 0; i < b->scene->body_count; i++) {
        const scene_body *given = &b->scene->bodies[i];
        node at = node_element(&bodies, (size_t)i);
        if (given->mesh_file.name && !given->mesh_file.path) {
            return refuse_unread(&at, given->def.name);
        }
        if (given->actor && !given->actor->loaded) {
            return node_error(&at, "\"%s\" was not made: scenes in memory have no such bodies",
                              given->def.name);
        }
        b->ids.bodies[i] = toile_world_add_body(b->world, &given->def);
        if (!b->ids.bodies[i].slot) {
            const scene_file *file = given->actor ? &given->actor->file : &given->mesh_file;
            if (file->name) {
                error_prefix("'%s': ", make_printable(file->name).text);
            }
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
            bool attached = def.kind == TOILE_PIN_NEAR;
            node at = attached ? node_member(at_cloth, "attach") : node_element(&pins, (size_t)i);
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

/* Plain rectangles are left to the library, which cooks them itself. */
static toile_result make_panel(const scene_cloth *c, toile_panel **cooked) {
    bool has_outline = c->outline.loop_count > 0;
    *cooked = NULL;
    if (c->panel.path) {
        return panel_read(c->panel.path, cooked);
    }
    if (!has_outline && c->coarse_edge == 0.0f && !c->snap) {
        return TOILE_OK;
    }
    toile_panel_def def = toile_default_panel_def();
    def.outline = has_outline ? &c->outline : NULL;
    def.size[0] = c->def.size[0];
    def.size[1] = c->def.size[1];
    def.spacing = c->def.spacing;
    def.grain = c->grain;
    def.coarse_edge = c->coarse_edge;
    def.render_edge = c->render_edge;
    def.snap = c->snap;
    return toile_panel_cook(&def, cooked);
}

static toile_result add_cloth(builder *b, int index, const toile_panel *cooked) {
    const scene_cloth *c = &b->scene->cloths[index];
    toile_cloth_def def = c->def;
    def.panel = cooked;
    toile_cloth_id id = toile_world_add_cloth(b->world, &def);
    b->ids.cloths[index] = id;
    if (!id.slot) {
        return error_last();
    }
    /* A piece of a mesh starts where the mesh is. */
    return c->piece ? cloth_mesh_place(c, cooked, b->world, id) : TOILE_OK;
}

static toile_result build_cloth(builder *b, const node *at, int index) {
    const scene_cloth *c = &b->scene->cloths[index];
    if ((c->mesh.file.name && !c->piece) || (c->panel.name && !c->panel.path)) {
        return refuse_unread(at, c->def.name);
    }
    toile_panel *cooked;
    toile_result result = make_panel(c, &cooked);
    if (result == TOILE_OK) {
        result = add_cloth(b, index, cooked);
        toile_panel_destroy(cooked);
    }
    return result == TOILE_OK ? TOILE_OK : refuse(at, result);
}

static toile_result build_cloths(builder *b) {
    node cloths = node_member(&b->root, "cloths");
    for (int i = 0; i < b->scene->cloth_count; i++) {
        node at = node_element(&cloths, (size_t)b->scene->cloths[i].element);
        toile_result result = build_cloth(b, &at, i);
        if (result != TOILE_OK) {
            return result;
        }
        result = check_memory(b, &at, b->ids.cloths[i]);
        if (result == TOILE_OK) {
            result = build_pins(b, &at, i);
        }
        if (result != TOILE_OK) {
            return result;
        }
    }
    return TOILE_OK;
}

/* By its name, those of the pieces of meshes too; or a sentence that names the nearest. */
static toile_result find_cloth(const builder *b, const node *at, const char *name,
                               toile_cloth_id *out) {
    const char *nearest = NULL;
    for (int i = 0; i < b->scene->cloth_count; i++) {
        const char *other = b->scene->cloths[i].def.name;
        if (strcmp(other, name) == 0) {
            *out = b->ids.cloths[i];
            return TOILE_OK;
        }
        nearest = nearer_word(name, nearest, other);
    }
    return node_error(at, "expected the name of a cloth, found \"%s\"%s%s%s",
                      make_printable(name).text, nearest ? ", did you mean \"" : "",
                      nearest ? nearest : "", nearest ? "\"?" : "");
}

static toile_result build_tie(builder *b, const node *at, const scene_tie *given) {
    toile_tie_def def = given->def;
    node runs = node_member(at, "runs");
    for (int r = 0; r < 2; r++) {
        const scene_run *line = &given->runs[r];
        node run = node_element(&runs, (size_t)r), named = node_member(&run, "cloth");
        toile_result result = find_cloth(b, &named, line->cloth, &def.runs[r].cloth);
        if (result != TOILE_OK) {
            return result;
        }
        def.runs[r].points = line->points;
        def.runs[r].point_count = line->point_count;
    }
    return toile_world_add_tie(b->world, &def).slot ? TOILE_OK : refuse(at, error_last());
}

static toile_result build_ties(builder *b) {
    node ties = node_member(&b->root, "ties");
    toile_result result = TOILE_OK;
    for (int i = 0; i < b->scene->tie_count && result == TOILE_OK; i++) {
        node at = node_element(&ties, (size_t)i);
        result = build_tie(b, &at, &b->scene->ties[i]);
    }
    return result;
}

/* The world would say so itself in its first step, but not where in the file. */
static toile_result check_start(builder *b) {
    size_t index = 0;
    toile_result result = start_check(b->world, &index);
    for (int i = 0; i < b->scene->cloth_count && result == TOILE_ERROR_INVALID; i++) {
        if (b->ids.cloths[i].slot == index + 1) {
            node cloths = node_member(&b->root, "cloths");
            node at = node_element(&cloths, (size_t)b->scene->cloths[i].element);
            return refuse(&at, result);
        }
    }
    return result;
}

/* The refine solver may look from where pictures are taken from. */
static toile_result place_camera(builder *b) {
    const scene *s = b->scene;
    const toile_solver_def *solver = &s->world.solver;
    if (solver->kind != TOILE_SOLVER_REFINE || solver->refine.directions > 0) {
        return TOILE_OK;
    }
    if (!s->camera.given) {
        node at_solver = node_member(&b->root, "solver");
        node at = node_member(&at_solver, "directions");
        return node_error(&at, "expected the scene to have a camera with eye and target");
    }
    toile_camera camera = toile_default_camera();
    memcpy(camera.eye, s->camera.eye, sizeof camera.eye);
    memcpy(camera.target, s->camera.target, sizeof camera.target);
    camera.fov = s->camera.fov;
    camera.aspect = (float)s->render.size[0] / (float)s->render.size[1];
    return toile_world_set_camera(b->world, &camera);
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
        result = place_camera(b);
    }
    if (result == TOILE_OK) {
        result = build_bodies(b);
    }
    if (result == TOILE_OK) {
        result = build_cloths(b);
    }
    if (result == TOILE_OK) {
        result = build_ties(b);
    }
    if (result == TOILE_OK) {
        result = check_start(b);
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
