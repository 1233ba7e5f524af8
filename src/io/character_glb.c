#include "io/character_glb.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/glb_chunks.h"
#include "io/glb_plan.h"
#include "io/mesh.h"

/* Numbers of the glTF 2.0 specification. */
enum {
    FLOAT = 5126,
    UNSIGNED_INT = 5125,
    UNSIGNED_SHORT = 5123,
    ARRAY_BUFFER = 34962,
    ELEMENT_ARRAY_BUFFER = 34963
};

/* Unlike that of a run's motion, the text is short: it is built in memory, where jansson says when
 * that is not enough by NULLs that it passes on. */
typedef struct writer {
    const character *character;
    json_t *root, *accessors, *views;
    uint8_t *binary;
    size_t size, capacity;
    bool failed; /* not enough memory */
} writer;

/* ---- accessors ----------------------------------------------------------------------------------
 */

typedef struct values {
    const void *data;
    size_t count;     /* elements */
    size_t width;     /* components per element */
    size_t bytes;     /* per component */
    int component;    /* FLOAT ... */
    const char *type; /* "VEC3" ... */
    int target;       /* 0: none */
} values;

static bool append_bytes(writer *w, const void *bytes, size_t size) {
    size_t padded = (size + 3) & ~(size_t)3;
    if (!w->binary || w->size + padded > w->capacity) {
        size_t wanted = 2 * (w->size + padded);
        uint8_t *larger = realloc(w->binary, wanted);
        if (!larger) {
            return false;
        }
        w->binary = larger;
        w->capacity = wanted;
    }
    memset(w->binary + w->size, 0, padded);
    memcpy(w->binary + w->size, bytes, size);
    w->size += padded;
    return true;
}

/* Appends values with a view of their own. Returns the number of the accessor. */
static json_int_t add_values(writer *w, values v, bool bounds) {
    size_t size = v.count * v.width * v.bytes;
    json_t *view = json_pack("{s:i, s:I, s:I}", "buffer", 0, "byteOffset", (json_int_t)w->size,
                             "byteLength", (json_int_t)size);
    if (v.target) {
        json_object_set_new(view, "target", json_integer(v.target));
    }
    json_t *accessor =
        json_pack("{s:I, s:i, s:I, s:s}", "bufferView", (json_int_t)json_array_size(w->views),
                  "componentType", v.component, "count", (json_int_t)v.count, "type", v.type);
    if (bounds) {
        const float *data = v.data;
        json_t *low = json_array(), *high = json_array();
        for (size_t k = 0; k < v.width; k++) {
            float least = data[k], most = data[k];
            for (size_t i = 1; i < v.count; i++) {
                float value = data[v.width * i + k];
                least = value < least ? value : least;
                most = value > most ? value : most;
            }
            json_array_append_new(low, json_real((double)least));
            json_array_append_new(high, json_real((double)most));
        }
        json_object_set_new(accessor, "min", low);
        json_object_set_new(accessor, "max", high);
    }
    w->failed = w->failed || !append_bytes(w, v.data, size) ||
                json_array_append_new(w->views, view) != 0 ||
                json_array_append_new(w->accessors, accessor) != 0;
    return (json_int_t)json_array_size(w->accessors) - 1;
}

static values float_values(const float *data, size_t count, size_t width, int target) {
    static const char *const types[] = {NULL, "SCALAR", NULL, "VEC3", "VEC4"};
    return (values){data, count, width, sizeof(float), FLOAT, types[width], target};
}

/* ---- mesh and skin ------------------------------------------------------------------------------
 */

static json_t *make_mesh(writer *w, const char *name) {
    const character *c = w->character;
    mesh_view view = {.vertices = c->vertices, .triangles = c->triangles, .indices = c->indices};
    float *normals = memory_alloc(3 * c->vertices, sizeof *normals, "normals");
    if (!normals) {
        w->failed = true;
        return NULL;
    }
    mesh_normals(&view, c->positions, normals);
    size_t n = c->vertices;
    json_int_t positions = add_values(w, float_values(c->positions, n, 3, ARRAY_BUFFER), true);
    json_int_t normal = add_values(w, float_values(normals, n, 3, ARRAY_BUFFER), false);
    json_int_t joints =
        add_values(w, (values){c->joints, n, 4, 2, UNSIGNED_SHORT, "VEC4", ARRAY_BUFFER}, false);
    json_int_t weights = add_values(w, float_values(c->weights, n, 4, ARRAY_BUFFER), false);
    values corners = {c->indices, 3 * c->triangles,    1, 4, UNSIGNED_INT,
                      "SCALAR",   ELEMENT_ARRAY_BUFFER};
    json_int_t indices = add_values(w, corners, false);
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
        w->failed = true;
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
    values v = {matrices, c->joint_count, 16, sizeof(float), FLOAT, "MAT4", 0};
    json_int_t bind = add_values(w, v, false);
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
    json_object_set_new(w->root, "nodes", nodes);
    json_object_set_new(w->root, "scenes", json_pack("[{s:o}]", "nodes", roots));
}

/* ---- animations ---------------------------------------------------------------------------------
 */

/* Validators look at the last bit of a rotation's length. */
static json_int_t add_keys(writer *w, const character_track *t) {
    if (t->path != TRACK_ROTATION) {
        return add_values(w, float_values(t->values, t->keys, 3, 0), false);
    }
    float *rotations = memory_alloc(4 * t->keys, sizeof *rotations, "an animation");
    if (!rotations) {
        w->failed = true;
        return 0;
    }
    for (size_t key = 0; key < t->keys; key++) {
        glb_unit_rotation(t->values + 4 * key, rotations + 4 * key);
    }
    json_int_t accessor = add_values(w, float_values(rotations, t->keys, 4, 0), false);
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
        if (i == 0 || !same_times(t, t - 1)) {
            times = add_values(w, float_values(t->times, t->keys, 1, 0), true);
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
    if (json_array_size(animations) > 0) {
        json_object_set(w->root, "animations", animations);
    }
    json_decref(animations);
}

/* ---- the file -----------------------------------------------------------------------------------
 */

static char *make_text(writer *w, const char *name, const character_clip *clip) {
    char generator[64];
    snprintf(generator, sizeof generator, "toile %s", toile_version());
    w->root = json_pack("{s:{s:s, s:s}, s:i}", "asset", "version", "2.0", "generator", generator,
                        "scene", 0);
    w->accessors = json_array();
    w->views = json_array();
    make_nodes(w, name);
    json_object_set_new(w->root, "meshes", make_mesh(w, name));
    json_object_set_new(w->root, "skins", make_skin(w));
    json_object_set_new(w->root, "materials",
                        json_pack("[{s:s, s:{s:[f,f,f,f], s:f, s:f}}]", "name", name,
                                  "pbrMetallicRoughness", "baseColorFactor", 0.69, 0.62, 0.55, 1.0,
                                  "metallicFactor", 0.0, "roughnessFactor", 0.6));
    make_animations(w, clip);
    json_object_set(w->root, "accessors", w->accessors);
    json_object_set(w->root, "bufferViews", w->views);
    json_object_set_new(w->root, "buffers",
                        json_pack("[{s:I}]", "byteLength", (json_int_t)w->size));
    return w->failed ? NULL : json_dumps(w->root, JSON_COMPACT);
}

static toile_result write_file(const writer *w, const char *path, const char *text) {
    file_writer *file;
    toile_result result = file_create(path, &file);
    if (result != TOILE_OK) {
        return result;
    }
    FILE *stream = file_stream(file);
    size_t length = strlen(text);
    glb_begin_json(stream, length, w->size);
    fwrite(text, 1, length, stream);
    glb_begin_binary(stream, length, w->size);
    fwrite(w->binary, 1, w->size, stream);
    return file_commit(file);
}

toile_result character_glb_write(const char *path, const character *c, const char *name,
                                 const character_clip *clip) {
    writer w = {.character = c};
    char *text = make_text(&w, name, clip);
    toile_result result =
        text ? write_file(&w, path, text)
             : error_set(TOILE_ERROR_MEMORY, "not enough memory to write '%s'", path);
    free(text);
    json_decref(w.root);
    json_decref(w.accessors);
    json_decref(w.views);
    free(w.binary);
    return result;
}
