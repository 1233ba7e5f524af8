#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "io/gltf_accessor.h"
#include "io/gltf_parts.h"
#include "io/gltf_value.h"

/* Section 3.7.2.1 of the specification. */
static const accessor_rule positions = {"positions", "VEC3", COMPONENT_F32, 0, true};
static const accessor_rule normals = {"normals", "VEC3", COMPONENT_F32, 0, true};
static const accessor_rule coordinates = {"texture coordinates", "VEC2", COMPONENT_F32,
                                          COMPONENT_U8 | COMPONENT_U16, true};
static const accessor_rule joints = {"joints", "VEC4", COMPONENT_U8 | COMPONENT_U16, 0, true};
static const accessor_rule weights = {"weights", "VEC4", COMPONENT_F32,
                                      COMPONENT_U8 | COMPONENT_U16, true};
static const accessor_rule indices = {"indices", "SCALAR",
                                      COMPONENT_U8 | COMPONENT_U16 | COMPONENT_U32, 0, false};

enum { MODE_TRIANGLES = 4, MODE_STRIP = 5, MODE_FAN = 6 };

/* ---- attributes ---------------------------------------------------------------------------------
 */

/* An attribute of the vertices of a primitive; *out is NULL when it has none. */
static toile_result read_attribute(gltf_file *f, gltf *g, const node *at, const accessor_rule *rule,
                                   size_t vertices, float **out) {
    accessor a;
    *out = NULL;
    if (!at->value) {
        return TOILE_OK;
    }
    toile_result result = accessor_open(f, at, rule, &a);
    if (result == TOILE_OK) {
        result = accessor_expect_count(&a, vertices, "POSITION");
    }
    if (result != TOILE_OK) {
        return result;
    }
    *out = memory_pool_alloc(&g->memory, a.count * a.width, sizeof **out, rule->use);
    return *out ? accessor_get_floats(&a, *out, a.width) : TOILE_ERROR_MEMORY;
}

static toile_result read_positions(gltf_file *f, gltf *g, const node *attributes,
                                   gltf_primitive *p) {
    node at = node_member(attributes, "POSITION");
    accessor a;
    toile_result result = accessor_open(f, &at, &positions, &a);
    if (result != TOILE_OK) {
        return result;
    }
    p->vertices = a.count;
    p->positions = memory_pool_alloc(&g->memory, 3 * a.count, sizeof(float), positions.use);
    return p->positions ? accessor_get_floats(&a, p->positions, 3) : TOILE_ERROR_MEMORY;
}

/* ---- triangles ----------------------------------------------------------------------------------
 */

/* Which of the listed vertices is a corner of a triangle: section 3.7.2.1 has these formulas. */
static size_t corner_of(size_t mode, size_t triangle, size_t k) {
    if (mode == MODE_TRIANGLES) {
        return 3 * triangle + k;
    }
    if (mode == MODE_FAN) {
        return k == 2 ? 0 : triangle + 1 + k;
    }
    return k == 0 ? triangle : triangle + (triangle % 2 == 0 ? k : 3 - k);
}

static toile_result check_list_length(const node *at, size_t mode, size_t count) {
    if (mode == MODE_TRIANGLES ? count % 3 != 0 : count < 3) {
        return node_error(at, "expected %s, found %zu",
                          mode == MODE_TRIANGLES ? "three corners for every triangle"
                                                 : "three corners or more",
                          count);
    }
    return TOILE_OK;
}

/* Reads the list of vertices; NULL is all of them in order. Free with free(). */
static toile_result read_list(gltf_file *f, const node *at, size_t vertices, size_t *count,
                              uint32_t **list) {
    accessor a;
    *list = NULL;
    *count = vertices;
    if (!at->value) {
        return TOILE_OK;
    }
    toile_result result = accessor_open(f, at, &indices, &a);
    if (result != TOILE_OK) {
        return result;
    }
    *count = a.count;
    *list = memory_alloc(a.count, sizeof **list, "indices");
    if (!*list) {
        return TOILE_ERROR_MEMORY;
    }
    accessor_get_integers(&a, *list, 1);
    /* The largest number of the type would begin a new strip in OpenGL, and is forbidden. */
    size_t end = vertices < accessor_largest(&a) ? vertices : accessor_largest(&a);
    for (size_t i = 0; i < a.count; i++) {
        if ((*list)[i] >= end) {
            return node_error(&a.at, "element %zu is vertex %u: expected one from 0 to %zu", i,
                              (unsigned)(*list)[i], end - 1);
        }
    }
    return TOILE_OK;
}

static toile_result make_triangles(gltf_file *f, gltf *g, const node *at, size_t mode, size_t count,
                                   const uint32_t *list, gltf_primitive *p) {
    toile_result result = check_list_length(at, mode, count);
    if (result != TOILE_OK) {
        return result;
    }
    p->triangles = mode == MODE_TRIANGLES ? count / 3 : count - 2;
    if (p->triangles > f->values_left / 3) {
        return node_error(at, "its %zu triangles are too many for a file of this size",
                          p->triangles);
    }
    f->values_left -= 3 * p->triangles;
    p->indices = memory_pool_alloc(&g->memory, 3 * p->triangles, sizeof *p->indices, "triangles");
    if (!p->indices) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 3 * p->triangles; i++) {
        size_t corner = corner_of(mode, i / 3, i % 3);
        p->indices[i] = list ? list[corner] : (uint32_t)corner;
    }
    return TOILE_OK;
}

static toile_result read_triangles(gltf_file *f, gltf *g, const node *at, size_t mode,
                                   gltf_primitive *p) {
    node at_indices = node_member(at, "indices");
    if (p->vertices > UINT32_MAX) {
        return node_error(at, "expected at most %u vertices, found %zu", UINT32_MAX, p->vertices);
    }
    size_t count;
    uint32_t *list;
    toile_result result = read_list(f, &at_indices, p->vertices, &count, &list);
    if (result == TOILE_OK) {
        result = make_triangles(f, g, &at_indices, mode, count, list, p);
    }
    free(list);
    return result;
}

/* ---- joints and weights -------------------------------------------------------------------------
 */

/* A joint of no weight is none, whatever its index; the others get the sum 1. */
static toile_result normalize_weights(const node *at, gltf_primitive *p) {
    for (size_t v = 0; v < p->vertices; v++) {
        float *w = p->weights + v * p->influences;
        uint32_t *j = p->joints + v * p->influences;
        double sum = 0.0;
        bool negative = false;
        for (size_t k = 0; k < p->influences; k++) {
            j[k] = w[k] == 0.0f ? 0 : j[k];
            negative = negative || w[k] < 0.0f;
            sum += (double)w[k];
        }
        if (negative || !(sum > 0.0)) {
            return node_error(at, "vertex %zu: expected weights of at least 0 with the sum 1", v);
        }
        for (size_t k = 0; k < p->influences; k++) {
            w[k] = (float)((double)w[k] / sum);
        }
    }
    return TOILE_OK;
}

static toile_result read_influences(gltf_file *f, const node *attributes, size_t set,
                                    gltf_primitive *p) {
    char keys[2][32];
    snprintf(keys[0], sizeof keys[0], "JOINTS_%zu", set);
    snprintf(keys[1], sizeof keys[1], "WEIGHTS_%zu", set);
    node at_joints = node_member(attributes, keys[0]),
         at_weights = node_member(attributes, keys[1]);
    accessor j, w;
    toile_result result = accessor_open(f, &at_joints, &joints, &j);
    result = result == TOILE_OK ? accessor_expect_count(&j, p->vertices, "POSITION") : result;
    result = result == TOILE_OK ? accessor_open(f, &at_weights, &weights, &w) : result;
    result = result == TOILE_OK ? accessor_expect_count(&w, p->vertices, "POSITION") : result;
    if (result != TOILE_OK) {
        return result;
    }
    accessor_get_integers(&j, p->joints + 4 * set, p->influences);
    return accessor_get_floats(&w, p->weights + 4 * set, p->influences);
}

/* JOINTS_0, JOINTS_1 and so on, or the same of WEIGHTS. */
static size_t count_sets(const node *attributes, const char *name) {
    size_t count = 0;
    char key[32];
    do {
        snprintf(key, sizeof key, "%s_%zu", name, count);
    } while (json_object_get(attributes->value, key) && ++count);
    return count;
}

static toile_result read_skinning(gltf_file *f, gltf *g, const node *attributes,
                                  gltf_primitive *p) {
    size_t sets = count_sets(attributes, "JOINTS");
    if (sets != count_sets(attributes, "WEIGHTS")) {
        return node_error(attributes, "expected as many JOINTS_n as WEIGHTS_n");
    }
    if (sets == 0) {
        return TOILE_OK;
    }
    if (p->vertices > f->values_left / (8 * sets)) { /* before they are allocated */
        return node_error(attributes, "its joints are too many for a file of this size");
    }
    p->influences = 4 * sets;
    p->joints = memory_pool_alloc(&g->memory, p->vertices * p->influences, sizeof *p->joints,
                                  "joints of vertices");
    p->weights = memory_pool_alloc(&g->memory, p->vertices * p->influences, sizeof *p->weights,
                                   "weights of vertices");
    toile_result result = p->joints && p->weights ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t set = 0; set < sets && result == TOILE_OK; set++) {
        result = read_influences(f, attributes, set, p);
    }
    return result == TOILE_OK ? normalize_weights(attributes, p) : result;
}

/* ---- primitives ---------------------------------------------------------------------------------
 */

static toile_result read_targets(gltf_file *f, gltf *g, const node *list, size_t count,
                                 gltf_primitive *p) {
    p->targets = memory_pool_alloc(&g->memory, count, sizeof *p->targets, "morph targets");
    toile_result result = p->targets ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t i = 0; i < count && result == TOILE_OK; i++) {
        node at = node_element(list, i), at_position = node_member(&at, "POSITION"),
             at_normal = node_member(&at, "NORMAL");
        gltf_target *t = &p->targets[i];
        result = gltf_expect_object(&at);
        if (result == TOILE_OK) {
            result = read_attribute(f, g, &at_position, &positions, p->vertices, &t->positions);
        }
        if (result == TOILE_OK) {
            result = read_attribute(f, g, &at_normal, &normals, p->vertices, &t->normals);
        }
    }
    return result;
}

static toile_result read_attributes(gltf_file *f, gltf *g, const node *attributes,
                                    gltf_primitive *p) {
    node at_normal = node_member(attributes, "NORMAL"),
         at_coordinate = node_member(attributes, "TEXCOORD_0");
    toile_result result = read_positions(f, g, attributes, p);
    if (result == TOILE_OK) {
        result = read_attribute(f, g, &at_normal, &normals, p->vertices, &p->normals);
    }
    if (result == TOILE_OK) {
        result = read_attribute(f, g, &at_coordinate, &coordinates, p->vertices, &p->coordinates);
    }
    return result == TOILE_OK ? read_skinning(f, g, attributes, p) : result;
}

static void note_joints(gltf_mesh *m, const gltf_primitive *p) {
    m->rigid = m->rigid || (p->vertices > 0 && p->influences == 0);
    for (size_t i = 0; i < p->vertices * p->influences; i++) {
        m->joint_end = p->joints[i] >= m->joint_end ? (size_t)p->joints[i] + 1 : m->joint_end;
    }
}

/* *targets: how many it has. */
static toile_result read_primitive(gltf_file *f, gltf *g, const node *at, gltf_primitive *p,
                                   size_t *targets) {
    node at_mode = node_member(at, "mode"), attributes = node_member(at, "attributes"),
         at_targets = node_member(at, "targets");
    size_t mode = MODE_TRIANGLES;
    toile_result result = gltf_expect_object(at);
    result = result == TOILE_OK ? gltf_get_size_if(&at_mode, 0, MODE_FAN, &mode) : result;
    result = result == TOILE_OK ? gltf_expect_object(&attributes) : result;
    result = result == TOILE_OK ? gltf_get_length(&at_targets, targets) : result;
    /* Without positions there is nothing to show, says section 3.7.2.1. */
    if (result != TOILE_OK || mode < MODE_TRIANGLES ||
        !json_object_get(attributes.value, "POSITION")) {
        return result;
    }
    result = read_attributes(f, g, &attributes, p);
    result = result == TOILE_OK ? read_triangles(f, g, at, mode, p) : result;
    return result == TOILE_OK ? read_targets(f, g, &at_targets, *targets, p) : result;
}

/* ---- meshes -------------------------------------------------------------------------------------
 */

static toile_result read_mesh(gltf_file *f, gltf *g, const node *at, gltf_mesh *m) {
    node list = node_member(at, "primitives"), at_weights = node_member(at, "weights");
    toile_result result = gltf_expect_object(at);
    result = result == TOILE_OK ? gltf_read_name(at, g, &m->name) : result;
    result = result == TOILE_OK ? gltf_get_length(&list, &m->primitive_count) : result;
    if (result != TOILE_OK) {
        return result;
    }
    m->primitives =
        memory_pool_alloc(&g->memory, m->primitive_count, sizeof *m->primitives, "primitives");
    result = m->primitives ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t i = 0; i < m->primitive_count && result == TOILE_OK; i++) {
        node at_primitive = node_element(&list, i),
             at_targets = node_member(&at_primitive, "targets");
        size_t targets = 0;
        result = read_primitive(f, g, &at_primitive, &m->primitives[i], &targets);
        if (result != TOILE_OK) {
            return result;
        }
        if (i > 0 && targets != m->target_count) {
            return node_error(&at_targets, "expected %zu, as in the first primitive, found %zu",
                              m->target_count, targets);
        }
        m->target_count = targets;
        note_joints(m, &m->primitives[i]);
    }
    if (result != TOILE_OK) {
        return result;
    }
    m->weights = memory_pool_alloc(&g->memory, m->target_count, sizeof *m->weights, "weights");
    return m->weights ? gltf_get_floats_if(&at_weights, m->target_count, m->weights)
                      : TOILE_ERROR_MEMORY;
}

toile_result gltf_read_meshes(gltf_file *f, gltf *g) {
    g->mesh_count = f->mesh_count;
    g->meshes = memory_pool_alloc(&g->memory, g->mesh_count, sizeof *g->meshes, "meshes");
    toile_result result = g->meshes ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t i = 0; i < g->mesh_count && result == TOILE_OK; i++) {
        node at = node_element(&f->meshes, i);
        result = read_mesh(f, g, &at, &g->meshes[i]);
    }
    return result;
}
