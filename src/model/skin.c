#include "model/skin.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/rotation.h"

/* ---- joints as rigid motions --------------------------------------------------------------------
 */

static v4 row_to_floats(const double row[4]) {
    return (v4){(float)row[0], (float)row[1], (float)row[2], (float)row[3]};
}

typedef struct matrix3 {
    double m[3][3];
} matrix3;

/* The inverse transposed, times the determinant, which is returned. */
static double cofactors(const matrix3 *a, matrix3 *out) {
    for (int i = 0; i < 3; i++) {
        const double *p = a->m[(i + 1) % 3], *q = a->m[(i + 2) % 3];
        for (int j = 0; j < 3; j++) {
            out->m[i][j] = p[(j + 1) % 3] * q[(j + 2) % 3] - p[(j + 2) % 3] * q[(j + 1) % 3];
        }
    }
    return a->m[0][0] * out->m[0][0] + a->m[0][1] * out->m[0][1] + a->m[0][2] * out->m[0][2];
}

/* The rotation nearest to a matrix: the mean of it and its inverse transposed, again and again
 * (Higham 1986), from a matrix of determinant 1 or -1 on, so that few rounds are needed. A matrix
 * that mirrors is the opposite of one that does not. One that flattens has no such rotation. */
static matrix3 nearest_rotation(const matrix3 *a) {
    static const matrix3 identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    matrix3 r = *a, other;
    double determinant = cofactors(&r, &other), largest = 0.0;
    for (int i = 0; i < 9; i++) {
        largest = fmax(largest, fabs(a->m[i / 3][i % 3]));
    }
    if (!(fabs(determinant) > 1e-9 * largest * largest * largest) || !isfinite(determinant)) {
        return identity;
    }
    double size = 1.0 / cbrt(determinant);
    for (int i = 0; i < 9; i++) {
        r.m[i / 3][i % 3] *= size;
    }
    for (int round = 0; round < 60; round++) {
        determinant = cofactors(&r, &other);
        double change = 0.0;
        for (int i = 0; i < 9; i++) {
            double *value = &r.m[i / 3][i % 3];
            double next = 0.5 * (*value + other.m[i / 3][i % 3] / determinant);
            change = fmax(change, fabs(next - *value));
            *value = next;
        }
        if (change < 1e-13) {
            break;
        }
    }
    return r;
}

static v4 to_floats(quat q) {
    return (v4){(float)q.x, (float)q.y, (float)q.z, (float)q.w};
}

static skin_joint split_matrix(const skin_rows *rows) {
    const v4 row[3] = {rows->x, rows->y, rows->z};
    matrix3 a;
    for (int k = 0; k < 3; k++) {
        a.m[k][0] = (double)row[k].x;
        a.m[k][1] = (double)row[k].y;
        a.m[k][2] = (double)row[k].z;
    }
    matrix3 r = nearest_rotation(&a);
    skin_joint joint;
    v4 *stretch[3] = {&joint.stretch.x, &joint.stretch.y, &joint.stretch.z};
    for (int i = 0; i < 3; i++) {
        double s[4] = {0.0, 0.0, 0.0, 0.0};
        for (int k = 0; k < 9; k++) {
            s[k % 3] += r.m[k / 3][i] * a.m[k / 3][k % 3];
        }
        *stretch[i] = row_to_floats(s);
    }
    quat turn = quat_from_matrix(r.m);
    quat way = {0.5 * (double)row[0].w, 0.5 * (double)row[1].w, 0.5 * (double)row[2].w, 0.0};
    joint.motion.real = to_floats(turn);
    joint.motion.dual = to_floats(quat_multiply(way, turn));
    return joint;
}

void skin_joints_from_rows(const skin_rows *matrices, size_t count, skin_joint *out) {
    for (size_t j = 0; j < count; j++) {
        out[j] = split_matrix(&matrices[j]);
    }
}

/* ---- skins --------------------------------------------------------------------------------------
 */

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

static toile_result copy_vertex(body_skin *s, const toile_skin_def *def, size_t vertex) {
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
    size_t kept = first;
    for (size_t i = first; i < first + s->influences; i++) {
        if (def->weights[i] > 0.0f) {
            s->joints[kept] = (uint16_t)def->joints[i];
            s->weights[kept++] = def->weights[i] / sum;
        }
    }
    return TOILE_OK;
}

toile_result skin_create(body_skin *s, const toile_skin_def *def, size_t vertices) {
    *s = (body_skin){0};
    toile_result result = check_def(def);
    if (result != TOILE_OK) {
        return result;
    }
    s->kind = def->kind;
    s->joint_count = (size_t)def->joint_count;
    s->influences = (size_t)def->influences;
    s->joints = memory_alloc(vertices, s->influences * sizeof *s->joints, "a skin");
    s->weights = memory_alloc(vertices, s->influences * sizeof *s->weights, "a skin");
    s->motions = memory_alloc(s->joint_count, sizeof *s->motions, "a skin");
    result = s->joints && s->weights && s->motions ? TOILE_OK : TOILE_ERROR_MEMORY;
    for (size_t v = 0; v < vertices && result == TOILE_OK; v++) {
        result = copy_vertex(s, def, v);
    }
    if (result != TOILE_OK) {
        skin_free(s);
    }
    return result;
}

void skin_free(body_skin *s) {
    free(s->joints);
    free(s->weights);
    free(s->motions);
    *s = (body_skin){0};
}

/* ---- vertices -----------------------------------------------------------------------------------
 */

static v3 get_vertex(const float *positions, size_t v) {
    return v3_make(positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]);
}

static void set_vertex(float *positions, size_t v, v3 at) {
    positions[3 * v] = at.x;
    positions[3 * v + 1] = at.y;
    positions[3 * v + 2] = at.z;
}

void skin_linear(const skin_weights *w, const float *positions, const skin_rows *matrices,
                 size_t first, size_t end, float *out) {
    for (size_t v = first; v < end; v++) {
        const uint16_t *joints = w->joints + w->influences * v;
        const float *weights = w->weights + w->influences * v;
        skin_rows sum = skin_rows_zero();
        for (size_t i = 0; i < w->influences && weights[i] > 0.0f; i++) {
            sum = skin_rows_add(sum, weights[i], matrices[joints[i]]);
        }
        set_vertex(out, v, skin_rows_apply(sum, get_vertex(positions, v)));
    }
}

void skin_dual(const skin_weights *w, const float *positions, const skin_joint *joints,
               size_t first, size_t end, float *out) {
    for (size_t v = first; v < end; v++) {
        const uint16_t *numbers = w->joints + w->influences * v;
        const float *weights = w->weights + w->influences * v;
        v4 side = joints[numbers[0]].motion.real;
        skin_motion sum = skin_motion_zero();
        skin_rows stretch = skin_rows_zero();
        size_t count = 0;
        for (; count < w->influences && weights[count] > 0.0f; count++) {
            sum = skin_motion_add(sum, side, weights[count], joints[numbers[count]].motion);
        }
        for (size_t i = 0; i < count; i++) { /* one loop with both: 2.7 ms, not 1.9 */
            stretch = skin_rows_add(stretch, weights[i], joints[numbers[i]].stretch);
        }
        set_vertex(out, v, skin_joint_apply(sum, stretch, get_vertex(positions, v)));
    }
}

void skin_apply(const body_skin *s, const float *matrices, const float *positions, size_t vertices,
                float *out) {
    const skin_weights weights = {s->influences, s->joints, s->weights};
    const skin_rows *rows = (const skin_rows *)matrices;
    if (s->kind == TOILE_SKINNING_LINEAR) {
        skin_linear(&weights, positions, rows, 0, vertices, out);
        return;
    }
    skin_joints_from_rows(rows, s->joint_count, s->motions);
    skin_dual(&weights, positions, s->motions, 0, vertices, out);
}
