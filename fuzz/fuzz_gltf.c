/* Any bytes must be glTF, text or binary, whose parts fit together, or a sentence about what is
 * wrong with them. Buffers are in the bytes: a fuzzer has no files beside it. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/gltf.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gltf *g;
    if (gltf_parse(data, size, "fuzz.gltf", &g) != TOILE_OK) {
        check(strstr(toile_error_message(), "fuzz.gltf") != NULL); /* a refusal says where */
        return 0;
    }
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
    check_joined(g);
    gltf_free(g);
    return 0;
}
