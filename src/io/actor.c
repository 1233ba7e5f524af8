#include "io/actor.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/character_read.h"
#include "io/json.h"
#include "io/sequence.h"
#include "io/solid_mesh.h"
#include "model/motion.h"

struct actor {
    const character *character; /* its own, or that of a body before it; of a sequence: empty */
    character own;
    performance *performance; /* as the file says */
    performance *turned;      /* in its place; NULL: none */
    sequence *sequence;       /* of a character: NULL */
    toile_skinning skinning;
    bool still;   /* as the file says, it never moves */
    bool skinned; /* by the world */
    size_t vertices;
    /* Scratch, one after the other filled in for a time. */
    skin_rows *matrices; /* of joints */
    skin_joint *motions; /* the same, of dual quaternions */
    float *weights;      /* of morph targets */
    float *morphed;      /* 3 a vertex: with morph targets */
    float *positions;    /* 3 a vertex */
};

static void actor_destroy(actor *a) {
    if (a) {
        performance_destroy(a->performance);
        performance_destroy(a->turned);
        character_free(&a->own);
        sequence_close(a->sequence);
        free(a->matrices);
        free(a->motions);
        free(a->weights);
        free(a->morphed);
        free(a->positions);
        free(a);
    }
}

/* ---- at a time ----------------------------------------------------------------------------------
 */

static performance *current(const actor *a) {
    return a->turned ? a->turned : a->performance;
}

bool actor_is_still(const actor *a) {
    return a->still && !a->turned;
}

static toile_result pose_character(actor *a, double time) {
    return performance_pose(current(a), time, a->matrices, a->weights);
}

static void skin_character(actor *a, float *out) {
    const character *c = a->character;
    const float *bound = c->positions;
    if (c->target_count > 0) {
        character_morph(c, a->weights, a->morphed);
        bound = a->morphed;
    }
    if (a->skinning == TOILE_SKINNING_DUAL_QUATERNION) {
        skin_joints_from_rows(a->matrices, c->joint_count, a->motions);
        character_skin_dual(c, bound, a->motions, 0, c->vertices, out);
    } else {
        character_skin_linear(c, bound, a->matrices, 0, c->vertices, out);
    }
}

toile_result actor_vertices(actor *a, double time, float *out) {
    if (a->sequence) {
        return sequence_sample(a->sequence, time, out);
    }
    toile_result result = pose_character(a, time);
    if (result == TOILE_OK) {
        skin_character(a, out);
    }
    return result;
}

toile_result actor_place(actor *a, double time, const toile_pose *where, float *out) {
    toile_result result = actor_vertices(a, time, out);
    pose to = {.rotation = {(double)where->rotation[0], (double)where->rotation[1],
                            (double)where->rotation[2], (double)where->rotation[3]}};
    for (int k = 0; k < 3; k++) {
        to.position[k] = (double)where->position[k];
    }
    for (size_t v = 0; v < a->vertices && result == TOILE_OK; v++) {
        float *p = out + 3 * v;
        double place[3], local[3] = {(double)p[0], (double)p[1], (double)p[2]};
        pose_apply(&to, local, place);
        for (int k = 0; k < 3; k++) {
            p[k] = (float)place[k];
        }
    }
    return result;
}

toile_result actor_drive(actor *a, toile_world *world, toile_body_id body, double time) {
    if (actor_is_still(a)) {
        return TOILE_OK;
    }
    if (a->skinned) {
        toile_result result = pose_character(a, time);
        return result == TOILE_OK ? toile_world_move_joints(world, body, (const float *)a->matrices,
                                                            a->character->joint_count)
                                  : result;
    }
    toile_result result = actor_vertices(a, time, a->positions);
    return result == TOILE_OK ? toile_world_move_vertices(world, body, a->positions, a->vertices)
                              : result;
}

const character *actor_character(const actor *a) {
    return a->skinned ? a->character : NULL;
}

void actor_joints(actor *a, double time, transform *locals) {
    performance_sample(current(a), time, locals, NULL);
}

/* ---- choosing what it does ----------------------------------------------------------------------
 */

size_t actor_animation_count(const actor *a) {
    return a->character->clip_count;
}

const char *actor_animation(const actor *a, size_t number) {
    return a->character->clips[number].name;
}

int actor_leading(const actor *a, double time) {
    const char *name = a->sequence ? NULL : performance_leading(current(a), time);
    for (size_t i = 0; name && i < a->character->clip_count; i++) {
        if (strcmp(a->character->clips[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

toile_result actor_turn(actor *a, double time, const performance_action *next) {
    performance *turned;
    toile_result result = performance_turn(current(a), time, next, &turned);
    if (result == TOILE_OK) {
        performance_destroy(a->turned);
        a->turned = turned;
    }
    return result;
}

void actor_restart(actor *a) {
    performance_destroy(a->turned);
    a->turned = NULL;
}

/* ---- making -------------------------------------------------------------------------------------
 */

static toile_result allocate(actor *a) {
    const character *c = a->character;
    size_t morphed = c->target_count > 0 ? 3 * a->vertices : 0;
    a->matrices = memory_alloc(c->joint_count, sizeof *a->matrices, "joints");
    a->motions = memory_alloc(c->joint_count, sizeof *a->motions, "joints");
    a->weights = memory_alloc(c->target_count, sizeof *a->weights, "morph targets");
    a->morphed = memory_alloc(morphed, sizeof *a->morphed, "a character");
    a->positions = memory_alloc(3 * a->vertices, sizeof *a->positions, "a body that deforms");
    return a->matrices && a->motions && a->weights && a->morphed && a->positions
               ? TOILE_OK
               : TOILE_ERROR_MEMORY;
}

static bool same_source(const scene_actor *a, const scene_actor *b) {
    const mannequin_def *m = &a->mannequin, *n = &b->mannequin;
    if (a->kind != b->kind || a->kind == SCENE_SEQUENCE) {
        return false;
    }
    return a->kind == SCENE_MANNEQUIN
               ? m->height == n->height && m->chest == n->chest && m->waist == n->waist &&
                     m->hip == n->hip && m->pose == n->pose
               : a->scale == b->scale && a->weld == b->weld &&
                     strcmp(a->file.path, b->file.path) == 0;
}

/* Many bodies may be the same character: it is read once. */
static const character *find_character(const scene *s, const scene_body *b) {
    for (const scene_body *other = s->bodies; other < b; other++) {
        if (other->actor && same_source(other->actor, b->actor)) {
            return other->actor->loaded->character;
        }
    }
    return NULL;
}

static toile_result make_own_character(actor *a, const scene_actor *given) {
    a->character = &a->own;
    if (given->kind == SCENE_MANNEQUIN) {
        return mannequin_create(&given->mannequin, &a->own);
    }
    character_options options = character_options_default();
    options.scale = given->scale;
    options.weld = given->weld;
    return character_read(given->file.path, &options, &a->own);
}

static toile_result make_character(actor *a, const scene *s, const scene_body *b) {
    const scene_actor *given = b->actor;
    a->character = find_character(s, b);
    toile_result result = a->character ? TOILE_OK : make_own_character(a, given);
    if (result != TOILE_OK) {
        return result;
    }
    a->vertices = a->character->vertices;
    a->skinning = given->skinning;
    a->skinned = a->character->target_count == 0;
    a->still = given->action_count == 0;
    result = performance_create(a->character, given->actions, (size_t)given->action_count,
                                given->root_motion, &a->performance);
    if (result != TOILE_OK && given->kind == SCENE_CHARACTER) {
        error_prefix("'%s': ", make_printable(given->file.name).text);
    }
    return result;
}

static toile_result make_sequence(actor *a, const scene_actor *given) {
    a->character = &a->own;
    sequence_def def = {.base = given->base.path,
                        .cache = given->cache.path,
                        .rate = given->rate,
                        .scale = given->scale,
                        .speed = given->speed,
                        .start = given->start,
                        .loop = given->loop};
    const char **names = memory_alloc((size_t)given->file_count + 1, sizeof *names, "files");
    if (!names) {
        return TOILE_ERROR_MEMORY;
    }
    for (int i = 0; i < given->file_count; i++) {
        names[i] = given->files[i].path;
    }
    def.files = given->file_count > 0 ? names : NULL;
    def.file_count = (size_t)given->file_count;
    toile_result result = sequence_open(&def, &a->sequence);
    free(names);
    if (result == TOILE_OK) {
        a->vertices = sequence_vertices(a->sequence);
        a->still = sequence_frames(a->sequence) == 1;
    }
    return result;
}

/* ---- for the world ------------------------------------------------------------------------------
 */

/* Of what hangs on joints: the mesh as it is bound, and the joints at time 0. */
static toile_result define_skinned(document *d, actor *a, toile_body_def *def) {
    const character *c = a->character;
    size_t count = c->influences * c->vertices;
    uint32_t *joints = document_alloc(d, count, sizeof *joints);
    skin_rows *matrices = document_alloc(d, c->joint_count, sizeof *matrices);
    if (!joints || !matrices) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        joints[i] = c->joints[i];
    }
    toile_result result = pose_character(a, 0.0);
    memcpy(matrices, a->matrices, c->joint_count * sizeof *matrices);
    def->shape = TOILE_SHAPE_SKINNED;
    def->mesh = (toile_mesh_def){c->positions, c->vertices, c->indices, c->triangles};
    def->skin = (toile_skin_def){.joint_count = (int)c->joint_count,
                                 .influences = (int)c->influences,
                                 .joints = joints,
                                 .weights = c->weights,
                                 .matrices = (const float *)matrices,
                                 .kind = a->skinning};
    return result;
}

static toile_result define_deforming(document *d, actor *a, toile_body_def *def) {
    float *positions = document_alloc(d, 3 * a->vertices, sizeof *positions);
    if (!positions) {
        return TOILE_ERROR_MEMORY;
    }
    const character *c = a->character;
    def->shape = TOILE_SHAPE_DEFORMING;
    def->mesh = (toile_mesh_def){
        .positions = positions,
        .vertices = a->vertices,
        .triangles = a->sequence ? sequence_indices(a->sequence) : c->indices,
        .triangle_count = a->sequence ? sequence_triangles(a->sequence) : c->triangles};
    return actor_vertices(a, 0.0, positions);
}

static toile_result load_actor(const scene *s, scene_body *b) {
    scene_actor *given = b->actor;
    actor *a = memory_alloc(1, sizeof *a, "a body that deforms");
    if (!a) {
        return TOILE_ERROR_MEMORY;
    }
    given->loaded = a;
    toile_result result =
        given->kind == SCENE_SEQUENCE ? make_sequence(a, given) : make_character(a, s, b);
    if (result == TOILE_OK) {
        result = allocate(a);
    }
    if (result != TOILE_OK) {
        return result;
    }
    return a->skinned ? define_skinned(s->source, a, &b->def)
                      : define_deforming(s->source, a, &b->def);
}

/* Where the error is: the file where there is one. */
static node actor_node(const node *body, const scene_actor *given, node *above) {
    static const char *const kinds[] = {"character", "mannequin", "sequence"};
    *above = node_member(body, kinds[given->kind]);
    return given->kind == SCENE_CHARACTER ? node_member(above, "file") : *above;
}

toile_result actors_load(scene *s) {
    node root = node_root(s->source), bodies = node_member(&root, "bodies");
    size_t total = 0;
    for (int i = 0; i < s->body_count; i++) {
        scene_body *b = &s->bodies[i];
        node body = node_element(&bodies, (size_t)i), above, at;
        if (b->actor) {
            at = actor_node(&body, b->actor, &above);
            toile_result result = load_actor(s, b);
            if (result != TOILE_OK) {
                node_error_prefix(&at);
                return result;
            }
        }
        total += b->def.mesh.triangle_count;
        if (b->actor && total > SOLID_TRIANGLE_LIMIT) {
            return node_error(&at, "expected at most %zu triangles in the meshes of all bodies",
                              SOLID_TRIANGLE_LIMIT);
        }
    }
    return TOILE_OK;
}

void actors_free(scene *s) {
    for (int i = 0; i < s->body_count; i++) {
        if (s->bodies[i].actor) {
            actor_destroy(s->bodies[i].actor->loaded);
            s->bodies[i].actor->loaded = NULL;
        }
    }
}

/* ---- scenes -------------------------------------------------------------------------------------
 */

toile_result scene_drive_body(const scene *s, toile_world *world, const scene_ids *ids, int body,
                              double time) {
    const scene_body *b = &s->bodies[body];
    if (!b->actor) {
        return TOILE_OK;
    }
    toile_result result = actor_drive(b->actor->loaded, world, ids->bodies[body], time);
    if (result != TOILE_OK) {
        error_prefix("body '%s' at %.9g s: ", b->def.name, time);
    }
    return result;
}

toile_result scene_drive(const scene *s, toile_world *world, const scene_ids *ids, double time) {
    toile_result result = TOILE_OK;
    for (int b = 0; b < s->body_count && result == TOILE_OK; b++) {
        result = scene_drive_body(s, world, ids, b, time);
    }
    return result;
}

toile_result scene_step(const scene *s, toile_world *world, const scene_ids *ids) {
    double end = toile_world_time(world) + (double)s->time_step;
    toile_result result = scene_drive(s, world, ids, end);
    return result == TOILE_OK ? toile_world_step(world, s->time_step) : result;
}
