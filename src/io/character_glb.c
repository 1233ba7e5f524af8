#include "io/character_glb.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/glb_builder.h"
#include "io/glb_plan.h"
#include "io/mesh.h"

typedef struct writer {
    const character *character;
    glb_builder out;
} writer;

/* ---- mesh and skin ------------------------------------------------------------------------------
 */

static json_t *make_mesh(writer *w, const char *name) {
    const character *c = w->character;
    mesh_view view = {.vertices = c->vertices, .triangles = c->triangles, .indices = c->indices};
    float *normals = memory_alloc(3 * c->vertices, sizeof *normals, "normals");
    if (!normals) {
        w->out.failed = true;
        return NULL;
    }
    mesh_normals(&view, c->positions, normals);
    size_t n = c->vertices;
    json_int_t positions =
        glb_builder_add(&w->out, glb_floats(c->positions, n, 3, GLB_ARRAY_BUFFER), true);
    json_int_t normal =
        glb_builder_add(&w->out, glb_floats(normals, n, 3, GLB_ARRAY_BUFFER), false);
    json_int_t joints = glb_builder_add(
        &w->out, (glb_values){c->joints, n, 4, 2, GLB_UNSIGNED_SHORT, "VEC4", GLB_ARRAY_BUFFER},
        false);
    json_int_t weights =
        glb_builder_add(&w->out, glb_floats(c->weights, n, 4, GLB_ARRAY_BUFFER), false);
    glb_values corners = {c->indices, 3 * c->triangles,        1, 4, GLB_UNSIGNED_INT,
                          "SCALAR",   GLB_ELEMENT_ARRAY_BUFFER};
    json_int_t indices = glb_builder_add(&w->out, corners, false);
    free(normals);
    return json_pack("[{s:s, s:[{s:{s:I, s:I, s:I, s:I}, s:I, s:i}]}]", "name", name, "primitives",
                     "attributes", "POSITION", positions, "NORMAL", normal, "JOINTS_0", joints,
                     "WEIGHTS_0", weights, "indices", indices, "material", 0);
}

/* Matrices stand column by column. */
static json_t *make_skin(writer *w) {
    const character *c = w->character;
    float *matrices = memory_alloc(16 * c->joint_count, sizeof *matrices, "a skeleton");
    if (!matrices) {
        w->out.failed = true;
        return NULL;
    }
    json_t *joints = json_array();
    for (size_t j = 0; j < c->joint_count; j++) {
        float *m = matrices + 16 * j;
        for (size_t column = 0; column < 4; column++) {
            for (size_t row = 0; row < 3; row++) {
                m[4 * column + row] = (float)c->skeleton[j].inverse_bind.row[row][column];
            }
        }
        m[15] = 1.0f;
        json_array_append_new(joints, json_integer((json_int_t)j));
    }
    glb_values v = {matrices, c->joint_count, 16, sizeof(float), GLB_FLOAT, "MAT4", 0};
    json_int_t bind = glb_builder_add(&w->out, v, false);
    free(matrices);
    return json_pack("[{s:I, s:o}]", "inverseBindMatrices", bind, "joints", joints);
}

static json_t *make_numbers(const double *numbers, size_t count) {
    json_t *array = json_array();
    for (size_t k = 0; k < count; k++) {
        json_array_append_new(array, json_real((double)(float)numbers[k]));
    }
    return array;
}

static json_t *make_joint(const character *c, size_t joint) {
    const character_joint *j = &c->skeleton[joint];
    const quat *q = &j->rest.rotation;
    json_t *node = json_pack("{s:s, s:o}", "name", j->name, "translation",
                             make_numbers(j->rest.translation, 3));
    if (q->x != 0.0 || q->y != 0.0 || q->z != 0.0) {
        json_object_set_new(node, "rotation", make_numbers((double[4]){q->x, q->y, q->z, q->w}, 4));
    }
    const double *scale = j->rest.scale;
    if (scale[0] != 1.0 || scale[1] != 1.0 || scale[2] != 1.0) {
        json_object_set_new(node, "scale", make_numbers(scale, 3));
    }
    json_t *children = json_array();
    for (size_t k = joint + 1; k < c->joint_count; k++) {
        if (c->skeleton[k].parent == (int)joint) {
            json_array_append_new(children, json_integer((json_int_t)k));
        }
    }
    if (json_array_size(children) > 0) {
        json_object_set(node, "children", children);
    }
    json_decref(children);
    return node;
}

/* Nodes are the joints, then the mesh; the scene shows the mesh and what has no parent. */
static void make_nodes(writer *w, const char *name) {
    const character *c = w->character;
    json_t *nodes = json_array(), *roots = json_array();
    for (size_t j = 0; j < c->joint_count; j++) {
        json_array_append_new(nodes, make_joint(c, j));
        if (c->skeleton[j].parent < 0) {
            json_array_append_new(roots, json_integer((json_int_t)j));
        }
    }
    json_array_append_new(nodes, json_pack("{s:s, s:i, s:i}", "name", name, "mesh", 0, "skin", 0));
    json_array_append_new(roots, json_integer((json_int_t)c->joint_count));
    json_object_set_new(w->out.root, "nodes", nodes);
    json_object_set_new(w->out.root, "scenes", json_pack("[{s:o}]", "nodes", roots));
}

/* ---- animations ---------------------------------------------------------------------------------
 */

/* Validators look at the last bit of a rotation's length. */
static json_int_t add_keys(writer *w, const character_track *t) {
    if (t->path != TRACK_ROTATION) {
        return glb_builder_add(&w->out, glb_floats(t->values, t->keys, 3, 0), false);
    }
    float *rotations = memory_alloc(4 * t->keys, sizeof *rotations, "an animation");
    if (!rotations) {
        w->out.failed = true;
        return 0;
    }
    for (size_t key = 0; key < t->keys; key++) {
        glb_unit_rotation(t->values + 4 * key, rotations + 4 * key);
    }
    json_int_t accessor = glb_builder_add(&w->out, glb_floats(rotations, t->keys, 4, 0), false);
    free(rotations);
    return accessor;
}

static bool same_times(const character_track *a, const character_track *b) {
    return a->keys == b->keys && memcmp(a->times, b->times, a->keys * sizeof *a->times) == 0;
}

static json_t *make_animation(writer *w, const character_clip *clip) {
    static const char *const paths[] = {"translation", "rotation", "scale"};
    json_t *samplers = json_array(), *channels = json_array();
    json_int_t times = 0;
    for (size_t i = 0; i < clip->track_count; i++) {
        const character_track *t = &clip->tracks[i];
        TOILE_ASSERT(t->interpolation == TRACK_LINEAR && t->path != TRACK_WEIGHTS);
        if (i == 0 || !same_times(t, t - 1)) {
            times = glb_builder_add(&w->out, glb_floats(t->times, t->keys, 1, 0), true);
        }
        json_array_append_new(samplers,
                              json_pack("{s:I, s:I}", "input", times, "output", add_keys(w, t)));
        json_array_append_new(channels,
                              json_pack("{s:I, s:{s:i, s:s}}", "sampler", (json_int_t)i, "target",
                                        "node", t->joint, "path", paths[t->path]));
    }
    json_t *animation = json_pack("{s:s, s:o, s:o}", "name", clip->name, "samplers", samplers,
                                  "channels", channels);
    if (clip->loop) { /* glTF has no word of its own for it */
        json_object_set_new(animation, "extras", json_pack("{s:b}", "cycle", 1));
    }
    return animation;
}

static void make_animations(writer *w, const character_clip *only) {
    json_t *animations = json_array();
    for (size_t i = 0; i < w->character->clip_count; i++) {
        const character_clip *clip = &w->character->clips[i];
        if (!only || clip == only) {
            json_array_append_new(animations, make_animation(w, clip));
        }
    }
    glb_builder_set(&w->out, "animations", animations);
}

/* ---- the file -----------------------------------------------------------------------------------
 */

static void make_parts(writer *w, const char *name, const character_clip *clip) {
    make_nodes(w, name);
    json_object_set_new(w->out.root, "meshes", make_mesh(w, name));
    json_object_set_new(w->out.root, "skins", make_skin(w));
    json_object_set_new(w->out.root, "materials",
                        json_pack("[{s:s, s:{s:[f,f,f,f], s:f, s:f}}]", "name", name,
                                  "pbrMetallicRoughness", "baseColorFactor", 0.69, 0.62, 0.55, 1.0,
                                  "metallicFactor", 0.0, "roughnessFactor", 0.6));
    make_animations(w, clip);
}

toile_result character_glb_write(const char *path, const character *c, const char *name,
                                 const character_clip *clip) {
    TOILE_ASSERT(c->influences == 4 && c->target_count == 0);
    writer w = {.character = c, .out = glb_builder_begin()};
    make_parts(&w, name, clip);
    file_writer *file;
    toile_result result = file_create(path, &file);
    if (result == TOILE_OK && !glb_builder_write(&w.out, file_stream(file))) {
        file_discard(file);
        result = error_set(TOILE_ERROR_MEMORY, "not enough memory to write '%s'", path);
    } else if (result == TOILE_OK) {
        result = file_commit(file);
    }
    glb_builder_free(&w.out);
    return result;
}
