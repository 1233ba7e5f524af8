#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/gltf.h"
#include "io/gltf_shown.h"
#include "io/json.h"

/* Adds weight times the transformed point. */
static void affine_add(const affine *a, double weight, const double p[3], double out[3]) {
    for (int row = 0; row < 3; row++) {
        const double *m = a->row[row];
        out[row] += weight * (m[0] * p[0] + m[1] * p[1] + m[2] * p[2] + m[3]);
    }
}

/* ---- counting -----------------------------------------------------------------------------------
 */

/* What the joined mesh is made from, and where it has got to. */
typedef struct joiner {
    const gltf *g;
    const char *name;
    affine *globals;   /* of nodes */
    affine **skins;    /* of joints, in the space of the scene; NULL: not needed so far */
    uint32_t *numbers; /* of the vertices of one primitive in the mesh, from 1; 0: not used */
    size_t vertices, triangles, corners;
    bool has_coordinates; /* all of them so far */
    mesh_data *out;
} joiner;

typedef toile_result primitive_treatment(joiner *j, const gltf_node *n, const gltf_primitive *p);

/* Does that to all primitives that are shown. */
static toile_result treat_instances(joiner *j, primitive_treatment *treat) {
    toile_result result = TOILE_OK;
    for (size_t i = 0; i < j->g->node_count; i++) {
        const gltf_node *n = &j->g->nodes[j->g->order[i]];
        const gltf_mesh *m = n->mesh != GLTF_NONE ? &j->g->meshes[n->mesh] : NULL;
        for (size_t k = 0; n->shown && m && k < m->primitive_count && result == TOILE_OK; k++) {
            result = treat(j, n, &m->primitives[k]);
        }
    }
    return result;
}

static toile_result bad_mesh(const joiner *j, const gltf_node *n, const char *what) {
    return error_set(TOILE_ERROR_FORMAT, "'%s': mesh %zu \"%s\" %s", j->name, n->mesh,
                     make_printable(j->g->meshes[n->mesh].name).text, what);
}

static toile_result count_primitive(joiner *j, const gltf_node *n, const gltf_primitive *p) {
    size_t passes = 1 + p->influences / 4 + j->g->meshes[n->mesh].target_count;
    /* This cannot overflow: a file has less than 2^36 vertices, and less than 2^25 passes. */
    size_t corners = 1 + p->vertices * passes + 3 * p->triangles;
    if (corners > gltf_corner_limit(j->g) - j->corners) {
        return error_set(TOILE_ERROR_FORMAT,
                         "'%s': its meshes, as often as they are shown, have too many vertices and "
                         "corners for a file of this size: expected at most %zu",
                         j->name, gltf_corner_limit(j->g));
    }
    j->corners += corners;
    if (p->triangles == 0) {
        return TOILE_OK;
    }
    j->has_coordinates = j->has_coordinates && p->coordinates;
    j->triangles += p->triangles;
    memset(j->numbers, 0, p->vertices * sizeof *j->numbers);
    for (size_t i = 0; i < 3 * p->triangles; i++) {
        j->vertices += j->numbers[p->indices[i]] == 0;
        j->numbers[p->indices[i]] = 1;
    }
    return TOILE_OK;
}

/* ---- posing -------------------------------------------------------------------------------------
 */

static affine *make_skin_transforms(const joiner *j, const gltf_skin *s) {
    affine *transforms = memory_alloc(s->joint_count, sizeof *transforms, "joints");
    for (size_t i = 0; transforms && i < s->joint_count; i++) {
        affine inverse = gltf_affine(s->inverse_bind + 16 * i);
        transforms[i] = affine_multiply(&j->globals[s->joints[i]], &inverse);
    }
    return transforms;
}

/* What moves a mesh: the joints of its skin, or, when that is NULL, its node. */
typedef struct placement {
    const gltf_node *node;
    const affine *node_transform, *joints;
} placement;

static void place_vertex(const joiner *j, const placement *at, const gltf_primitive *p, size_t v,
                         double out[3]) {
    const gltf_mesh *m = &j->g->meshes[at->node->mesh];
    const float *weights = gltf_target_weights(j->g, at->node);
    double position[3];
    for (size_t k = 0; k < 3; k++) {
        position[k] = (double)p->positions[3 * v + k];
        for (size_t t = 0; t < m->target_count; t++) {
            if (weights[t] != 0.0f && p->targets[t].positions) {
                position[k] += (double)weights[t] * (double)p->targets[t].positions[3 * v + k];
            }
        }
        out[k] = 0.0;
    }
    if (!at->joints) {
        affine_add(at->node_transform, 1.0, position, out);
        return;
    }
    for (size_t i = v * p->influences; i < (v + 1) * p->influences; i++) {
        if (p->weights[i] != 0.0f) {
            affine_add(&at->joints[p->joints[i]], (double)p->weights[i], position, out);
        }
    }
}

static toile_result append_vertices(joiner *j, const placement *at, const gltf_primitive *p) {
    for (size_t v = 0; v < p->vertices; v++) {
        if (j->numbers[v] == 0) {
            continue;
        }
        size_t vertex = j->vertices++;
        j->numbers[v] = (uint32_t)j->vertices;
        double place[3];
        place_vertex(j, at, p, v, place);
        for (size_t k = 0; k < 3; k++) {
            j->out->positions[3 * vertex + k] = (float)place[k];
            if (!isfinite(j->out->positions[3 * vertex + k])) {
                return bad_mesh(j, at->node, "has a vertex that is not finite where it is shown");
            }
        }
        if (j->out->coordinates) {
            j->out->coordinates[2 * vertex] = p->coordinates[2 * v];
            j->out->coordinates[2 * vertex + 1] = 1.0f - p->coordinates[2 * v + 1];
        }
    }
    return TOILE_OK;
}

static toile_result append_primitive(joiner *j, const gltf_node *n, const gltf_primitive *p) {
    placement at = {.node = n, .node_transform = &j->globals[n - j->g->nodes]};
    if (n->skin != GLTF_NONE) {
        if (!j->skins[n->skin]) {
            j->skins[n->skin] = make_skin_transforms(j, &j->g->skins[n->skin]);
        }
        at.joints = j->skins[n->skin];
        if (!at.joints) {
            return TOILE_ERROR_MEMORY;
        }
    }
    memset(j->numbers, 0, p->vertices * sizeof *j->numbers);
    for (size_t i = 0; i < 3 * p->triangles; i++) {
        j->numbers[p->indices[i]] = 1;
    }
    toile_result result = append_vertices(j, &at, p);
    /* A node that mirrors turns triangles over: section 3.7.4 of the specification. */
    bool mirrored = !at.joints && affine_determinant(at.node_transform) < 0.0;
    for (size_t i = 0; i < 3 * p->triangles && result == TOILE_OK; i++) {
        size_t k = mirrored && i % 3 > 0 ? 3 - i % 3 : i % 3;
        j->out->indices[3 * j->triangles + i] = j->numbers[p->indices[i - i % 3 + k]] - 1;
    }
    j->triangles += p->triangles;
    return result;
}

/* ---- joining ------------------------------------------------------------------------------------
 */

static bool allocate(joiner *j) {
    size_t most = 0;
    for (size_t i = 0; i < j->g->mesh_count; i++) {
        const gltf_mesh *m = &j->g->meshes[i];
        for (size_t k = 0; k < m->primitive_count; k++) {
            most = m->primitives[k].vertices > most ? m->primitives[k].vertices : most;
        }
    }
    j->numbers = memory_alloc(most, sizeof *j->numbers, "vertices");
    j->globals = memory_alloc(j->g->node_count, sizeof *j->globals, "nodes");
    j->skins = memory_alloc(j->g->skin_count, sizeof(affine *), "skins");
    return j->numbers && j->globals && j->skins;
}

static toile_result join(joiner *j) {
    toile_result result = treat_instances(j, count_primitive);
    if (result != TOILE_OK) {
        return result;
    }
    if (j->triangles == 0) {
        return error_set(TOILE_ERROR_FORMAT, "'%s' has no triangles", j->name);
    }
    if (!mesh_allocate(j->out, j->vertices, j->triangles, false, j->has_coordinates)) {
        return error_set(TOILE_ERROR_MEMORY, "not enough memory to read '%s'", j->name);
    }
    j->vertices = j->triangles = 0;
    gltf_find_globals(j->g, j->globals);
    result = treat_instances(j, append_primitive);
    if (result != TOILE_OK) {
        mesh_free(j->out);
    }
    return result;
}

toile_result gltf_join(const gltf *g, const char *name, mesh_data *out) {
    joiner j = {.g = g, .name = name, .has_coordinates = true, .out = out};
    toile_result result = allocate(&j) ? join(&j) : TOILE_ERROR_MEMORY;
    for (size_t i = 0; j.skins && i < g->skin_count; i++) {
        free(j.skins[i]);
    }
    free(j.skins);
    free(j.globals);
    free(j.numbers);
    return result;
}
