#include <assimp/cimport.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "convert/conversion.h"

static json_t *make_numbers(const double *numbers, size_t count) {
    json_t *list = json_array();
    for (size_t k = 0; k < count; k++) {
        json_array_append_new(list, json_real((double)(float)numbers[k]));
    }
    return list;
}

/* ---- transforms ---------------------------------------------------------------------------------
 */

typedef struct parts {
    double translation[3], rotation[4], scale[3];
} parts;

/* Whether translation, rotation and scale say the same as the matrix: it has no shear. */
static bool decompose(const double m[3][4], parts *out) {
    struct aiMatrix4x4 whole = {(float)m[0][0], (float)m[0][1], (float)m[0][2], (float)m[0][3],
                                (float)m[1][0], (float)m[1][1], (float)m[1][2], (float)m[1][3],
                                (float)m[2][0], (float)m[2][1], (float)m[2][2], (float)m[2][3],
                                0.0f,           0.0f,           0.0f,           1.0f};
    struct aiVector3D s, t;
    struct aiQuaternion q;
    aiDecomposeMatrix(&whole, &s, &q, &t);
    double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    double length = sqrt(x * x + y * y + z * z + w * w);
    x /= length, y /= length, z /= length, w /= length;
    *out =
        (parts){{m[0][3], m[1][3], m[2][3]}, {x, y, z, w}, {(double)s.x, (double)s.y, (double)s.z}};
    const double r[3][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
        {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
        {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)},
    };
    double error = 0.0, size = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            error = fmax(error, fabs(r[i][k] * out->scale[k] - m[i][k]));
            size = fmax(size, fabs(m[i][k]));
        }
    }
    return isfinite(length) && length > 0.0 && error <= 1e-4 * size;
}

static void set_matrix(json_t *node, const double m[3][4]) {
    double columns[16] = {0};
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 3; i++) {
            columns[4 * k + i] = m[i][k];
        }
    }
    columns[15] = 1.0;
    json_object_set_new(node, "matrix", make_numbers(columns, 16));
}

static void set_parts(json_t *node, const parts *p) {
    const double *t = p->translation, *q = p->rotation, *s = p->scale;
    if (t[0] != 0.0 || t[1] != 0.0 || t[2] != 0.0) {
        json_object_set_new(node, "translation", make_numbers(t, 3));
    }
    if (q[0] != 0.0 || q[1] != 0.0 || q[2] != 0.0) {
        json_object_set_new(node, "rotation", make_numbers(q, 4));
    }
    /* Nearer to 1 than the floats of a matrix tell. */
    if (fabs(s[0] - 1.0) > 1e-6 || fabs(s[1] - 1.0) > 1e-6 || fabs(s[2] - 1.0) > 1e-6) {
        json_object_set_new(node, "scale", make_numbers(s, 3));
    }
}

static toile_result set_transform(const conversion *c, size_t index, json_t *node) {
    const struct aiMatrix4x4 *a = &c->tree.nodes[index]->mTransformation;
    double divisor = index == 0 ? c->place.root_scale : 1.0;
    double scale = index == 0 ? c->place.outside : c->place.inside;
    const float rows[3][4] = {
        {a->a1, a->a2, a->a3, a->a4}, {a->b1, a->b2, a->b3, a->b4}, {a->c1, a->c2, a->c3, a->c4}};
    double m[3][4];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 4; k++) {
            m[i][k] = (double)rows[i][k] * (k == 3 ? scale : 1.0 / divisor);
            if (!isfinite((float)m[i][k])) {
                return error_set(TOILE_ERROR_FORMAT,
                                 "cannot convert '%s': the transform of node '%s' is not finite",
                                 c->path, c->tree.nodes[index]->mName.data);
            }
        }
    }
    parts p;
    if (decompose(m, &p)) {
        set_parts(node, &p);
    } else {
        set_matrix(node, m);
    }
    return TOILE_OK;
}

/* ---- nodes --------------------------------------------------------------------------------------
 */

static void set_mesh(const conversion *c, json_t *node, size_t mesh) {
    json_object_set_new(node, "mesh", json_integer((json_int_t)c->meshes[mesh].mesh));
    if (c->meshes[mesh].skin != TREE_NONE) {
        json_object_set_new(node, "skin", json_integer((json_int_t)c->meshes[mesh].skin));
    }
}

/* A glTF node has one mesh at most: with several, each gets a node below it. One with a skin gets a
 * node of its own, above which there is none: joints alone place it (section 3.7.3). */
static toile_result set_meshes(conversion *c, size_t index, json_t *node) {
    const struct aiNode *n = c->tree.nodes[index];
    size_t shown = 0;
    for (unsigned k = 0; k < n->mNumMeshes; k++) {
        shown += c->meshes[n->mMeshes[k]].mesh != TREE_NONE;
    }
    for (unsigned k = 0; k < n->mNumMeshes; k++) {
        size_t mesh = n->mMeshes[k];
        if (c->meshes[mesh].mesh == TREE_NONE) {
            continue;
        }
        bool skinned = c->meshes[mesh].skin != TREE_NONE;
        if (shown == 1 && !skinned) {
            set_mesh(c, node, mesh);
        } else if (conversion_add_node(c, (added_node){skinned ? TREE_NONE : index, NULL, mesh}) ==
                   TREE_NONE) {
            return error_last();
        }
    }
    return TOILE_OK;
}

static void append_child(json_t *nodes, size_t parent, size_t child) {
    json_t *above = json_array_get(nodes, parent), *list = json_object_get(above, "children");
    if (!list) {
        list = json_array();
        json_object_set_new(above, "children", list);
    }
    json_array_append_new(list, json_integer((json_int_t)child));
}

static void append_added(conversion *c, json_t *nodes, json_t *roots) {
    for (size_t i = 0; i < c->added_count; i++) {
        const added_node *a = &c->added[i];
        json_t *node = json_object();
        if (a->mesh != TREE_NONE) {
            json_object_set_new(node, "name", conversion_name(&c->scene->mMeshes[a->mesh]->mName));
            set_mesh(c, node, a->mesh);
        } else {
            json_object_set_new(node, "name", json_string(a->name));
        }
        json_array_append_new(nodes, node);
        if (a->parent == TREE_NONE) {
            json_array_append_new(roots, json_integer((json_int_t)(c->tree.count + i)));
        } else {
            append_child(nodes, a->parent, c->tree.count + i);
        }
    }
}

/* A node above all others, rather than in the root, which may be animated. */
static size_t append_turn(const conversion *c, json_t *nodes) {
    if (c->place.up == 'y') {
        return 0;
    }
    double q[4];
    placement_turn(c->place.up, q);
    json_array_append_new(nodes, json_pack("{s:s, s:o, s:[i]}", "name", "up", "rotation",
                                           make_numbers(q, 4), "children", 0));
    return json_array_size(nodes) - 1;
}

toile_result conversion_nodes(conversion *c) {
    json_t *nodes = json_array();
    toile_result result = TOILE_OK;
    for (size_t i = 0; i < c->tree.count && result == TOILE_OK; i++) {
        json_t *node = json_pack("{s:o}", "name", conversion_name(&c->tree.nodes[i]->mName));
        json_array_append_new(nodes, node);
        result = set_transform(c, i, node);
        result = result == TOILE_OK ? set_meshes(c, i, node) : result;
        if (i > 0) {
            append_child(nodes, c->tree.parents[i], i);
        }
    }
    json_t *roots = json_array();
    append_added(c, nodes, roots);
    json_array_append_new(roots, json_integer((json_int_t)append_turn(c, nodes)));
    glb_builder_set(&c->out, "nodes", nodes);
    json_object_set_new(c->out.root, "scenes", json_pack("[{s:o}]", "nodes", roots));
    return result;
}
