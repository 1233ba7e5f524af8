/* Skinning by matrices and by dual quaternions, against a plain reference in double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/skinning.h"

static const double pi = 3.14159265358979323846;

static void assert_near(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance)) {
        fail_msg("%.9g is not %.9g", a, b);
    }
}

/* An arm along x of two joints, the elbow at 1; rings of radius 0.1 around its middle, half and
 * half. */
enum { RING = 16 };
static float positions[3 * RING];
static uint16_t joints[2 * RING];
static float weights[2 * RING];
static character_joint skeleton[2];
static character arm = {.vertices = RING,
                        .influences = 2,
                        .positions = positions,
                        .joints = joints,
                        .weights = weights,
                        .skeleton = skeleton,
                        .joint_count = 2};

static int make_arm(void **state) {
    (void)state;
    for (int i = 0; i < RING; i++) {
        double angle = 2.0 * pi * i / RING;
        positions[3 * i] = 1.0f;
        positions[3 * i + 1] = (float)(0.1 * cos(angle));
        positions[3 * i + 2] = (float)(0.1 * sin(angle));
        joints[2 * i + 1] = 1;
        weights[2 * i] = weights[2 * i + 1] = 0.5f;
    }
    return 0;
}

/* The second joint turns about an axis through the elbow, times a scale. */
static void bend(quat turn, double scale, affine out[2]) {
    transform there = transform_identity, back = transform_identity;
    there.translation[0] = 1.0;
    there.rotation = turn;
    there.scale[0] = there.scale[1] = there.scale[2] = scale;
    back.translation[0] = -1.0;
    affine to = affine_from_transform(&there), from = affine_from_transform(&back);
    out[0] = affine_from_transform(&transform_identity);
    out[1] = affine_multiply(&to, &from);
}

static quat about(int axis, double degrees) {
    double s = sin(degrees * pi / 360.0);
    return (quat){axis == 0 ? s : 0.0, axis == 1 ? s : 0.0, axis == 2 ? s : 0.0,
                  cos(degrees * pi / 360.0)};
}

static void skin_both(const affine matrices[2], float *linear, float *dual) {
    skin_rows rows[2];
    skin_joint duals[2];
    skin_rows_from_affine(matrices, 2, rows);
    skin_joints_from_rows(rows, 2, duals);
    character_skin_linear(&arm, positions, rows, 0, RING, linear);
    character_skin_dual(&arm, positions, duals, 0, RING, dual);
}

static double radius(const float *p) {
    return sqrt(pow((double)p[0] - 1.0, 2.0) + pow((double)p[1], 2.0) + pow((double)p[2], 2.0));
}

/* Twisted by 180 degrees, the mean of the matrices is flat: a candy wrapper. Bent by 90 degrees it
 * is thinner by the cosine of 45. Dual quaternions keep the radius. */
static void linear_blend_collapses_and_dual_quaternions_do_not(void **state) {
    (void)state;
    float linear[3 * RING], dual[3 * RING];
    affine matrices[2];
    bend(about(0, 90.0), 1.0, matrices);
    skin_both(matrices, linear, dual);
    for (int i = 0; i < RING; i++) {
        assert_near(radius(linear + 3 * i), 0.1 * sqrt(0.5), 1e-6);
        assert_near(radius(dual + 3 * i), 0.1, 1e-6);
        double angle = 2.0 * pi * i / RING + pi / 4.0;
        assert_near((double)dual[3 * i + 1], 0.1 * cos(angle), 1e-6);
        assert_near((double)dual[3 * i + 2], 0.1 * sin(angle), 1e-6);
    }
    bend(about(0, 179.0), 1.0, matrices);
    skin_both(matrices, linear, dual);
    for (int i = 0; i < RING; i++) {
        assert_near(radius(linear + 3 * i), 0.1 * cos(89.5 * pi / 180.0), 1e-6);
        assert_near(radius(dual + 3 * i), 0.1, 1e-6);
    }
    bend(about(2, 90.0), 1.0, matrices);
    skin_both(matrices, linear, dual);
    for (int i = 0; i < RING; i++) {
        assert_near(radius(dual + 3 * i), 0.1, 1e-6);
    }
}

/* ---- a plain reference --------------------------------------------------------------------------
 */

typedef struct dual_quat {
    quat real, dual;
} dual_quat;

static dual_quat dual_from(quat turn, const double way[3]) {
    quat half = {0.5 * way[0], 0.5 * way[1], 0.5 * way[2], 0.0};
    return (dual_quat){turn, quat_multiply(half, turn)};
}

static void reference(const dual_quat *q, const double *w, int count, const double in[3],
                      double out[3]) {
    double sum[8] = {0};
    for (int i = 0; i < count; i++) {
        const double *first = &q[0].real.x, *own = &q[i].real.x;
        double dot = 0.0;
        for (int k = 0; k < 4; k++) {
            dot += first[k] * own[k];
        }
        for (int k = 0; k < 8; k++) {
            sum[k] += (dot < 0.0 ? -w[i] : w[i]) * own[k];
        }
    }
    double length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2] + sum[3] * sum[3]);
    quat real = {sum[0] / length, sum[1] / length, sum[2] / length, sum[3] / length};
    quat dual = {sum[4] / length, sum[5] / length, sum[6] / length, sum[7] / length};
    quat way = quat_multiply(dual, quat_conjugate(real));
    quat_rotate(real, in, out);
    out[0] += 2.0 * way.x;
    out[1] += 2.0 * way.y;
    out[2] += 2.0 * way.z;
}

static double noise(void) {
    static uint32_t seed = 1;
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / 8388608.0 - 1.0;
}

/* Also with every second quaternion replaced by its opposite, which is the same turn. */
static void both_ways_agree_with_the_reference(void **state) {
    (void)state;
    for (int round = 0; round < 2000; round++) {
        enum { COUNT = 5 };
        skin_rows sum = skin_rows_zero();
        skin_joint duals = {skin_motion_zero(), skin_rows_zero()}, first = {0};
        dual_quat plain[COUNT];
        double w[COUNT], total = 0.0, at[3] = {noise(), noise(), noise()}, expected[3];
        double mean[3] = {0.0, 0.0, 0.0};
        transform joint[COUNT];
        for (int i = 0; i < COUNT; i++) {
            joint[i] = transform_identity;
            joint[i].rotation = quat_normalize((quat){noise(), noise(), noise(), 0.3 + noise()});
            for (int k = 0; k < 3; k++) {
                joint[i].translation[k] = noise();
            }
            w[i] = 0.1 + fabs(noise());
            total += w[i];
        }
        for (int i = 0; i < COUNT; i++) {
            affine a = affine_from_transform(&joint[i]);
            skin_rows rows;
            skin_joint one;
            double moved[3];
            w[i] /= total;
            skin_rows_from_affine(&a, 1, &rows);
            skin_joints_from_rows(&rows, 1, &one);
            if (i % 2) {
                one.motion.real = skin_madd(skin_zero(), one.motion.real, -1.0f);
                one.motion.dual = skin_madd(skin_zero(), one.motion.dual, -1.0f);
            }
            first = i == 0 ? one : first;
            sum = skin_rows_add(sum, (float)w[i], rows);
            duals.motion =
                skin_motion_add(duals.motion, first.motion.real, (float)w[i], one.motion);
            duals.stretch = skin_rows_add(duals.stretch, (float)w[i], one.stretch);
            plain[i] = dual_from(joint[i].rotation, joint[i].translation);
            affine_apply(&a, at, moved);
            for (int k = 0; k < 3; k++) {
                mean[k] += w[i] * moved[k];
            }
        }
        v3 p = v3_make((float)at[0], (float)at[1], (float)at[2]);
        v3 linear = skin_rows_apply(sum, p),
           dual = skin_joint_apply(duals.motion, duals.stretch, p);
        assert_near((double)linear.x, mean[0], 2e-6);
        assert_near((double)linear.y, mean[1], 2e-6);
        assert_near((double)linear.z, mean[2], 2e-6);
        double size = sqrt((double)skin_dot(duals.motion.real, duals.motion.real));
        reference(plain, w, COUNT, at, expected);
        assert_near((double)dual.x, expected[0], 4e-6 / size);
        assert_near((double)dual.y, expected[1], 4e-6 / size);
        assert_near((double)dual.z, expected[2], 4e-6 / size);
    }
}

/* A vertex with one joint is moved by exactly its matrix, whatever that is. */
static void dual_quaternions_know_scales(void **state) {
    (void)state;
    const double scales[][3] = {{2, 2, 2}, {0.5, 1, 3}, {-1, 1, 1}, {1, 0, 1}, {0.01, 0.01, 0.01}};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        transform t = transform_identity;
        t.rotation = quat_normalize((quat){0.1, -0.7, 0.3, 0.2});
        memcpy(t.scale, scales[i], sizeof t.scale);
        t.translation[1] = 3.0;
        affine a = affine_from_transform(&t);
        skin_rows rows;
        skin_joint joint;
        double at[3] = {0.3, 0.5, -0.7}, expected[3];
        skin_rows_from_affine(&a, 1, &rows);
        skin_joints_from_rows(&rows, 1, &joint);
        v3 moved = skin_joint_apply(joint.motion, joint.stretch, v3_make(0.3f, 0.5f, -0.7f));
        affine_apply(&a, at, expected);
        assert_near((double)moved.x, expected[0], 2e-6);
        assert_near((double)moved.y, expected[1], 2e-6);
        assert_near((double)moved.z, expected[2], 2e-6);
    }
    /* Scaling without turning is linear. */
    float linear[3 * RING], dual[3 * RING];
    affine matrices[2];
    bend(quat_identity, 2.0, matrices);
    skin_both(matrices, linear, dual);
    for (int i = 0; i < RING; i++) {
        assert_near(radius(dual + 3 * i), 0.15, 1e-6);
        assert_near(radius(linear + 3 * i), 0.15, 1e-6);
    }
}

static void targets_are_added(void **state) {
    (void)state;
    uint32_t moved[] = {1, 3};
    float deltas[] = {1, 0, 0, 0, 2, 0};
    character_target target = {0.0f, 2, moved, deltas};
    character c = arm;
    float out[3 * RING], half = 0.5f;
    c.targets = &target;
    c.target_count = 1;
    character_morph(&c, &half, out);
    for (int i = 0; i < RING; i++) {
        assert_near((double)out[3 * i], i == 1 ? 1.5 : 1.0, 1e-7);
        assert_near((double)out[3 * i + 1], (double)positions[3 * i + 1] + (i == 3 ? 1.0 : 0.0),
                    1e-7);
    }
}

/* A hundred joints for one vertex; and the same bits however vertices are shared. */
static void many_influences_work(void **state) {
    (void)state;
    enum { MANY = 100, VERTICES = 7 };
    static uint16_t numbers[MANY * VERTICES];
    static float shares[MANY * VERTICES], at[3 * VERTICES];
    static skin_rows rows[MANY];
    static skin_joint duals[MANY];
    for (int j = 0; j < MANY; j++) {
        transform t = transform_identity;
        t.translation[0] = j;
        affine a = affine_from_transform(&t);
        skin_rows_from_affine(&a, 1, &rows[j]);
    }
    skin_joints_from_rows(rows, MANY, duals);
    for (int i = 0; i < MANY * VERTICES; i++) {
        numbers[i] = (uint16_t)(i % MANY);
        shares[i] = 1.0f / MANY;
    }
    character c = {.vertices = VERTICES,
                   .influences = MANY,
                   .positions = at,
                   .joints = numbers,
                   .weights = shares};
    float linear[3 * VERTICES], dual[3 * VERTICES], parts[3 * VERTICES];
    character_skin_linear(&c, at, rows, 0, VERTICES, linear);
    character_skin_dual(&c, at, duals, 0, VERTICES, dual);
    character_skin_dual(&c, at, duals, 3, VERTICES, parts);
    character_skin_dual(&c, at, duals, 0, 3, parts);
    assert_memory_equal(dual, parts, sizeof dual);
    for (int v = 0; v < VERTICES; v++) {
        assert_near((double)linear[3 * v], 49.5, 1e-4);
        assert_near((double)dual[3 * v], 49.5, 1e-4);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_blend_collapses_and_dual_quaternions_do_not),
        cmocka_unit_test(both_ways_agree_with_the_reference),
        cmocka_unit_test(dual_quaternions_know_scales),
        cmocka_unit_test(targets_are_added),
        cmocka_unit_test(many_influences_work),
    };
    return cmocka_run_group_tests(tests, make_arm, NULL);
}
