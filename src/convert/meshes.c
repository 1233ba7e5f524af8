#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "convert/conversion.h"

/* A list of vectors of a mesh, less another one if there is one, as an accessor. */
typedef struct vectors {
    const struct aiVector3D *data, *less;
    double scale;
    const char *what;
    bool bounds;
} vectors;

static toile_result add_vectors(conversion *c, const struct aiMesh *mesh, vectors v,
                                json_t *attributes, const char *key) {
    size_t n = mesh->mNumVertices;
    float *values = memory_alloc(3 * n, sizeof *values, v.what);
    if (!values) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t i = 0; i < n; i++) {
        struct aiVector3D d = v.data[i], o = v.less ? v.less[i] : (struct aiVector3D){0};
        values[3 * i] = d.x - o.x;
        values[3 * i + 1] = d.y - o.y;
        values[3 * i + 2] = d.z - o.z;
    }
    toile_result result = conversion_scale(c, values, 3 * n, v.scale, v.what, mesh->mName.data);
    if (result == TOILE_OK) {
        json_int_t accessor =
            glb_builder_add(&c->out, glb_floats(values, n, 3, GLB_ARRAY_BUFFER), v.bounds);
        json_object_set_new(attributes, key, json_integer(accessor));
    }
    free(values);
    return result;
}

/* glTF has v pointing down, Assimp up. */
static toile_result add_coordinates(conversion *c, const struct aiMesh *mesh, json_t *attributes) {
    size_t n = mesh->mNumVertices;
    float *values = memory_alloc(2 * n, sizeof *values, "texture coordinates");
    if (!values) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t i = 0; i < n; i++) {
        values[2 * i] = mesh->mTextureCoords[0][i].x;
        values[2 * i + 1] = 1.0f - mesh->mTextureCoords[0][i].y;
    }
    toile_result result =
        conversion_scale(c, values, 2 * n, 1.0, "texture coordinates", mesh->mName.data);
    if (result == TOILE_OK) {
        json_int_t accessor =
            glb_builder_add(&c->out, glb_floats(values, n, 2, GLB_ARRAY_BUFFER), false);
        json_object_set_new(attributes, "TEXCOORD_0", json_integer(accessor));
    }
    free(values);
    return result;
}

static toile_result add_joints(conversion *c, size_t index, json_t *attributes) {
    size_t n = c->scene->mMeshes[index]->mNumVertices;
    uint16_t *joints = memory_alloc(4 * n, sizeof *joints, "joints");
    float *weights = memory_alloc(4 * n, sizeof *weights, "weights");
    toile_result result =
        joints && weights ? conversion_bind(c, index, joints, weights) : TOILE_ERROR_MEMORY;
    if (result == TOILE_OK) {
        glb_values v = {joints, n, 4, sizeof *joints, GLB_UNSIGNED_SHORT, "VEC4", GLB_ARRAY_BUFFER};
        json_object_set_new(attributes, "JOINTS_0",
                            json_integer(glb_builder_add(&c->out, v, false)));
        v = glb_floats(weights, n, 4, GLB_ARRAY_BUFFER);
        json_object_set_new(attributes, "WEIGHTS_0",
                            json_integer(glb_builder_add(&c->out, v, false)));
    }
    free(joints);
    free(weights);
    return result;
}

static toile_result add_attributes(conversion *c, size_t index, json_t *attributes) {
    const struct aiMesh *m = c->scene->mMeshes[index];
    vectors positions = {m->mVertices, NULL, c->place.inside, "positions", true};
    toile_result result = add_vectors(c, m, positions, attributes, "POSITION");
    if (result == TOILE_OK && m->mNormals) {
        vectors normals = {m->mNormals, NULL, 1.0, "normals", false};
        result = add_vectors(c, m, normals, attributes, "NORMAL");
    }
    if (result == TOILE_OK && m->mTextureCoords[0] && m->mNumUVComponents[0] >= 2) {
        result = add_coordinates(c, m, attributes);
    }
    if (result == TOILE_OK && m->mNumBones > 0) {
        result = add_joints(c, index, attributes);
    }
    return result;
}

/* Assimp has the vertices as a target wants them; glTF what it adds. */
static toile_result add_target(conversion *c, const struct aiMesh *m, const struct aiAnimMesh *t,
                               json_t *attributes) {
    toile_result result = TOILE_OK;
    if (t->mVertices && t->mNumVertices == m->mNumVertices) {
        vectors v = {t->mVertices, m->mVertices, c->place.inside, "a morph target", true};
        result = add_vectors(c, m, v, attributes, "POSITION");
    }
    if (result == TOILE_OK && t->mNormals && m->mNormals && t->mNumVertices == m->mNumVertices) {
        vectors v = {t->mNormals, m->mNormals, 1.0, "a morph target", false};
        result = add_vectors(c, m, v, attributes, "NORMAL");
    }
    return result;
}

static toile_result add_targets(conversion *c, const struct aiMesh *m, json_t *mesh,
                                json_t *primitive) {
    json_t *targets = json_array(), *weights = json_array(), *names = json_array();
    toile_result result = TOILE_OK;
    for (unsigned i = 0; i < m->mNumAnimMeshes && result == TOILE_OK; i++) {
        const struct aiAnimMesh *t = m->mAnimMeshes[i];
        json_t *attributes = json_object();
        result = add_target(c, m, t, attributes);
        json_array_append_new(targets, attributes);
        json_array_append_new(weights, json_real((double)t->mWeight));
        json_array_append_new(names, conversion_name(&t->mName));
    }
    if (m->mNumAnimMeshes > 0) {
        json_object_set(primitive, "targets", targets);
        json_object_set(mesh, "weights", weights);
        json_object_set_new(mesh, "extras", json_pack("{s:O}", "targetNames", names));
    }
    json_decref(targets);
    json_decref(weights);
    json_decref(names);
    return result;
}

/* Returns 0 when there is nothing but points and lines. */
static size_t count_triangles(const struct aiMesh *m) {
    size_t count = 0;
    for (unsigned i = 0; i < m->mNumFaces; i++) {
        count += m->mFaces[i].mNumIndices == 3;
    }
    return m->mVertices ? count : 0;
}

static toile_result add_triangles(conversion *c, const struct aiMesh *m, json_t *primitive) {
    size_t count = count_triangles(m), at = 0;
    uint32_t *indices = memory_alloc(3 * count, sizeof *indices, "triangles");
    if (!indices) {
        return TOILE_ERROR_MEMORY;
    }
    for (unsigned i = 0; i < m->mNumFaces; i++) {
        if (m->mFaces[i].mNumIndices == 3) {
            memcpy(indices + at, m->mFaces[i].mIndices, 3 * sizeof *indices);
            at += 3;
        }
    }
    glb_values v = {indices, 3 * count, 1, 4, GLB_UNSIGNED_INT, "SCALAR", GLB_ELEMENT_ARRAY_BUFFER};
    json_object_set_new(primitive, "indices", json_integer(glb_builder_add(&c->out, v, false)));
    free(indices);
    return TOILE_OK;
}

static toile_result add_mesh(conversion *c, size_t index, json_t *list) {
    const struct aiMesh *m = c->scene->mMeshes[index];
    json_t *attributes = json_object();
    json_t *primitive = json_pack("{s:O}", "attributes", attributes);
    json_t *mesh =
        json_pack("{s:o, s:[O]}", "name", conversion_name(&m->mName), "primitives", primitive);
    toile_result result = add_attributes(c, index, attributes);
    result = result == TOILE_OK ? add_triangles(c, m, primitive) : result;
    result = result == TOILE_OK ? add_targets(c, m, mesh, primitive) : result;
    json_array_append_new(list, mesh);
    json_decref(primitive);
    json_decref(attributes);
    return result;
}

/* The first node that shows each mesh. */
static void find_nodes(conversion *c) {
    for (size_t i = 0; i < c->tree.count; i++) {
        const struct aiNode *n = c->tree.nodes[i];
        for (unsigned k = 0; k < n->mNumMeshes; k++) {
            mesh_place *place = &c->meshes[n->mMeshes[k]];
            place->node = place->node == TREE_NONE ? i : place->node;
        }
    }
}

toile_result conversion_meshes(conversion *c) {
    size_t count = c->scene->mNumMeshes, written = 0;
    c->meshes = memory_alloc(count, sizeof *c->meshes, "meshes");
    if (!c->meshes) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        c->meshes[i] = (mesh_place){TREE_NONE, TREE_NONE, TREE_NONE};
    }
    find_nodes(c);
    json_t *list = json_array();
    toile_result result = TOILE_OK;
    for (size_t i = 0; i < count && result == TOILE_OK; i++) {
        if (c->meshes[i].node != TREE_NONE && count_triangles(c->scene->mMeshes[i]) > 0) {
            c->meshes[i].mesh = written++;
            result = add_mesh(c, i, list);
        }
    }
    glb_builder_set(&c->out, "meshes", list);
    return result;
}
