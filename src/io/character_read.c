#include "io/character_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/character_parts.h"
#include "io/gltf_shown.h"
#include "io/json.h"

enum { JOINT_LIMIT = UINT16_MAX };

static const double FARTHEST = 1e4, SMALLEST = 1e-4; /* m */
static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

/* One inverse bind matrix of a node, and the joint that has it. */
typedef struct binding {
    const float *matrix;
    size_t joint;
    size_t next; /* of the same node; GLTF_NONE: none */
} binding;

typedef struct reader {
    const gltf *g;
    const char *name;
    double scale;
    character *c;
    character_places places;
    size_t joint_capacity;
    bool *needed;     /* nodes */
    affine *globals;  /* of nodes */
    size_t *bound;    /* of nodes: the first binding; GLTF_NONE: none */
    uint16_t **skins; /* joints of skins; NULL: not in use */
    binding *bindings;
    size_t binding_count, binding_capacity;
    uint32_t *numbers; /* of the vertices of one primitive, from 1; 0: not used */
    size_t corners, vertices, triangles;
} reader;

/* Does that to all primitives with triangles that are shown. */
typedef toile_result treatment(reader *r, size_t index, const gltf_primitive *p);

static toile_result treat_shown(reader *r, treatment *treat) {
    toile_result result = TOILE_OK;
    for (size_t i = 0; i < r->g->node_count; i++) {
        const gltf_node *n = &r->g->nodes[r->g->order[i]];
        const gltf_mesh *m = n->mesh != GLTF_NONE ? &r->g->meshes[n->mesh] : NULL;
        for (size_t k = 0; n->shown && m && k < m->primitive_count && result == TOILE_OK; k++) {
            if (m->primitives[k].triangles > 0) {
                result = treat(r, r->g->order[i], &m->primitives[k]);
            }
        }
    }
    return result;
}

static toile_result bad_node(const reader *r, size_t index, const char *what) {
    return error_set(TOILE_ERROR_FORMAT, "'%s': node %zu \"%s\": %s", r->name, index,
                     make_printable(r->g->nodes[index].name).text, what);
}

/* ---- joints -------------------------------------------------------------------------------------
 */

static toile_result need_nodes(reader *r, size_t index, const gltf_primitive *p) {
    (void)p;
    size_t skin = r->g->nodes[index].skin;
    if (skin == GLTF_NONE) {
        r->needed[index] = true;
    }
    for (size_t i = 0; skin != GLTF_NONE && i < r->g->skins[skin].joint_count; i++) {
        r->needed[r->g->skins[skin].joints[i]] = true;
    }
    return TOILE_OK;
}

/* The specification asks of matrices that they can be taken apart (section 3.5.3). */
static bool take_apart(const affine *a, transform *out) {
    double m[3][3], size[3];
    for (int k = 0; k < 3; k++) {
        size[k] = sqrt(a->row[0][k] * a->row[0][k] + a->row[1][k] * a->row[1][k] +
                       a->row[2][k] * a->row[2][k]);
        out->translation[k] = a->row[k][3];
    }
    size[0] = affine_determinant(a) < 0.0 ? -size[0] : size[0];
    for (int i = 0; i < 9; i++) {
        m[i / 3][i % 3] = a->row[i / 3][i % 3] / size[i % 3];
    }
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        double skew = m[0][k] * m[0][next] + m[1][k] * m[1][next] + m[2][k] * m[2][next];
        if (!(fabs(skew) < 1e-3)) { /* also when it is not a number: something was 0 */
            return false;
        }
        out->scale[k] = size[k];
    }
    out->rotation = quat_from_matrix((const double(*)[3])m);
    return true;
}

static toile_result append_joint(reader *r, size_t index, int parent, size_t *out) {
    character *c = r->c;
    const gltf_node *n = &r->g->nodes[index];
    if (c->joint_count >= JOINT_LIMIT) {
        return error_set(TOILE_ERROR_FORMAT, "'%s' has more than %d joints", r->name, JOINT_LIMIT);
    }
    character_joint *skeleton = memory_grow(c->skeleton, c->joint_count, &r->joint_capacity,
                                            sizeof *skeleton, "a skeleton");
    if (!skeleton) {
        return TOILE_ERROR_MEMORY;
    }
    c->skeleton = skeleton;
    char name[32];
    snprintf(name, sizeof name, "node %zu", index);
    character_joint *joint = &skeleton[c->joint_count];
    *joint = (character_joint){.parent = parent, .rest = transform_identity};
    joint->inverse_bind = affine_from_transform(&transform_identity);
    joint->name = memory_string(n->name[0] ? n->name : name);
    *out = c->joint_count++;
    return joint->name ? TOILE_OK : TOILE_ERROR_MEMORY;
}

static toile_result add_node(reader *r, size_t index) {
    const gltf_node *n = &r->g->nodes[index];
    size_t joint;
    int parent = n->parent == GLTF_NONE ? -1 : r->places.joints[n->parent];
    toile_result result = append_joint(r, index, parent, &joint);
    if (result != TOILE_OK) {
        return result;
    }
    r->places.joints[index] = (int)joint;
    transform *rest = &r->c->skeleton[joint].rest;
    affine matrix = gltf_node_affine(n);
    if (n->has_matrix && !take_apart(&matrix, rest)) {
        return bad_node(r, index, "expected a matrix of translation, rotation and scale");
    }
    if (!n->has_matrix) {
        rest->rotation = (quat){(double)n->rotation[0], (double)n->rotation[1],
                                (double)n->rotation[2], (double)n->rotation[3]};
        for (int k = 0; k < 3; k++) {
            rest->translation[k] = (double)n->translation[k];
            rest->scale[k] = (double)n->scale[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        rest->translation[k] *= r->scale;
    }
    return TOILE_OK;
}

static toile_result add_nodes(reader *r) {
    toile_result result = treat_shown(r, need_nodes);
    for (size_t i = r->g->node_count; i-- > 0;) { /* children before their parents */
        size_t index = r->g->order[i], parent = r->g->nodes[index].parent;
        if (r->needed[index] && parent != GLTF_NONE) {
            r->needed[parent] = true;
        }
    }
    for (size_t i = 0; i < r->g->node_count && result == TOILE_OK; i++) {
        if (r->needed[r->g->order[i]]) {
            result = add_node(r, r->g->order[i]);
        }
    }
    return result;
}

/* ---- binding ------------------------------------------------------------------------------------
 */

/* The vertices of a joint that flattens them would have no inside. */
static toile_result check_binding(const reader *r, size_t index, const affine *inverse) {
    affine matrix = affine_multiply(&r->globals[index], inverse);
    double largest = 0.0, determinant = affine_determinant(&matrix);
    for (int i = 0; i < 12; i++) {
        double value = matrix.row[i / 4][i % 4];
        if (!isfinite(value)) {
            return bad_node(r, index, "expected a joint at a finite place");
        }
        largest = i % 4 < 3 ? fmax(largest, fabs(value)) : largest;
    }
    if (!(fabs(determinant) > 1e-9 * largest * largest * largest)) {
        return bad_node(r, index,
                        "its matrix, times the inverse bind matrix, is singular: expected "
                        "one that can be inverted");
    }
    return TOILE_OK;
}

/* The joint that a node is with that inverse bind matrix. */
static toile_result bind(reader *r, size_t index, const float *matrix, size_t *out) {
    for (size_t b = r->bound[index]; b != GLTF_NONE; b = r->bindings[b].next) {
        if (memcmp(r->bindings[b].matrix, matrix, sizeof identity) == 0) {
            *out = r->bindings[b].joint;
            return TOILE_OK;
        }
    }
    affine inverse = gltf_affine(matrix);
    toile_result result = check_binding(r, index, &inverse);
    *out = (size_t)r->places.joints[index];
    if (result == TOILE_OK && r->bound[index] != GLTF_NONE) {
        result = append_joint(r, index, (int)*out, out);
    }
    if (result != TOILE_OK) {
        return result;
    }
    binding *list = memory_grow(r->bindings, r->binding_count, &r->binding_capacity, sizeof *list,
                                "a skeleton");
    if (!list) {
        return TOILE_ERROR_MEMORY;
    }
    r->bindings = list;
    list[r->binding_count] = (binding){matrix, *out, r->bound[index]};
    r->bound[index] = r->binding_count++;
    for (int k = 0; k < 3; k++) {
        inverse.row[k][3] *= r->scale;
    }
    r->c->skeleton[*out].inverse_bind = inverse;
    return TOILE_OK;
}

static toile_result bind_skin(reader *r, size_t skin) {
    const gltf_skin *s = &r->g->skins[skin];
    r->skins[skin] = memory_alloc(s->joint_count, sizeof *r->skins[skin], "a skin");
    toile_result result = r->skins[skin] ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t i = 0; i < s->joint_count && result == TOILE_OK; i++) {
        size_t joint = 0;
        result = bind(r, s->joints[i], s->inverse_bind + 16 * i, &joint);
        r->skins[skin][i] = (uint16_t)joint;
    }
    return result;
}

/* ---- vertices -----------------------------------------------------------------------------------
 */

static size_t count_influences(const gltf_primitive *p, size_t v) {
    size_t count = 0;
    for (size_t i = v * p->influences; i < (v + 1) * p->influences; i++) {
        count += p->weights[i] > 0.0f;
    }
    return count;
}

static void mark_used(reader *r, const gltf_primitive *p) {
    memset(r->numbers, 0, p->vertices * sizeof *r->numbers);
    for (size_t i = 0; i < 3 * p->triangles; i++) {
        r->numbers[p->indices[i]] = 1;
    }
}

static toile_result count_primitive(reader *r, size_t index, const gltf_primitive *p) {
    const gltf_node *n = &r->g->nodes[index];
    size_t passes = 1 + p->influences / 4 + r->g->meshes[n->mesh].target_count;
    size_t corners = 1 + p->vertices * passes + 3 * p->triangles, limit = gltf_corner_limit(r->g);
    toile_result result = TOILE_OK;
    if (corners > limit - r->corners) {
        return error_set(TOILE_ERROR_FORMAT,
                         "'%s': its meshes, as often as they are shown, have too many vertices and "
                         "corners for a file of this size: expected at most %zu",
                         r->name, limit);
    }
    r->corners += corners;
    r->triangles += p->triangles;
    mark_used(r, p);
    for (size_t v = 0; v < p->vertices; v++) {
        size_t count = n->skin != GLTF_NONE && r->numbers[v] ? count_influences(p, v) : 1;
        r->vertices += r->numbers[v];
        r->c->influences = count > r->c->influences ? count : r->c->influences;
    }
    if (n->skin != GLTF_NONE && !r->skins[n->skin]) {
        result = bind_skin(r, n->skin);
    }
    return result;
}

typedef struct influence {
    float weight;
    uint16_t joint;
} influence;

static int compare_influences(const void *left, const void *right) {
    const influence *a = left, *b = right;
    return a->weight != b->weight ? (a->weight < b->weight) - (a->weight > b->weight)
                                  : (a->joint > b->joint) - (a->joint < b->joint);
}

/* The largest first; it takes what rounding left of the sum. */
static void hang_vertex(reader *r, const gltf_primitive *p, size_t skin, size_t v, size_t vertex,
                        influence *list) {
    size_t count = 0, wide = r->c->influences;
    for (size_t i = v * p->influences; i < (v + 1) * p->influences; i++) {
        if (p->weights[i] > 0.0f) {
            list[count++] = (influence){p->weights[i], r->skins[skin][p->joints[i]]};
        }
    }
    qsort(list, count, sizeof *list, compare_influences);
    double others = 0.0;
    for (size_t i = 0; i < count; i++) {
        r->c->joints[wide * vertex + i] = list[i].joint;
        r->c->weights[wide * vertex + i] = list[i].weight;
        others += i > 0 ? (double)list[i].weight : 0.0;
    }
    r->c->weights[wide * vertex] = (float)(1.0 - others);
}

static toile_result append_vertices(reader *r, size_t index, const gltf_primitive *p) {
    size_t skin = r->g->nodes[index].skin, joint = 0;
    toile_result result = skin == GLTF_NONE ? bind(r, index, identity, &joint) : TOILE_OK;
    influence *list = memory_alloc(p->influences, sizeof *list, "joints of a vertex");
    result = list ? result : TOILE_ERROR_MEMORY;
    for (size_t v = 0; v < p->vertices && result == TOILE_OK; v++) {
        if (!r->numbers[v]) {
            continue;
        }
        size_t vertex = r->vertices++;
        r->numbers[v] = (uint32_t)r->vertices;
        for (size_t k = 0; k < 3; k++) {
            r->c->positions[3 * vertex + k] = (float)(r->scale * (double)p->positions[3 * v + k]);
        }
        if (skin == GLTF_NONE) {
            r->c->joints[r->c->influences * vertex] = (uint16_t)joint;
            r->c->weights[r->c->influences * vertex] = 1.0f;
        } else {
            hang_vertex(r, p, skin, v, vertex, list);
        }
    }
    free(list);
    return result;
}

/* ---- morph targets ------------------------------------------------------------------------------
 */

static bool is_moved(const reader *r, size_t v, const float *positions) {
    const float *d = positions + 3 * v;
    return r->numbers[v] && (d[0] != 0.0f || d[1] != 0.0f || d[2] != 0.0f);
}

/* Room for more deltas: powers of two, since a mesh may have thousands of primitives. */
static toile_result grow_target(character_target *t, size_t more) {
    size_t before = 1, after = 1;
    while (before < t->count) {
        before *= 2;
    }
    while (after < t->count + more) {
        after *= 2;
    }
    if (t->vertices && after == before) {
        return TOILE_OK;
    }
    uint32_t *vertices = memory_alloc(after, sizeof *vertices, "a morph target");
    float *deltas = memory_alloc(after, 3 * sizeof *deltas, "a morph target");
    if (!vertices || !deltas) {
        free(vertices);
        free(deltas);
        return TOILE_ERROR_MEMORY;
    }
    if (t->count > 0) {
        memcpy(vertices, t->vertices, t->count * sizeof *vertices);
        memcpy(deltas, t->deltas, 3 * t->count * sizeof *deltas);
    }
    free(t->vertices);
    free(t->deltas);
    t->vertices = vertices;
    t->deltas = deltas;
    return TOILE_OK;
}

/* Only vertices that a target moves are kept. */
static toile_result append_deltas(reader *r, const gltf_primitive *p, const float *positions,
                                  character_target *t) {
    size_t count = 0;
    for (size_t v = 0; v < p->vertices; v++) {
        count += is_moved(r, v, positions);
    }
    toile_result result = grow_target(t, count);
    for (size_t v = 0; v < p->vertices && result == TOILE_OK; v++) {
        if (is_moved(r, v, positions)) {
            for (size_t k = 0; k < 3; k++) {
                t->deltas[3 * t->count + k] = (float)(r->scale * (double)positions[3 * v + k]);
            }
            t->vertices[t->count++] = r->numbers[v] - 1;
        }
    }
    return result;
}

static toile_result append_targets(reader *r, size_t index, const gltf_primitive *p) {
    const gltf_mesh *m = &r->g->meshes[r->g->nodes[index].mesh];
    toile_result result = TOILE_OK;
    for (size_t t = 0; t < m->target_count && result == TOILE_OK; t++) {
        if (p->targets[t].positions) {
            result = append_deltas(r, p, p->targets[t].positions,
                                   &r->c->targets[r->places.targets[index] + t]);
        }
    }
    return result;
}

static toile_result make_targets(reader *r) {
    character *c = r->c;
    for (int pass = 0; pass < 2; pass++) {
        c->target_count = 0;
        for (size_t i = 0; i < r->g->node_count; i++) {
            const gltf_node *n = &r->g->nodes[i];
            size_t count =
                n->mesh != GLTF_NONE && n->shown ? r->g->meshes[n->mesh].target_count : 0;
            r->places.targets[i] = count > 0 ? c->target_count : GLTF_NONE;
            for (size_t t = 0; pass == 1 && t < count; t++) {
                c->targets[c->target_count + t].weight = gltf_target_weights(r->g, n)[t];
            }
            c->target_count += count;
        }
        if (pass == 0) {
            /* No more than corners that were counted, unless meshes without triangles have them. */
            c->targets = c->target_count <= gltf_corner_limit(r->g)
                             ? memory_alloc(c->target_count, sizeof *c->targets, "morph targets")
                             : NULL;
            if (!c->targets) {
                c->target_count = 0;
                return error_set(TOILE_ERROR_MEMORY, "'%s' has too many morph targets", r->name);
            }
        }
    }
    return TOILE_OK;
}

/* ---- the whole ----------------------------------------------------------------------------------
 */

static toile_result append_primitive(reader *r, size_t index, const gltf_primitive *p) {
    mark_used(r, p);
    toile_result result = append_vertices(r, index, p);
    result = result == TOILE_OK ? append_targets(r, index, p) : result;
    /* A node that mirrors turns triangles over: section 3.7.4 of the specification. */
    bool mirrored =
        r->g->nodes[index].skin == GLTF_NONE && affine_determinant(&r->globals[index]) < 0.0;
    for (size_t i = 0; i < 3 * p->triangles && result == TOILE_OK; i++) {
        size_t k = mirrored && i % 3 > 0 ? 3 - i % 3 : i % 3;
        r->c->indices[3 * r->triangles + i] = r->numbers[p->indices[i - i % 3 + k]] - 1;
    }
    r->triangles += p->triangles;
    return result;
}

static toile_result allocate_mesh(reader *r) {
    character *c = r->c;
    if (r->triangles == 0) {
        return error_set(TOILE_ERROR_FORMAT, "'%s' has no triangles", r->name);
    }
    if (c->influences > 4 * gltf_corner_limit(r->g) / r->vertices) {
        return error_set(TOILE_ERROR_FORMAT,
                         "'%s': %zu joints for each of %zu vertices are too many for a file of "
                         "this size",
                         r->name, c->influences, r->vertices);
    }
    c->vertices = r->vertices;
    c->triangles = r->triangles;
    c->positions = memory_alloc(3 * c->vertices, sizeof *c->positions, "a mesh");
    c->indices = memory_alloc(3 * c->triangles, sizeof *c->indices, "a mesh");
    c->joints = memory_alloc(c->influences * c->vertices, sizeof *c->joints, "a mesh");
    c->weights = memory_alloc(c->influences * c->vertices, sizeof *c->weights, "a mesh");
    r->vertices = r->triangles = 0;
    return c->positions && c->indices && c->joints && c->weights ? TOILE_OK : TOILE_ERROR_MEMORY;
}

static toile_result allocate(reader *r) {
    const gltf *g = r->g;
    size_t most = 0;
    for (size_t i = 0; i < g->mesh_count; i++) {
        for (size_t k = 0; k < g->meshes[i].primitive_count; k++) {
            size_t vertices = g->meshes[i].primitives[k].vertices;
            most = vertices > most ? vertices : most;
        }
    }
    r->places.joints = memory_alloc(g->node_count, sizeof *r->places.joints, "nodes");
    r->places.targets = memory_alloc(g->node_count, sizeof *r->places.targets, "nodes");
    r->needed = memory_alloc(g->node_count, sizeof *r->needed, "nodes");
    r->globals = memory_alloc(g->node_count, sizeof *r->globals, "nodes");
    r->bound = memory_alloc(g->node_count, sizeof *r->bound, "nodes");
    r->skins = memory_alloc(g->skin_count, sizeof(uint16_t *), "skins");
    r->numbers = memory_alloc(most, sizeof *r->numbers, "vertices");
    if (!r->places.joints || !r->places.targets || !r->needed || !r->globals || !r->bound ||
        !r->skins || !r->numbers) {
        return TOILE_ERROR_MEMORY;
    }
    for (size_t i = 0; i < g->node_count; i++) {
        r->places.joints[i] = -1;
        r->bound[i] = GLTF_NONE;
    }
    return TOILE_OK;
}

/* Whether the size at rest makes sense. Every vertex by its first joint is near enough. */
static toile_result check_size(const reader *r) {
    const character *c = r->c;
    affine *matrices = memory_alloc(c->joint_count, sizeof *matrices, "joints");
    transform *locals = memory_alloc(c->joint_count, sizeof *locals, "joints");
    if (!matrices || !locals) {
        free(matrices);
        free(locals);
        return TOILE_ERROR_MEMORY;
    }
    character_sample(c, NULL, 0.0, false, locals);
    character_skin_matrices(c, locals, matrices);
    double farthest = 0.0;
    bool finite = true;
    for (size_t v = 0; v < c->vertices; v++) {
        const float *p = c->positions + 3 * v;
        double at[3] = {(double)p[0], (double)p[1], (double)p[2]}, moved[3];
        affine_apply(&matrices[c->joints[c->influences * v]], at, moved);
        for (int k = 0; k < 3; k++) {
            finite = finite && isfinite(moved[k]);
            farthest = fmax(farthest, fabs(moved[k]));
        }
    }
    free(matrices);
    free(locals);
    if (!finite || farthest > FARTHEST) {
        return error_set(TOILE_ERROR_FORMAT,
                         "'%s' is %g m from the origin at rest: expected at most %g m; is the "
                         "scale right?",
                         r->name, farthest, FARTHEST);
    }
    if (farthest < SMALLEST) {
        return error_set(
            TOILE_ERROR_FORMAT,
            "'%s' reaches %g m from the origin at rest: expected at least %g m; is the "
            "scale right?",
            r->name, farthest, SMALLEST);
    }
    return TOILE_OK;
}

static toile_result read_all(reader *r, const character_options *o) {
    toile_result result = allocate(r);
    if (result != TOILE_OK) {
        return result;
    }
    gltf_find_globals(r->g, r->globals);
    r->c->influences = 1;
    result = add_nodes(r);
    result = result == TOILE_OK ? treat_shown(r, count_primitive) : result;
    result = result == TOILE_OK ? allocate_mesh(r) : result;
    result = result == TOILE_OK ? make_targets(r) : result;
    result = result == TOILE_OK ? treat_shown(r, append_primitive) : result;
    result = result == TOILE_OK ? check_size(r) : result;
    result = result == TOILE_OK ? character_add_clips(r->g, &r->places, r->scale, r->c) : result;
    if (result == TOILE_OK && o->weld >= 0.0) {
        result = character_weld(r->c, o->weld);
    }
    if (result == TOILE_OK && r->c->triangles == 0) {
        return error_set(TOILE_ERROR_FORMAT, "'%s' has no triangles but flat ones", r->name);
    }
    return result;
}

character_options character_options_default(void) {
    return (character_options){.scale = 1.0, .weld = 0.0};
}

toile_result character_from_gltf(const gltf *g, const char *name, const character_options *options,
                                 character *out) {
    *out = (character){0};
    if (!(options->scale >= 1e-6 && options->scale <= 1e6)) {
        return error_set(TOILE_ERROR_INVALID, "'%s': scale: expected 1e-6 to 1e6, found %g", name,
                         options->scale);
    }
    reader r = {.g = g, .name = name, .scale = options->scale, .c = out};
    toile_result result = read_all(&r, options);
    for (size_t i = 0; r.skins && i < g->skin_count; i++) {
        free(r.skins[i]);
    }
    free(r.skins);
    free(r.places.joints);
    free(r.places.targets);
    free(r.needed);
    free(r.globals);
    free(r.bound);
    free(r.bindings);
    free(r.numbers);
    if (result != TOILE_OK) {
        character_free(out);
    }
    return result;
}

toile_result character_read(const char *path, const character_options *options, character *out) {
    gltf *g;
    *out = (character){0};
    toile_result result = gltf_read(path, &g);
    if (result == TOILE_OK) {
        result = character_from_gltf(g, path, options, out);
        gltf_free(g);
    }
    return result;
}
