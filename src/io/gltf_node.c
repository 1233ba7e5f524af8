#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/gltf_accessor.h"
#include "io/gltf_parts.h"
#include "io/gltf_value.h"

enum { DEEPEST_NODE = 256 };

static const accessor_rule bind_matrices = {"inverse bind matrices", "MAT4", COMPONENT_F32, 0,
                                            false};
static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

/* ---- transforms ---------------------------------------------------------------------------------
 */

/* Files round their numbers. */
static bool is_affine(const float matrix[16]) {
    const float tolerance = 1e-5f;
    return fabsf(matrix[3]) <= tolerance && fabsf(matrix[7]) <= tolerance &&
           fabsf(matrix[11]) <= tolerance && fabsf(matrix[15] - 1.0f) <= tolerance;
}

static toile_result read_rotation(const node *at, float q[4]) {
    toile_result result = gltf_get_floats_if(at, 4, q);
    if (result != TOILE_OK) {
        return result;
    }
    double squared = 0.0;
    for (int k = 0; k < 4; k++) {
        squared += (double)q[k] * (double)q[k];
    }
    if (!(squared > 1e-12)) {
        return node_error(at, "expected a unit quaternion, found zero");
    }
    for (int k = 0; k < 4; k++) {
        q[k] = (float)((double)q[k] / sqrt(squared));
    }
    return TOILE_OK;
}

static toile_result read_transform(const node *at, gltf_node *n) {
    node matrix = node_member(at, "matrix"), translation = node_member(at, "translation"),
         rotation = node_member(at, "rotation"), scale = node_member(at, "scale");
    memcpy(n->matrix, identity, sizeof n->matrix);
    memcpy(n->rotation, (float[4]){0, 0, 0, 1}, sizeof n->rotation);
    memcpy(n->scale, (float[3]){1, 1, 1}, sizeof n->scale);
    n->has_matrix = matrix.value;
    if (n->has_matrix && (translation.value || rotation.value || scale.value)) {
        return node_error(&matrix, "expected it, or translation, rotation and scale, not both");
    }
    toile_result result = gltf_get_floats_if(&matrix, 16, n->matrix);
    if (result == TOILE_OK && !is_affine(n->matrix)) {
        return node_error(&matrix, "expected its last row to be 0, 0, 0, 1");
    }
    result = result == TOILE_OK ? gltf_get_floats_if(&translation, 3, n->translation) : result;
    result = result == TOILE_OK ? read_rotation(&rotation, n->rotation) : result;
    return result == TOILE_OK ? gltf_get_floats_if(&scale, 3, n->scale) : result;
}

/* ---- trees --------------------------------------------------------------------------------------
 */

/* Children of each node as a list: the first, and the next one of the same parent. */
typedef struct family {
    size_t first_child, next_sibling;
    size_t depth;
} family;

static toile_result read_children(gltf_file *f, gltf *g, size_t index, family *families) {
    node at = node_element(&f->nodes, index), list = node_member(&at, "children");
    size_t count;
    toile_result result = gltf_get_length(&list, &count);
    for (size_t i = count; i-- > 0 && result == TOILE_OK;) { /* each goes in front of the others */
        node at_child = node_element(&list, i);
        size_t child;
        result = gltf_get_index(&at_child, g->node_count, "nodes", &child);
        if (result != TOILE_OK) {
            return result;
        }
        if (g->nodes[child].parent != GLTF_NONE) {
            return node_error(&at_child, "node %zu is the child of node %zu already", child,
                              g->nodes[child].parent);
        }
        g->nodes[child].parent = index;
        families[child].next_sibling = families[index].first_child;
        families[index].first_child = child;
    }
    return result;
}

/* The next node, depth first, in the tree of a root, or GLTF_NONE. */
static size_t next_in_tree(const gltf *g, const family *families, size_t at) {
    if (families[at].first_child != GLTF_NONE) {
        return families[at].first_child;
    }
    while (at != GLTF_NONE && families[at].next_sibling == GLTF_NONE) {
        at = g->nodes[at].parent;
    }
    return at == GLTF_NONE ? at : families[at].next_sibling;
}

/* Every node has one parent at most: those that no root leads to are their own ancestors. */
static toile_result order_nodes(gltf_file *f, gltf *g, family *families) {
    size_t count = 0;
    for (size_t root = 0; root < g->node_count; root++) {
        size_t at = g->nodes[root].parent == GLTF_NONE ? root : GLTF_NONE;
        for (; at != GLTF_NONE; at = next_in_tree(g, families, at)) {
            size_t parent = g->nodes[at].parent;
            families[at].depth = parent == GLTF_NONE ? 1 : families[parent].depth + 1;
            if (families[at].depth > DEEPEST_NODE) {
                node deep = node_element(&f->nodes, at);
                return node_error(&deep, "has more than %d ancestors", DEEPEST_NODE - 1);
            }
            g->order[count++] = at;
        }
    }
    for (size_t i = 0; i < g->node_count && count < g->node_count; i++) {
        if (families[i].depth == 0) {
            node circle = node_element(&f->nodes, i);
            return node_error(&circle, "is its own ancestor, or has one that is");
        }
    }
    return TOILE_OK;
}

static toile_result read_trees(gltf_file *f, gltf *g) {
    family *families = memory_alloc(g->node_count, sizeof *families, "nodes");
    g->order = memory_pool_alloc(&g->memory, g->node_count, sizeof *g->order, "nodes");
    toile_result result = families && g->order ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t i = 0; i < g->node_count && result == TOILE_OK; i++) {
        families[i].first_child = families[i].next_sibling = GLTF_NONE;
    }
    for (size_t i = 0; i < g->node_count && result == TOILE_OK; i++) {
        result = read_children(f, g, i, families);
    }
    if (result == TOILE_OK) {
        result = order_nodes(f, g, families);
    }
    free(families);
    return result;
}

/* ---- the scene ----------------------------------------------------------------------------------
 */

static toile_result show_roots(const node *list, gltf *g) {
    size_t count, root;
    toile_result result = gltf_get_length(list, &count);
    for (size_t i = 0; i < count && result == TOILE_OK; i++) {
        node at = node_element(list, i);
        result = gltf_get_index(&at, g->node_count, "nodes", &root);
        if (result == TOILE_OK && g->nodes[root].parent != GLTF_NONE) {
            return node_error(&at, "expected a node without a parent, found node %zu", root);
        }
        if (result == TOILE_OK) {
            g->nodes[root].shown = true;
        }
    }
    return result;
}

/* The scene that the file names, or its first, or all nodes. */
static toile_result read_scene(gltf_file *f, gltf *g) {
    node scenes = node_member(&f->root, "scenes"), at_scene = node_member(&f->root, "scene");
    size_t count, scene = 0;
    toile_result result = gltf_get_length(&scenes, &count);
    if (result == TOILE_OK) {
        result = gltf_get_index_if(&at_scene, count, "scenes", &scene);
    }
    if (result == TOILE_OK && count > 0) {
        node at = node_element(&scenes, scene), list = node_member(&at, "nodes");
        result = gltf_expect_object(&at);
        result = result == TOILE_OK ? show_roots(&list, g) : result;
    }
    for (size_t i = 0; i < g->node_count && result == TOILE_OK; i++) {
        gltf_node *n = &g->nodes[g->order[i]];
        n->shown = n->parent != GLTF_NONE ? g->nodes[n->parent].shown : count == 0 || n->shown;
    }
    return result;
}

/* ---- skins --------------------------------------------------------------------------------------
 */

static toile_result set_identities(gltf *g, gltf_skin *s) {
    s->inverse_bind =
        memory_pool_alloc(&g->memory, s->joint_count, sizeof identity, bind_matrices.use);
    for (size_t i = 0; s->inverse_bind && i < s->joint_count; i++) {
        memcpy(s->inverse_bind + 16 * i, identity, sizeof identity);
    }
    return s->inverse_bind ? TOILE_OK : TOILE_ERROR_MEMORY;
}

static toile_result read_bind_matrices(gltf_file *f, gltf *g, const node *at, gltf_skin *s) {
    node index = node_member(at, "inverseBindMatrices");
    if (!index.value) {
        return set_identities(g, s);
    }
    accessor a;
    toile_result result = accessor_open(f, &index, &bind_matrices, &a);
    if (result == TOILE_OK && a.count < s->joint_count) {
        return node_error(&index, "expected %zu matrices, one for each joint, found %zu",
                          s->joint_count, a.count);
    }
    if (result != TOILE_OK) {
        return result;
    }
    s->inverse_bind = memory_pool_alloc(&g->memory, a.count, sizeof identity, bind_matrices.use);
    result = s->inverse_bind ? accessor_get_floats(&a, s->inverse_bind, 16) : TOILE_ERROR_MEMORY;
    for (size_t i = 0; i < s->joint_count && result == TOILE_OK; i++) {
        if (!is_affine(s->inverse_bind + 16 * i)) {
            return node_error(&a.at, "element %zu: expected its last row to be 0, 0, 0, 1", i);
        }
    }
    return result;
}

/* owners: for each node, the last skin, from 1, that has it as a joint. */
static toile_result read_skin(gltf_file *f, gltf *g, size_t index, size_t *owners) {
    node at = node_element(&f->skins, index), list = node_member(&at, "joints");
    gltf_skin *s = &g->skins[index];
    toile_result result = gltf_expect_object(&at);
    result = result == TOILE_OK ? gltf_read_name(&at, g, &s->name) : result;
    result = result == TOILE_OK ? gltf_get_length(&list, &s->joint_count) : result;
    if (result == TOILE_OK && s->joint_count == 0) {
        return node_error(&list, "expected a joint or more");
    }
    if (result != TOILE_OK) {
        return result;
    }
    s->joints = memory_pool_alloc(&g->memory, s->joint_count, sizeof *s->joints, "joints");
    result = s->joints ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t i = 0; i < s->joint_count && result == TOILE_OK; i++) {
        node at_joint = node_element(&list, i);
        result = gltf_get_index(&at_joint, f->node_count, "nodes", &s->joints[i]);
        if (result == TOILE_OK && owners[s->joints[i]] == index + 1) {
            return node_error(&at_joint, "node %zu is a joint of this skin already", s->joints[i]);
        }
        if (result == TOILE_OK) {
            owners[s->joints[i]] = index + 1;
        }
    }
    return result == TOILE_OK ? read_bind_matrices(f, g, &at, s) : result;
}

toile_result gltf_read_skins(gltf_file *f, gltf *g) {
    g->skin_count = f->skin_count;
    g->skins = memory_pool_alloc(&g->memory, g->skin_count, sizeof *g->skins, "skins");
    size_t *owners = memory_alloc(f->node_count, sizeof *owners, "joints");
    toile_result result = g->skins && owners ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t i = 0; i < g->skin_count && result == TOILE_OK; i++) {
        result = read_skin(f, g, i, owners);
    }
    free(owners);
    return result;
}

/* ---- nodes --------------------------------------------------------------------------------------
 */

/* Every triangle mesh with a skin has joints, which the skin has, too. */
static toile_result check_skin(const node *at, const gltf *g, const gltf_node *n) {
    if (n->mesh == GLTF_NONE) {
        return node_error(at, "expected only together with a mesh");
    }
    const gltf_mesh *m = &g->meshes[n->mesh];
    size_t joints = g->skins[n->skin].joint_count;
    if (m->rigid) {
        return node_error(at, "expected JOINTS_0 and WEIGHTS_0 in all primitives of mesh %zu",
                          n->mesh);
    }
    if (m->joint_end > joints) {
        return node_error(at, "mesh %zu has joint %zu, of the %zu that skin %zu has", n->mesh,
                          m->joint_end - 1, joints, n->skin);
    }
    return TOILE_OK;
}

static toile_result read_weights(const node *at, gltf *g, gltf_node *n) {
    if (!at->value) {
        return TOILE_OK;
    }
    size_t count = n->mesh != GLTF_NONE ? g->meshes[n->mesh].target_count : 0;
    n->weights = memory_pool_alloc(&g->memory, count, sizeof *n->weights, "weights");
    return n->weights ? gltf_get_floats_if(at, count, n->weights) : TOILE_ERROR_MEMORY;
}

static toile_result read_node(const node *at, gltf *g, gltf_node *n) {
    node at_mesh = node_member(at, "mesh"), at_skin = node_member(at, "skin"),
         at_weights = node_member(at, "weights");
    n->parent = n->mesh = n->skin = GLTF_NONE;
    toile_result result = gltf_expect_object(at);
    result = result == TOILE_OK ? gltf_read_name(at, g, &n->name) : result;
    result = result == TOILE_OK ? read_transform(at, n) : result;
    if (result == TOILE_OK) {
        result = gltf_get_index_if(&at_mesh, g->mesh_count, "meshes", &n->mesh);
    }
    if (result == TOILE_OK) {
        result = gltf_get_index_if(&at_skin, g->skin_count, "skins", &n->skin);
    }
    result = result == TOILE_OK ? read_weights(&at_weights, g, n) : result;
    return result == TOILE_OK && n->skin != GLTF_NONE ? check_skin(&at_skin, g, n) : result;
}

toile_result gltf_read_nodes(gltf_file *f, gltf *g) {
    g->node_count = f->node_count;
    g->nodes = memory_pool_alloc(&g->memory, g->node_count, sizeof *g->nodes, "nodes");
    toile_result result = g->nodes ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t i = 0; i < g->node_count && result == TOILE_OK; i++) {
        node at = node_element(&f->nodes, i);
        result = read_node(&at, g, &g->nodes[i]);
    }
    result = result == TOILE_OK ? read_trees(f, g) : result;
    return result == TOILE_OK ? read_scene(f, g) : result;
}
