#include "model/skin.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "kernel/skin.h"

/* How far the weights of a vertex may be from a sum of 1: what is left of them after a file has
 * rounded them to bytes. */
static const float WEIGHT_TOLERANCE = 0.01f;

static toile_result check_def(const toile_skin_def *def) {
    if (def->joint_count < 1 || def->joint_count > UINT16_MAX || def->influences < 1) {
        return error_set(TOILE_ERROR_INVALID,
                         "skin: it has %d joints and %d of them a vertex: expected 1 to %d, and at "
                         "least 1",
                         def->joint_count, def->influences, UINT16_MAX);
    }
    if (!def->joints || !def->weights) {
        return error_set(TOILE_ERROR_INVALID, "skin: expected joints and weights of the vertices");
    }
    if ((unsigned)def->kind > TOILE_SKINNING_DUAL_QUATERNION) {
        return error_set(TOILE_ERROR_INVALID, "skin: its kind is %d: expected a toile_skinning",
                         (int)def->kind);
    }
    return TOILE_OK;
}

static toile_result copy_vertex(skin *s, const toile_skin_def *def, size_t vertex) {
    size_t first = vertex * s->influences;
    float sum = 0.0f;
    for (size_t i = first; i < first + s->influences; i++) {
        if (def->joints[i] >= s->joint_count || !(def->weights[i] >= 0.0f)) {
            return error_set(TOILE_ERROR_INVALID,
                             "skin: vertex %zu hangs on joint %u with a weight of %g: expected "
                             "joints below %zu and weights of 0 or more",
                             vertex, (unsigned)def->joints[i], (double)def->weights[i],
                             s->joint_count);
        }
        sum += def->weights[i];
    }
    if (!(fabsf(sum - 1.0f) <= WEIGHT_TOLERANCE)) {
        return error_set(TOILE_ERROR_INVALID,
                         "skin: the weights of vertex %zu sum to %g: expected 1", vertex,
                         (double)sum);
    }
    for (size_t i = first; i < first + s->influences; i++) {
        s->joints[i] = def->joints[i];
        s->weights[i] = def->weights[i] / sum;
    }
    return TOILE_OK;
}

toile_result skin_create(skin *s, const toile_skin_def *def, size_t vertices) {
    *s = (skin){0};
    toile_result result = check_def(def);
    if (result != TOILE_OK) {
        return result;
    }
    s->kind = def->kind;
    s->joint_count = (size_t)def->joint_count;
    s->influences = (size_t)def->influences;
    s->joints = memory_alloc(vertices, s->influences * sizeof *s->joints, "a skin");
    s->weights = memory_alloc(vertices, s->influences * sizeof *s->weights, "a skin");
    result = s->joints && s->weights ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t v = 0; v < vertices && result == TOILE_OK; v++) {
        result = copy_vertex(s, def, v);
    }
    if (result != TOILE_OK) {
        skin_free(s);
    }
    return result;
}

void skin_free(skin *s) {
    free(s->joints);
    free(s->weights);
    free(s->motions);
    *s = (skin){0};
}

void skin_apply(const skin *s, const float *matrices, const float *positions, size_t vertices,
                float *out) {
    for (size_t v = 0; v < vertices; v++) {
        skin_rows sum = skin_rows_zero();
        for (size_t i = v * s->influences; i < (v + 1) * s->influences; i++) {
            const float *m = matrices + SKIN_FLOATS * (size_t)s->joints[i];
            skin_rows rows = {
                {m[0], m[1], m[2], m[3]}, {m[4], m[5], m[6], m[7]}, {m[8], m[9], m[10], m[11]}};
            sum = skin_rows_add(sum, s->weights[i], rows);
        }
        v3 place = skin_rows_apply(
            sum, v3_make(positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]));
        out[3 * v] = place.x;
        out[3 * v + 1] = place.y;
        out[3 * v + 2] = place.z;
    }
}
