#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/field.h"
#include "io/gltf_accessor.h"
#include "io/gltf_parts.h"
#include "io/gltf_value.h"

/* Section 3.11 of the specification. */
#define NORMALIZED (COMPONENT_I8 | COMPONENT_U8 | COMPONENT_I16 | COMPONENT_U16)
static const accessor_rule key_times = {"times of keys", "SCALAR", COMPONENT_F32, 0, false};
static const accessor_rule key_values[] = {
    [GLTF_TRANSLATION] = {"translations", "VEC3", COMPONENT_F32, 0, false},
    [GLTF_ROTATION] = {"rotations", "VEC4", COMPONENT_F32, NORMALIZED, false},
    [GLTF_SCALE] = {"scales", "VEC3", COMPONENT_F32, 0, false},
    [GLTF_WEIGHTS] = {"weights of targets", "SCALAR", COMPONENT_F32, NORMALIZED, false},
};

static const choice paths[] = {{"translation", GLTF_TRANSLATION},
                               {"rotation", GLTF_ROTATION},
                               {"scale", GLTF_SCALE},
                               {"weights", GLTF_WEIGHTS},
                               {NULL, 0}};
static const choice interpolations[] = {
    {"LINEAR", GLTF_LINEAR}, {"STEP", GLTF_STEP}, {"CUBICSPLINE", GLTF_CUBIC_SPLINE}, {NULL, 0}};
_Static_assert(sizeof(gltf_path) == sizeof(int), "enums are read as int");
_Static_assert(sizeof(gltf_interpolation) == sizeof(int), "enums are read as int");

/* ---- keys ---------------------------------------------------------------------------------------
 */

static toile_result read_times(gltf_file *f, gltf *g, const node *sampler, gltf_channel *c) {
    node input = node_member(sampler, "input");
    accessor a;
    toile_result result = accessor_open(f, &input, &key_times, &a);
    if (result != TOILE_OK) {
        return result;
    }
    c->key_count = a.count;
    c->times = memory_pool_alloc(&g->memory, a.count, sizeof *c->times, key_times.use);
    result = c->times ? accessor_get_floats(&a, c->times, 1) : TOILE_ERROR_MEMORY;
    for (size_t i = 0; i < a.count && result == TOILE_OK; i++) {
        if (i > 0 ? c->times[i] <= c->times[i - 1] : c->times[i] < 0.0f) {
            return node_error(&a.at, "element %zu: expected times that rise, from at least 0", i);
        }
    }
    if (result == TOILE_OK && c->interpolation == GLTF_CUBIC_SPLINE && a.count < 2) {
        return node_error(&a.at, "expected two keys or more for CUBICSPLINE");
    }
    return result;
}

/* A value between two tangents, or alone, has a direction. */
static toile_result check_rotations(const accessor *a, const gltf_channel *c) {
    size_t step = c->interpolation == GLTF_CUBIC_SPLINE ? 3 : 1;
    for (size_t i = step / 2; i < a->count; i += step) {
        double squared = 0.0;
        for (int k = 0; k < 4; k++) {
            double q = (double)c->values[4 * i + (size_t)k];
            squared += q * q;
        }
        if (!(squared > 1e-12)) {
            return node_error(&a->at, "element %zu: expected a unit quaternion, found zero", i);
        }
    }
    return TOILE_OK;
}

static toile_result read_values(gltf_file *f, gltf *g, const node *sampler, gltf_channel *c) {
    node output = node_member(sampler, "output");
    const accessor_rule *rule = &key_values[c->path];
    accessor a;
    toile_result result = accessor_open(f, &output, rule, &a);
    if (result != TOILE_OK) {
        return result;
    }
    size_t per_key = c->interpolation == GLTF_CUBIC_SPLINE ? 3 : 1;
    c->width = a.width;
    if (c->path == GLTF_WEIGHTS) {
        c->width = g->meshes[g->nodes[c->node].mesh].target_count;
        per_key *= c->width;
    }
    if (a.count / per_key != c->key_count || a.count % per_key != 0) {
        node at_count = node_member(&a.at, "count");
        return node_error(&at_count, "expected %zu elements for each of %zu keys, found %zu",
                          per_key, c->key_count, a.count);
    }
    c->values = memory_pool_alloc(&g->memory, a.count * a.width, sizeof *c->values, rule->use);
    result = c->values ? accessor_get_floats(&a, c->values, a.width) : TOILE_ERROR_MEMORY;
    return result == TOILE_OK && c->path == GLTF_ROTATION ? check_rotations(&a, c) : result;
}

/* ---- channels -----------------------------------------------------------------------------------
 */

/* owners: for each path of each node, the last animation, from 1, that has it. */
static toile_result check_target(const node *at, const gltf *g, const gltf_channel *c,
                                 size_t animation, size_t *owners) {
    const gltf_node *n = &g->nodes[c->node];
    if (n->has_matrix && c->path != GLTF_WEIGHTS) {
        return node_error(at, "expected a node without a matrix, found node %zu", c->node);
    }
    if (c->path == GLTF_WEIGHTS && (n->mesh == GLTF_NONE || g->meshes[n->mesh].target_count == 0)) {
        return node_error(at, "expected a node whose mesh has morph targets, found node %zu",
                          c->node);
    }
    size_t *owner = &owners[4 * c->node + (size_t)c->path];
    if (*owner == animation + 1) {
        return node_error(at, "another channel of this animation has the same node and path");
    }
    *owner = animation + 1;
    return TOILE_OK;
}

static toile_result read_channel(gltf_file *f, gltf *g, const node *at, const node *samplers,
                                 gltf_channel *c) {
    node at_sampler = node_member(at, "sampler");
    size_t count, index;
    toile_result result = gltf_get_length(samplers, &count);
    result = result == TOILE_OK ? gltf_get_index(&at_sampler, count, "samplers", &index) : result;
    if (result != TOILE_OK) {
        return result;
    }
    node sampler = node_element(samplers, index), kind = node_member(&sampler, "interpolation");
    result = gltf_expect_object(&sampler);
    if (result == TOILE_OK && kind.value) {
        result = read_word(&kind, &(field){.choices = interpolations}, &c->interpolation);
    }
    result = result == TOILE_OK ? read_times(f, g, &sampler, c) : result;
    return result == TOILE_OK ? read_values(f, g, &sampler, c) : result;
}

/* A channel without a node is for an extension, and left out. */
static toile_result read_target(const node *at, const gltf *g, size_t animation, size_t *owners,
                                gltf_channel *c, bool *used) {
    node target = node_member(at, "target"), at_node = node_member(&target, "node"),
         at_path = node_member(&target, "path");
    toile_result result = gltf_expect_object(&target);
    *used = at_node.value;
    if (result != TOILE_OK || !*used) {
        return result;
    }
    result = gltf_get_index(&at_node, g->node_count, "nodes", &c->node);
    if (result == TOILE_OK) {
        result = read_word(&at_path, &(field){.choices = paths}, &c->path);
    }
    return result == TOILE_OK ? check_target(&target, g, c, animation, owners) : result;
}

/* ---- animations ---------------------------------------------------------------------------------
 */

static toile_result read_animation(gltf_file *f, gltf *g, const node *at, size_t index,
                                   size_t *owners) {
    node samplers = node_member(at, "samplers"), channels = node_member(at, "channels");
    gltf_animation *a = &g->animations[index];
    size_t count;
    toile_result result = gltf_expect_object(at);
    result = result == TOILE_OK ? gltf_read_name(at, g, &a->name) : result;
    result = result == TOILE_OK ? gltf_get_length(&channels, &count) : result;
    if (result != TOILE_OK) {
        return result;
    }
    node extras = node_member(at, "extras"), cycle = node_member(&extras, "cycle");
    a->cycle = json_is_true(cycle.value);
    a->channels = memory_pool_alloc(&g->memory, count, sizeof *a->channels, "channels");
    result = a->channels ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t i = 0; i < count && result == TOILE_OK; i++) {
        node at_channel = node_element(&channels, i);
        gltf_channel *c = &a->channels[a->channel_count];
        bool used;
        result = gltf_expect_object(&at_channel);
        if (result == TOILE_OK) {
            result = read_target(&at_channel, g, index, owners, c, &used);
        }
        if (result != TOILE_OK || !used) {
            continue;
        }
        result = read_channel(f, g, &at_channel, &samplers, c);
        if (result == TOILE_OK) {
            float end = c->times[c->key_count - 1];
            a->duration = end > a->duration ? end : a->duration;
            a->channel_count++;
        }
    }
    return result;
}

toile_result gltf_read_animations(gltf_file *f, gltf *g) {
    node list = node_member(&f->root, "animations");
    toile_result result = gltf_get_length(&list, &g->animation_count);
    if (result != TOILE_OK) {
        return result;
    }
    g->animations =
        memory_pool_alloc(&g->memory, g->animation_count, sizeof *g->animations, "animations");
    size_t *owners = memory_alloc(g->node_count, 4 * sizeof *owners, "channels");
    result = g->animations && owners ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t i = 0; i < g->animation_count && result == TOILE_OK; i++) {
        node at = node_element(&list, i);
        result = read_animation(f, g, &at, i, owners);
    }
    free(owners);
    return result;
}
