/* One constraint of the multilevel solver by itself: what an edge does to its two ends. */
#include "levels.h"

#include "kernel/distance.h"

typedef struct edge {
    double a[3], b[3];
    float wa, wb, rest, weight, compliance, multiplier;
} edge;

static double edge_length(const edge *e) {
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        sum += (e->b[k] - e->a[k]) * (e->b[k] - e->a[k]);
    }
    return sqrt(sum);
}

static edge random_edge(void) {
    edge e = {.rest = 0.02f};
    for (int k = 0; k < 3; k++) {
        e.a[k] = 0.02 * (double)random_float();
        e.b[k] = 0.02 * (double)random_float();
    }
    e.wa = 2000.0f + 1500.0f * random_float();
    e.wb = 2000.0f + 1500.0f * random_float();
    e.weight = 0.6f + 0.4f * random_float();
    e.compliance = 3000.0f + 2900.0f * random_float();
    return e;
}

/* Moves both ends as the passes do; longest: INFINITY for no limit. Returns the pull. */
static double relax(edge *e, float longest) {
    float length = (float)edge_length(e), masses = e->wa + e->wb;
    float change =
        distance_change(length, e->rest, e->weight, e->multiplier, e->compliance, masses);
    double pull = (double)distance_pull(e->weight * change, length, longest, masses);
    e->multiplier += change;
    double along = pull / edge_length(e);
    for (int k = 0; k < 3; k++) {
        double d = e->b[k] - e->a[k];
        e->a[k] += along * (double)e->wa * d;
        e->b[k] -= along * (double)e->wb * d;
    }
    return pull;
}

/* An end moves by w L times the gradient of C = length - rest, seen from differences of C. */
static void test_moves_follow_the_gradient(void **state) {
    (void)state;
    for (int round = 0; round < 100; round++) {
        edge e = random_edge(), after = e;
        relax(&after, INFINITY);
        for (int k = 0; k < 3; k++) {
            const double step = 1e-7;
            edge more = e, less = e;
            more.a[k] += step;
            less.a[k] -= step;
            double gradient = (edge_length(&more) - edge_length(&less)) / (2.0 * step);
            double wanted = (double)(e.wa * e.weight) * (double)after.multiplier * gradient;
            assert_near(after.a[k] - e.a[k], wanted, 1e-6 * 0.02);
        }
    }
}

/* Macklin et al. 2016: whatever it began with, an edge ends at C = -a L: Hooke's law. */
static void test_compliance_ends_at_hookes_law(void **state) {
    (void)state;
    for (int round = 0; round < 100; round++) {
        edge e = random_edge();
        for (int i = 0; i < 3; i++) {
            relax(&e, INFINITY);
            double excess = edge_length(&e) - (double)e.rest;
            assert_near(excess, -(double)e.compliance * (double)e.multiplier, 1e-5 * 0.02);
        }
    }
}

/* Schmitt eq. (1) with k = 1: both ends move in the ratio of their inverse masses until the edge
 * has its length; with a smaller k, by that share. */
static void test_without_compliance_it_is_equation_1(void **state) {
    (void)state;
    for (int round = 0; round < 100; round++) {
        edge e = random_edge(), before = e;
        e.compliance = 0.0f;
        e.weight = 1.0f;
        float change =
            distance_change((float)edge_length(&e), e.rest, 1.0f, 0.0f, 0.0f, e.wa + e.wb);
        double excess = edge_length(&e) - (double)e.rest;
        assert_near(-(double)e.wa * (double)change, (double)(e.wa / (e.wa + e.wb)) * excess, 1e-8);
        relax(&e, INFINITY);
        assert_near(edge_length(&e), (double)e.rest, 1e-7);
        for (int k = 0; k < 3; k++) {
            double momentum =
                (e.a[k] - before.a[k]) / (double)e.wa + (e.b[k] - before.b[k]) / (double)e.wb;
            assert_near(momentum, 0.0, 1e-12);
        }
    }
}

/* An edge that is too long for its limit gets there at once; one that is not feels none of it. */
static void test_limit(void **state) {
    (void)state;
    int limited = 0, free = 0;
    for (int round = 0; round < 200; round++) {
        edge e = random_edge(), plain = e;
        float longest = 1.1f * e.rest;
        double length = edge_length(&e);
        double pull = relax(&e, longest), soft = relax(&plain, INFINITY);
        if (length < (double)longest || edge_length(&plain) < (double)longest) {
            assert_near(pull, soft, 1e-9 * fabs(soft));
            free++;
        } else {
            assert_near(edge_length(&e), (double)longest, 1e-7);
            limited++;
        }
        assert_near((double)e.multiplier, (double)plain.multiplier, 0.0);
    }
    assert_true(limited > 20 && free > 20);
}

/* Edges of coarse levels pull, and give back what they have pulled, but never push, nor give back
 * what was pulled before they began. */
static void test_coarse_edges_never_push(void **state) {
    (void)state;
    const float rest = 0.02f, masses = 3000.0f, half = 0.5f;
    assert_true(distance_change_pull(0.019f, rest, half, 0.0f, 100.0f, masses, 1.0f, 0.0f) == 0.0f);
    assert_true(distance_change_pull(0.001f, rest, half, -1e-7f, 100.0f, masses, 1.0f, 0.0f) ==
                1e-7f);
    assert_true(distance_change_pull(0.001f, rest, half, -1e-7f, 100.0f, masses, 1.0f, -1e-7f) ==
                0.0f);
    float pulls = distance_change_pull(0.021f, rest, half, 0.0f, 100.0f, masses, 1.0f, 0.0f);
    assert_true(pulls == distance_change(0.021f, rest, half, 0.0f, 100.0f, masses));
    assert_true(pulls < 0.0f);
}

/* Two ends that do not move, and two that are in one place. */
static void test_degenerate_edges(void **state) {
    (void)state;
    float change = distance_change(0.03f, 0.02f, 1.0f, 0.0f, 0.0f, 0.0f);
    assert_true(isfinite(change) && isfinite(distance_pull(change, 0.03f, 0.025f, 0.0f)));
    v3 nowhere = v3_make(0.0f, 0.0f, 0.0f);
    float inverse = v3_inverse_length(nowhere), length = v3_dot(nowhere, nowhere) * inverse;
    assert_true(isfinite(inverse) && length == 0.0f);
    assert_true(isfinite(distance_change(length, 0.02f, 1.0f, 0.0f, 10.0f, 1e6f) * inverse));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moves_follow_the_gradient),
        cmocka_unit_test(test_compliance_ends_at_hookes_law),
        cmocka_unit_test(test_without_compliance_it_is_equation_1),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_coarse_edges_never_push),
        cmocka_unit_test(test_degenerate_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
