/* Any bytes must be glTF, text or binary, whose parts fit together, or a sentence about what is
 * wrong with them. Buffers are in the bytes: a fuzzer has no files beside it.
 *
 * Mutations rarely keep the lengths in a binary file right. So bytes that begin with a 1 are a
 * document, a zero byte, and what becomes the binary chunk. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/character_read.h"
#include "io/gltf.h"
#include "model/performance.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool condition) {
    if (!condition) {
        abort();
    }
}

static void check_finite(const float *values, size_t count) {
    for (size_t i = 0; values && i < count; i++) {
        check(isfinite(values[i]));
    }
}

static void check_primitive(const gltf_mesh *m, const gltf_primitive *p) {
    check_finite(p->positions, 3 * p->vertices);
    check_finite(p->normals, 3 * p->vertices);
    check_finite(p->coordinates, 2 * p->vertices);
    check_finite(p->weights, p->influences * p->vertices);
    for (size_t i = 0; i < 3 * p->triangles; i++) {
        check(p->indices[i] < p->vertices);
    }
    for (size_t i = 0; i < p->influences * p->vertices; i++) {
        check(p->joints[i] < m->joint_end);
    }
    for (size_t t = 0; p->vertices && t < m->target_count; t++) {
        check_finite(p->targets[t].positions, 3 * p->vertices);
        check_finite(p->targets[t].normals, 3 * p->vertices);
    }
}

static void check_nodes(const gltf *g) {
    bool *seen = calloc(g->node_count + 1, sizeof *seen);
    for (size_t i = 0; i < g->node_count; i++) {
        const gltf_node *n = &g->nodes[g->order[i]];
        check(!seen[g->order[i]]);
        check(n->parent == GLTF_NONE || seen[n->parent]); /* parents come first */
        seen[g->order[i]] = true;
        check(n->mesh == GLTF_NONE || n->mesh < g->mesh_count);
        check(n->skin == GLTF_NONE ||
              (!g->meshes[n->mesh].rigid &&
               g->meshes[n->mesh].joint_end <= g->skins[n->skin].joint_count));
        check_finite(n->weights, n->weights ? g->meshes[n->mesh].target_count : 0);
    }
    free(seen);
}

static void check_animation(const gltf *g, const gltf_animation *a) {
    for (size_t i = 0; i < a->channel_count; i++) {
        const gltf_channel *c = &a->channels[i];
        size_t numbers = c->interpolation == GLTF_CUBIC_SPLINE ? 3 * c->width : c->width;
        check(c->node < g->node_count && c->key_count > 0 && c->width > 0);
        check_finite(c->values, numbers * c->key_count);
        for (size_t k = 0; k < c->key_count; k++) {
            check(c->times[k] >= 0.0f && c->times[k] <= a->duration);
            check(k == 0 || c->times[k] > c->times[k - 1]);
        }
    }
}

static void check_joined(const gltf *g) {
    mesh_data mesh;
    if (gltf_join(g, "fuzz.gltf", &mesh) != TOILE_OK) {
        check(strstr(toile_error_message(), "fuzz.gltf") != NULL);
        return;
    }
    check_finite(mesh.positions, 3 * mesh.vertices);
    for (size_t i = 0; i < 3 * mesh.triangles; i++) {
        check(mesh.indices[i] < mesh.vertices);
    }
    mesh_free(&mesh);
}

/* Poses are finite, or the performance says so. */
static void check_performance(const character *c) {
    performance_action actions[3];
    size_t count = c->clip_count < 3 ? c->clip_count : 3;
    for (size_t i = 0; i < count; i++) {
        actions[i] = performance_action_default();
        actions[i].animation = c->clips[i].name;
        actions[i].begin = 0.5 * (double)i;
        actions[i].fade_in = 0.25;
        actions[i].loop = PERFORMANCE_LOOP;
        actions[i].on_top = i == 2;
    }
    performance *p;
    check(performance_create(c, actions, count, true, &p) == TOILE_OK);
    skin_rows *matrices = calloc(c->joint_count + 1, sizeof *matrices);
    skin_joint *joints = calloc(c->joint_count + 1, sizeof *joints);
    float *weights = calloc(c->target_count + 1, sizeof *weights);
    float *bound = calloc(3 * c->vertices, sizeof *bound);
    for (int i = 0; i < 3; i++) {
        if (performance_pose(p, 0.7 * i, matrices, weights) == TOILE_OK) {
            check_finite(&matrices[0].x.x, 12 * c->joint_count);
            character_morph(c, weights, bound);
            skin_joints_from_rows(matrices, c->joint_count, joints);
            character_skin_linear(c, bound, matrices, 0, c->vertices, bound);
            character_skin_dual(c, bound, joints, 0, c->vertices, bound);
        }
    }
    free(matrices);
    free(joints);
    free(weights);
    free(bound);
    performance_destroy(p);
}

static void check_character(const gltf *g) {
    character c;
    character_options options = {1.0, 0.01};
    if (character_from_gltf(g, "fuzz.gltf", &options, &c) != TOILE_OK) {
        check(strstr(toile_error_message(), "fuzz.gltf") != NULL);
        return;
    }
    for (size_t i = 0; i < 3 * c.triangles; i++) {
        check(c.indices[i] < c.vertices);
    }
    for (size_t i = 0; i < c.influences * c.vertices; i++) {
        check(c.joints[i] < c.joint_count && c.weights[i] >= 0.0f);
    }
    for (size_t j = 0; j < c.joint_count; j++) {
        check(c.skeleton[j].parent < (int)j);
    }
    check_performance(&c);
    character_free(&c);
}

static void check_parts(const gltf *g) {
    for (size_t i = 0; i < g->mesh_count; i++) {
        for (size_t k = 0; k < g->meshes[i].primitive_count; k++) {
            check_primitive(&g->meshes[i], &g->meshes[i].primitives[k]);
        }
    }
    check_nodes(g);
    for (size_t i = 0; i < g->skin_count; i++) {
        for (size_t k = 0; k < g->skins[i].joint_count; k++) {
            check(g->skins[i].joints[k] < g->node_count);
        }
        check_finite(g->skins[i].inverse_bind, 16 * g->skins[i].joint_count);
    }
    for (size_t i = 0; i < g->animation_count; i++) {
        check_animation(g, &g->animations[i]);
    }
}

static void append_chunk(uint8_t *out, size_t *used, uint32_t kind, const void *bytes,
                         size_t size) {
    uint32_t header[2] = {(uint32_t)(size + 3) / 4 * 4, kind};
    memcpy(out + *used, header, sizeof header);
    memset(out + *used + sizeof header, ' ', header[0]);
    memcpy(out + *used + sizeof header, bytes, size);
    *used += sizeof header + header[0];
}

/* A binary file of a document and a chunk; free() it. */
static uint8_t *make_binary(const uint8_t *data, size_t size, size_t *out_size) {
    const uint8_t *zero = memchr(data, 0, size);
    size_t text = zero ? (size_t)(zero - data) : size, rest = zero ? size - text - 1 : 0;
    uint8_t *out = malloc(size + 64);
    *out_size = 12;
    append_chunk(out, out_size, 0x4E4F534A, data, text);
    append_chunk(out, out_size, 0x004E4942, data + size - rest, rest);
    uint32_t header[3] = {0x46546C67, 2, (uint32_t)*out_size};
    memcpy(out, header, sizeof header);
    return out;
}

static void try_bytes(const uint8_t *data, size_t size) {
    gltf *g;
    if (gltf_parse(data, size, "fuzz.gltf", &g) != TOILE_OK) {
        check(strstr(toile_error_message(), "fuzz.gltf") != NULL); /* a refusal says where */
        return;
    }
    check_parts(g);
    check_joined(g);
    check_character(g);
    gltf_free(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 0 && data[0] == 1) {
        size_t binary_size;
        uint8_t *binary = make_binary(data + 1, size - 1, &binary_size);
        try_bytes(binary, binary_size);
        free(binary);
    } else {
        try_bytes(data, size);
    }
    return 0;
}
