#include "model/skinning.h"

#include <math.h>
#include <string.h>

/* ---- joints -------------------------------------------------------------------------------------
 */

static v4 row_to_floats(const double row[4]) {
    return (v4){(float)row[0], (float)row[1], (float)row[2], (float)row[3]};
}

void skin_rows_from_affine(const affine *matrices, size_t count, skin_rows *out) {
    for (size_t j = 0; j < count; j++) {
        out[j].x = row_to_floats(matrices[j].row[0]);
        out[j].y = row_to_floats(matrices[j].row[1]);
        out[j].z = row_to_floats(matrices[j].row[2]);
    }
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

/* ---- vertices -----------------------------------------------------------------------------------
 */

void character_morph(const character *c, const float *weights, float *out) {
    memcpy(out, c->positions, 3 * c->vertices * sizeof *out);
    for (size_t t = 0; t < c->target_count; t++) {
        const character_target *target = &c->targets[t];
        for (size_t i = 0; weights[t] != 0.0f && i < target->count; i++) {
            float *at = out + 3 * (size_t)target->vertices[i];
            for (size_t k = 0; k < 3; k++) {
                at[k] += weights[t] * target->deltas[3 * i + k];
            }
        }
    }
}

static v3 get_vertex(const float *positions, size_t v) {
    return v3_make(positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]);
}

static void set_vertex(float *positions, size_t v, v3 at) {
    positions[3 * v] = at.x;
    positions[3 * v + 1] = at.y;
    positions[3 * v + 2] = at.z;
}

void character_skin_linear(const character *c, const float *positions, const skin_rows *matrices,
                           size_t first, size_t end, float *out) {
    for (size_t v = first; v < end; v++) {
        const uint16_t *joints = c->joints + c->influences * v;
        const float *weights = c->weights + c->influences * v;
        skin_rows sum = skin_rows_zero();
        for (size_t i = 0; i < c->influences && weights[i] > 0.0f; i++) {
            sum = skin_rows_add(sum, weights[i], matrices[joints[i]]);
        }
        set_vertex(out, v, skin_rows_apply(sum, get_vertex(positions, v)));
    }
}

void character_skin_dual(const character *c, const float *positions, const skin_joint *joints,
                         size_t first, size_t end, float *out) {
    for (size_t v = first; v < end; v++) {
        const uint16_t *numbers = c->joints + c->influences * v;
        const float *weights = c->weights + c->influences * v;
        v4 side = joints[numbers[0]].motion.real;
        skin_joint sum = skin_joint_zero();
        for (size_t i = 0; i < c->influences && weights[i] > 0.0f; i++) {
            sum = skin_joint_add(sum, side, weights[i], joints[numbers[i]]);
        }
        set_vertex(out, v, skin_joint_apply(sum, get_vertex(positions, v)));
    }
}

void character_skin(const character *c, const skin_rows *matrices, float *out) {
    character_skin_linear(c, c->positions, matrices, 0, c->vertices, out);
}
