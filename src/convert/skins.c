#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "convert/conversion.h"

/* A bone takes mesh coordinates to joint coordinates; both get the scale. */
static void get_inverse_bind(const conversion *c, const struct aiBone *bone, float out[16]) {
    const struct aiMatrix4x4 *m = &bone->mOffsetMatrix;
    const float columns[16] = {m->a1, m->b1, m->c1, 0, m->a2, m->b2, m->c2, 0,
                               m->a3, m->b3, m->c3, 0, m->a4, m->b4, m->c4, 1};
    memcpy(out, columns, sizeof columns);
    for (int k = 12; k < 15; k++) {
        out[k] = (float)((double)out[k] * c->place.inside);
    }
}

static size_t find_joint(const skin *s, size_t node) {
    size_t j = 0;
    while (j < s->count && s->joints[j].node != node) {
        j++;
    }
    return j;
}

/* Whether no joint of the skin is bound otherwise. */
static bool takes_joints(const skin *s, const joint *joints, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t j = find_joint(s, joints[i].node);
        if (j < s->count && memcmp(s->joints[j].inverse_bind, joints[i].inverse_bind,
                                   sizeof joints[i].inverse_bind) != 0) {
            return false;
        }
    }
    return true;
}

static toile_result add_joint(skin *s, const joint *one, size_t *index) {
    *index = find_joint(s, one->node);
    if (*index < s->count) {
        return TOILE_OK;
    }
    joint *larger = realloc(s->joints, (s->count + 1) * sizeof *larger);
    if (!larger) {
        return error_set(TOILE_ERROR_MEMORY, "not enough memory for joints");
    }
    s->joints = larger;
    s->joints[s->count++] = *one;
    return *index <= UINT16_MAX
               ? TOILE_OK
               : error_set(TOILE_ERROR_FORMAT, "expected %d joints or fewer", UINT16_MAX + 1);
}

/* The parts of a body that have different materials are meshes of their own in Assimp, each with
 * the bones that move it. One skin serves all whose bones agree. */
static toile_result choose_skin(conversion *c, const joint *joints, size_t count, size_t *out) {
    for (size_t i = 0; i < c->skin_count; i++) {
        if (takes_joints(&c->skins[i], joints, count)) {
            *out = i;
            return TOILE_OK;
        }
    }
    skin *larger = realloc(c->skins, (c->skin_count + 1) * sizeof *larger);
    if (!larger) {
        return error_set(TOILE_ERROR_MEMORY, "not enough memory for skins");
    }
    c->skins = larger;
    c->skins[c->skin_count] = (skin){0};
    *out = c->skin_count++;
    return TOILE_OK;
}

static toile_result read_bones(const conversion *c, const struct aiMesh *mesh, joint *joints) {
    for (unsigned b = 0; b < mesh->mNumBones; b++) {
        const struct aiBone *bone = mesh->mBones[b];
        joints[b].node = tree_find(&c->tree, &bone->mName);
        if (joints[b].node == TREE_NONE) {
            return error_set(TOILE_ERROR_FORMAT,
                             "cannot convert '%s': mesh '%s' has the bone '%s', which is no node",
                             c->path, mesh->mName.data, bone->mName.data);
        }
        get_inverse_bind(c, bone, joints[b].inverse_bind);
    }
    return TOILE_OK;
}

/* Keeps the largest weights, in falling order. Returns whether one had to go. */
static bool insert_weight(uint16_t joints[4], float weights[4], uint16_t new_joint, float weight) {
    bool full = weights[CONVERSION_INFLUENCES - 1] > 0.0f;
    for (int k = 0; k < CONVERSION_INFLUENCES; k++) {
        if (weight > weights[k]) {
            float smaller = weights[k];
            uint16_t other = joints[k];
            weights[k] = weight;
            joints[k] = new_joint;
            weight = smaller;
            new_joint = other;
        }
    }
    return full;
}

static void collect_weights(conversion *c, const struct aiMesh *mesh, const size_t *indices,
                            uint16_t *joints, float *weights) {
    for (unsigned b = 0; b < mesh->mNumBones; b++) {
        const struct aiBone *bone = mesh->mBones[b];
        for (unsigned i = 0; i < bone->mNumWeights; i++) {
            size_t v = bone->mWeights[i].mVertexId;
            if (v < mesh->mNumVertices && bone->mWeights[i].mWeight > 0.0f) {
                c->crowded += insert_weight(joints + 4 * v, weights + 4 * v, (uint16_t)indices[b],
                                            bone->mWeights[i].mWeight);
            }
        }
    }
}

/* What no bone moves stays with the node of its mesh: a joint that is bound where it is. */
static toile_result bind_rest(conversion *c, size_t mesh, uint16_t *joints, float *weights) {
    const struct aiMesh *m = c->scene->mMeshes[mesh];
    const mesh_place *place = &c->meshes[mesh];
    size_t index = TREE_NONE;
    for (size_t v = 0; v < m->mNumVertices; v++) {
        if (weights[4 * v] > 0.0f) {
            continue;
        }
        if (index == TREE_NONE) {
            joint own = {.inverse_bind = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
            own.node = conversion_add_node(
                c, (added_node){place->node == TREE_NONE ? 0 : place->node, "unbound", TREE_NONE});
            toile_result result = own.node == TREE_NONE
                                      ? error_last()
                                      : add_joint(&c->skins[place->skin], &own, &index);
            if (result != TOILE_OK) {
                return result;
            }
        }
        joints[4 * v] = (uint16_t)index;
        weights[4 * v] = 1.0f;
    }
    return TOILE_OK;
}

/* Assimp hands on what the file has, and cuts small ones off: sums are not 1. */
static void normalise(size_t vertices, float *weights) {
    for (size_t v = 0; v < vertices; v++) {
        float *w = weights + 4 * v;
        double sum = (double)w[0] + (double)w[1] + (double)w[2] + (double)w[3];
        for (int k = 0; k < CONVERSION_INFLUENCES; k++) {
            w[k] = (float)((double)w[k] / sum);
        }
    }
}

toile_result conversion_bind(conversion *c, size_t mesh, uint16_t *joints, float *weights) {
    const struct aiMesh *m = c->scene->mMeshes[mesh];
    joint *bones = memory_alloc(m->mNumBones, sizeof *bones, "joints");
    size_t *indices = memory_alloc(m->mNumBones, sizeof *indices, "joints");
    mesh_place *place = &c->meshes[mesh];
    toile_result result = bones && indices ? read_bones(c, m, bones) : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        result = choose_skin(c, bones, m->mNumBones, &place->skin);
    }
    for (unsigned b = 0; b < m->mNumBones && result == TOILE_OK; b++) {
        result = add_joint(&c->skins[place->skin], &bones[b], &indices[b]);
    }
    if (result == TOILE_OK) {
        collect_weights(c, m, indices, joints, weights);
        result = bind_rest(c, mesh, joints, weights);
        normalise(m->mNumVertices, weights);
    }
    free(bones);
    free(indices);
    return result;
}

toile_result conversion_skins(conversion *c) {
    json_t *list = json_array();
    toile_result result = TOILE_OK;
    for (size_t i = 0; i < c->skin_count && result == TOILE_OK; i++) {
        const skin *s = &c->skins[i];
        float *matrices = memory_alloc(16 * s->count, sizeof *matrices, "joints");
        json_t *joints = json_array();
        for (size_t j = 0; j < s->count && matrices; j++) {
            memcpy(matrices + 16 * j, s->joints[j].inverse_bind, 16 * sizeof *matrices);
            json_array_append_new(joints, json_integer((json_int_t)s->joints[j].node));
        }
        result = matrices ? conversion_scale(c, matrices, 16 * s->count, 1.0, "skin", "")
                          : TOILE_ERROR_MEMORY;
        if (result == TOILE_OK) {
            json_int_t bind =
                glb_builder_add(&c->out, glb_floats(matrices, s->count, 16, 0), false);
            json_array_append_new(
                list, json_pack("{s:I, s:O}", "inverseBindMatrices", bind, "joints", joints));
        }
        json_decref(joints);
        free(matrices);
    }
    glb_builder_set(&c->out, "skins", list);
    return result;
}
