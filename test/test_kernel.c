/* The formulas of src/kernel by themselves: forces against finite differences of their energies,
 * shapes against the definition of distance, and degenerate input. */
#include "worlds.h"

#include "kernel/bend.h"
#include "kernel/coarsest.h"
#include "kernel/contact.h"
#include "kernel/gradients.h"
#include "kernel/limit.h"
#include "kernel/link.h"
#include "kernel/repel.h"
#include "kernel/shape.h"
#include "kernel/spring.h"
#include "kernel/wind.h"

/* A repeatable number from -1 to 1. */
static float noise(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 8388608.0f - 1.0f;
}

static v3 noise_v3(unsigned *seed) {
    float x = noise(seed), y = noise(seed), z = noise(seed);
    return v3_make(x, y, z);
}

static float component(v3 a, int axis) {
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

static v3 along(int axis, float amount) {
    return v3_make(axis == 0 ? amount : 0.0f, axis == 1 ? amount : 0.0f, axis == 2 ? amount : 0.0f);
}

/* Central differences of a float energy are good to the cube root of its rounding: about 1 %. */
static const double DIFFERENCE = 0.01;

static void test_spring_is_gradient_of_energy(void **state) {
    (void)state;
    unsigned seed = 1;
    for (int i = 0; i < 50; i++) {
        v3 to = v3_add(noise_v3(&seed), v3_make(1.5f, 0.0f, 0.0f));
        v3 force = spring_force(to, v3_make(0.0f, 0.0f, 0.0f), 1.0f, 3.0f, 0.1f);
        for (int axis = 0; axis < 3; axis++) {
            const float h = 5e-3f;
            double up = (double)spring_energy(v3_add(to, along(axis, h)), 1.0f, 3.0f);
            double down = (double)spring_energy(v3_add(to, along(axis, -h)), 1.0f, 3.0f);
            /* moving the neighbour away stores the work done against the force on the texel */
            assert_near((double)component(force, axis), (up - down) / (2.0 * (double)h),
                        DIFFERENCE * 3.0);
        }
    }
}

static void test_spring_damping_opposes_motion_along_it(void **state) {
    (void)state;
    v3 to = v3_make(1.0f, 0.0f, 0.0f);
    v3 across = spring_force(to, v3_make(0.0f, 5.0f, 0.0f), 1.0f, 10.0f, 0.1f);
    assert_near((double)v3_dot(across, across), 0.0, 0.0);
    v3 parting = spring_force(to, v3_make(2.0f, 0.0f, 0.0f), 1.0f, 10.0f, 0.1f);
    assert_near((double)parting.x, 10.0 * 0.1 * 2.0, 1e-6);
}

static void test_spring_of_no_length_is_finite(void **state) {
    (void)state;
    v3 zero = v3_make(0.0f, 0.0f, 0.0f);
    v3 force = spring_force(zero, zero, 1.0f, 1e6f, 0.1f);
    assert_true(isfinite(force.x) && isfinite(force.y) && isfinite(force.z));
}

/* Energy of three second differences of a thread of five texels. */
static double thread_energy(const v3 x[5], const float w[3]) {
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        v3 d = bend_along(x[i], x[i + 1], x[i + 2]);
        sum += 0.5 * (double)w[i] * (double)v3_dot(d, d);
    }
    return sum;
}

static void test_bending_is_gradient_of_energy(void **state) {
    (void)state;
    unsigned seed = 2;
    for (int i = 0; i < 50; i++) {
        v3 x[5];
        for (int k = 0; k < 5; k++) {
            x[k] = noise_v3(&seed);
        }
        float w[3] = {bend_weight(0.0f, 1.0f), bend_weight(0.5f, 1.0f), bend_weight(1.0f, 1.0f)};
        v3 gradient = bend_gradient(bend_along(x[0], x[1], x[2]), bend_along(x[1], x[2], x[3]),
                                    bend_along(x[2], x[3], x[4]), w[0], w[1], w[2]);
        for (int axis = 0; axis < 3; axis++) {
            const float h = 1e-2f;
            v3 up[5], down[5];
            for (int k = 0; k < 5; k++) {
                up[k] = k == 2 ? v3_add(x[k], along(axis, h)) : x[k];
                down[k] = k == 2 ? v3_add(x[k], along(axis, -h)) : x[k];
            }
            double slope = (thread_energy(up, w) - thread_energy(down, w)) / (2.0 * (double)h);
            assert_near((double)component(gradient, axis), slope, DIFFERENCE);
        }
    }
}

static void test_bending_of_a_rigid_motion_is_nothing(void **state) {
    (void)state;
    v3 step = v3_make(0.01f, 0.02f, -0.005f), x[3];
    for (int k = 0; k < 3; k++) {
        x[k] = v3_madd(v3_make(1.0f, 2.0f, 3.0f), step, (float)k);
    }
    v3 d = bend_along(x[0], x[1], x[2]);
    assert_below(sqrt((double)v3_dot(d, d)), 1e-6);
}

static void test_limit_brings_a_thread_back(void **state) {
    (void)state;
    const float dt = 0.01f, longest = 1.05f, own = 2.0f, other = 6.0f;
    v3 to = v3_make(1.04f, 0.0f, 0.0f), rate = v3_make(5.0f, 1.0f, 0.0f);
    v3 mine = limit_correction(to, rate, longest, dt, own, other);
    v3 back = v3_make(-to.x, -to.y, -to.z), back_rate = v3_make(-rate.x, -rate.y, -rate.z);
    v3 yours = limit_correction(back, back_rate, longest, dt, other, own);
    /* momentum is kept: masses are 1/own and 1/other */
    assert_near((double)(mine.x / own + yours.x / other), 0.0, 1e-6);
    v3 end = v3_madd(to, v3_add(rate, v3_sub(yours, mine)), dt);
    assert_near(sqrt((double)v3_dot(end, end)), (double)longest, 1e-5);
    v3 shrinking = limit_correction(to, v3_make(-1.0f, 0.0f, 0.0f), longest, dt, own, other);
    assert_near((double)v3_dot(shrinking, shrinking), 0.0, 0.0);
    v3 pinned = limit_correction(to, rate, longest, dt, 0.0f, other);
    assert_near((double)v3_dot(pinned, pinned), 0.0, 0.0);
}

static void test_limit_stops_growth_at_the_limit(void **state) {
    (void)state;
    const float longest = 1.05f, own = 2.0f, other = 6.0f;
    v3 to = v3_make(0.0f, longest, 0.0f), rate = v3_make(1.0f, 4.0f, 0.0f);
    v3 mine = limit_rate_correction(to, rate, longest, own, other);
    assert_near((double)mine.y, 4.0 * 2.0 / 8.0, 1e-6); /* its share of the rate along the thread */
    assert_near((double)mine.x, 0.0, 0.0);
    v3 shrinking = limit_rate_correction(to, v3_make(0.0f, -4.0f, 0.0f), longest, own, other);
    assert_near((double)v3_dot(shrinking, shrinking), 0.0, 0.0);
    v3 slack = limit_rate_correction(v3_make(0.0f, 1.0f, 0.0f), rate, longest, own, other);
    assert_near((double)v3_dot(slack, slack), 0.0, 0.0);
}

/* Two pinned texels, two absent ones in the same place, and the smallest substep there is. */
static void test_limit_of_immobile_ends_is_nothing(void **state) {
    (void)state;
    const v3 apart = v3_make(2.0f, 0.0f, 0.0f), together = v3_make(0.0f, 0.0f, 0.0f);
    v3 all[4] = {limit_correction(apart, apart, 1.0f, 1e-7f, 0.0f, 0.0f),
                 limit_correction(together, together, 1.0f, 1e-7f, 0.0f, 0.0f),
                 limit_rate_correction(apart, apart, 1.0f, 0.0f, 0.0f),
                 limit_rate_correction(together, together, 1.0f, 0.0f, 0.0f)};
    for (int i = 0; i < 4; i++) {
        assert_near((double)v3_dot(all[i], all[i]), 0.0, 0.0);
    }
}

typedef v4 shape_function(v3 p, v3 size);

/* The normal is a unit vector along which the distance grows with slope one. */
static void check_distance(shape_function *shape, v3 size, double near, double tolerance) {
    unsigned seed = 3;
    int checked = 0;
    for (int i = 0; i < 20000; i++) {
        v3 p = v3_scale(noise_v3(&seed), 1.5f);
        v4 hit = shape(p, size);
        if (fabs((double)hit.w) > near) {
            continue;
        }
        v3 normal = v4_xyz(hit);
        assert_near(sqrt((double)v3_dot(normal, normal)), 1.0, 1e-5);
        v4 foot = shape(v3_madd(p, normal, -hit.w), size);
        assert_near((double)foot.w, 0.0, tolerance);
        checked++;
    }
    assert_true(checked > 20);
}

static void test_shapes_give_the_way_to_their_surface(void **state) {
    (void)state;
    check_distance(sphere_distance, v3_make(0.7f, 0.0f, 0.0f), 1.0, 1e-5);
    check_distance(capsule_distance, v3_make(0.3f, 0.5f, 0.0f), 1.0, 1e-5);
    check_distance(plane_distance, v3_make(0.0f, 0.0f, 0.0f), 1.0, 1e-6);
    check_distance(box_distance, v3_make(0.4f, 0.6f, 0.5f), 1.0, 1e-5);
    /* first order: the foot of a point at distance d misses by about d^2 over the radius */
    check_distance(ellipsoid_distance, v3_make(0.8f, 0.5f, 0.6f), 0.02, 2e-3);
    check_distance(ellipsoid_distance, v3_make(0.7f, 0.7f, 0.7f), 1.0, 1e-5);
}

static void test_shapes_know_inside_from_outside(void **state) {
    (void)state;
    v3 size = v3_make(0.5f, 0.5f, 0.5f), origin = v3_make(0.0f, 0.0f, 0.0f),
       away = v3_make(3.0f, 3.0f, 3.0f);
    shape_function *const solids[] = {sphere_distance, capsule_distance, box_distance,
                                      ellipsoid_distance};
    for (int i = 0; i < 4; i++) {
        v4 inside = solids[i](origin, size), outside = solids[i](away, size);
        assert_true(inside.w < 0.0f && outside.w > 0.0f);
        v3 n = v4_xyz(inside);
        assert_near((double)v3_dot(n, n), 1.0, 1e-5);
    }
    assert_near((double)box_distance(v3_make(0.9f, 0.8f, 0.0f), size).w, 0.5, 1e-6);
}

static const v3 UP = {0.0f, 1.0f, 0.0f}, STILL = {0.0f, 0.0f, 0.0f};

static void test_contact_is_reached_or_not(void **state) {
    (void)state;
    v3 falling = v3_make(0.0f, -2.0f, 0.0f);
    assert_true(contact_reached(falling, UP, 0.01f, STILL, 0.01f));
    assert_false(contact_reached(falling, UP, 0.03f, STILL, 0.01f));
    assert_false(contact_reached(v3_make(1.0f, 2.0f, 0.0f), UP, 0.0f, STILL, 0.01f));
    assert_true(contact_reached(STILL, UP, 0.01f, v3_make(0.0f, 2.0f, 0.0f), 0.01f));
}

/* The end of the substep is the same as if the contact had been resolved when it happened. */
static void test_contact_ends_where_it_should(void **state) {
    (void)state;
    const float gaps[3] = {0.0f, 0.005f, 0.019f}, reflections[3] = {0.0f, 0.5f, 1.0f}, dt = 0.01f;
    v3 falling = v3_make(0.0f, -2.0f, 0.0f);
    for (int i = 0; i < 9; i++) {
        float gap = gaps[i % 3], reflection = reflections[i / 3];
        v3 after = contact_velocity(falling, UP, STILL, true, 0.0f, 0.0f, reflection);
        assert_near((double)after.y, 2.0 * (double)reflection, 1e-6);
        double end = (double)(gap + contact_shift(gap, true, reflection) + after.y * dt);
        double time_left = (double)dt - (double)gap / 2.0;
        assert_near(end, 2.0 * (double)reflection * time_left, 1e-6);
    }
    assert_near((double)contact_shift(-0.003f, false, 0.5f), 0.003, 1e-9);
    assert_near((double)contact_shift(0.003f, false, 0.5f), 0.0, 0.0);
}

/* A plane that rises: the gap at the start of the substep is measured to where it is then. */
static void test_contact_gap_is_that_of_the_start(void **state) {
    (void)state;
    v3 x = v3_make(0.0f, 0.05f, 0.0f), ahead = v3_make(0.1f, 0.03f, 0.0f);
    float end_gap = 0.03f - 0.01f; /* the plane has risen from 0 to 0.01 */
    float gap = contact_gap(x, ahead, end_gap, UP, v3_make(0.0f, 1.0f, 0.0f), 0.01f);
    assert_near((double)gap, 0.05, 1e-7);
}

static void test_contact_friction_is_coulombs(void **state) {
    (void)state;
    v3 sliding = v3_make(3.0f, -2.0f, 0.0f);
    v3 slowed = contact_velocity(sliding, UP, STILL, true, 0.0f, 0.5f, 0.0f);
    assert_near((double)slowed.x, 3.0 - 0.5 * 2.0, 1e-6);
    v3 stuck = contact_velocity(sliding, UP, STILL, true, 0.0f, 2.0f, 0.0f);
    assert_near((double)stuck.x, 0.0, 1e-7);
    v3 belt = v3_make(1.0f, 0.0f, 0.0f);
    v3 carried = contact_velocity(v3_make(0.0f, -2.0f, 0.0f), UP, belt, true, 0.0f, 2.0f, 0.0f);
    assert_near((double)carried.x, 1.0, 1e-6);
}

static void test_contact_surface_turns_with_the_body(void **state) {
    (void)state;
    v3 v = contact_surface_velocity(v3_make(1.0f, 0.0f, 0.0f), v3_make(0.0f, 0.0f, 2.0f),
                                    v3_make(0.0f, 0.5f, 0.0f));
    assert_near((double)v.x, 0.0, 1e-7);
}

static void test_wind_pushes_what_faces_it(void **state) {
    (void)state;
    v3 a = v3_make(0.0f, 0.0f, 0.0f), b = v3_make(1.0f, 0.0f, 0.0f), c = v3_make(0.0f, 1.0f, 0.0f);
    v3 head_on = wind_force(a, b, c, v3_make(0.0f, 0.0f, 3.0f), 0.6f, 0.4f);
    assert_near((double)head_on.z, 0.6 * 0.5 * 9.0, 1e-5); /* drag * area * speed^2 */
    v3 from_behind = wind_force(a, b, c, v3_make(0.0f, 0.0f, -3.0f), 0.6f, 0.4f);
    assert_near((double)from_behind.z, -(double)head_on.z, 1e-6);
    v3 edge_on = wind_force(a, b, c, v3_make(3.0f, 0.0f, 0.0f), 0.6f, 0.4f);
    assert_near((double)v3_dot(edge_on, edge_on), 0.0, 1e-12);
    v3 slanted = wind_force(a, b, c, v3_make(2.0f, 0.0f, 2.0f), 0.0f, 0.4f);
    assert_near((double)(slanted.x + slanted.z), 0.0, 1e-6); /* lift is across the wind */
    assert_true(slanted.z > 0.0f);
    v3 calm = wind_force(a, b, c, STILL, 0.6f, 0.4f);
    assert_near((double)v3_dot(calm, calm), 0.0, 0.0);
    v3 flat = wind_force(a, b, b, v3_make(0.0f, 0.0f, 3.0f), 0.6f, 0.4f);
    assert_near((double)v3_dot(flat, flat), 0.0, 1e-12);
}

static void test_wind_takes_nothing_beyond_itself(void **state) {
    (void)state;
    v3 wind = v3_make(0.0f, 0.0f, 3.0f), force = v3_make(0.0f, 0.0f, 100.0f);
    v3 limited = wind_limit(force, wind, 0.01f, 0.01f);
    assert_near((double)limited.z * 0.01 / 0.01, 3.0,
                1e-5); /* impulse over mass: the wind's speed */
    v3 light = wind_limit(v3_make(0.0f, 0.0f, 1.0f), wind, 0.01f, 0.01f);
    assert_near((double)light.z, 1.0, 0.0);
    v3 calm = wind_limit(STILL, STILL, 0.01f, 0.01f);
    assert_near((double)v3_dot(calm, calm), 0.0, 0.0);
}

/* A row of a block, number by number, is what it makes of a vector. */
static void test_coarsest_numbers_are_those_of_the_block(void **state) {
    (void)state;
    unsigned seed = 7;
    const block b = block_make(noise_v3(&seed), noise_v3(&seed));
    const float numbers[6] = {b.diagonal.x, b.diagonal.y, b.diagonal.z,
                              b.sides.x,    b.sides.y,    b.sides.z};
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            const v3 made = block_times(b, along(column, 1.0f));
            assert_true(coarsest_from(b, row, column) == component(made, row));
            assert_true(numbers[coarsest_number(row, column)] == component(made, row));
        }
    }
}

/* The first texel of a spring is below it or left of it, and both cells have the two ends of a yarn
 * as corners; a diagonal is in one. */
static void test_links_lie_between_their_cells(void **state) {
    (void)state;
    const int up = 100;
    for (int q = 0; q < SYSTEM_LINKS; q++) {
        const int cells[2] = {link_cell(q), link_other_cell(q, up)};
        assert_true(link_to(q, up) == link_along(q) * up + link_across(q));
        assert_true((cells[0] == cells[1]) == (q == SYSTEM_RISE || q == SYSTEM_LEFT));
        for (int c = 0; c < 2; c++) {
            const int corners[4] = {cells[c], cells[c] + 1, cells[c] + up, cells[c] + up + 1};
            int ends = 0;
            for (int k = 0; k < 4; k++) {
                ends += corners[k] == 0 || corners[k] == link_to(q, up);
            }
            assert_int_equal(ends, 2);
        }
    }
}

static void test_iterations_end_when_they_take_little(void **state) {
    (void)state;
    assert_true(gradients_end(0.9, 0.01, 100.0, 0.0, 50.0)); /* of the motion */
    assert_false(gradients_end(1.1, 0.01, 100.0, 0.0, 50.0));
    assert_true(gradients_end(0.9e-4, 0.0, 100.0, 1e-4, 1.0)); /* of the gain */
    assert_false(gradients_end(1.1e-4, 0.0, 100.0, 1e-4, 1.0));
    assert_true(gradients_end(0.9, 0.001, 100.0, 0.02, 50.0)); /* of the one that is more */
    assert_true(gradients_end((double)NAN, 0.01, 100.0, 0.0, 50.0));
    assert_true(gradients_settle(0.9, 0.01, 100.0, 1.0f, 0.0f));
    assert_false(gradients_settle(1.1, 0.01, 100.0, 1.0f, 0.0f));
    assert_true(gradients_settle(1.1, 0.01, 100.0, 0.0f, 0.0f)); /* nothing moved */
    assert_false(gradients_settle(0.9, 0.01, 100.0, 2e-5f, 1e-5f));
    assert_true(gradients_settle(1.1, 0.01, 100.0, 0.9e-5f, 1e-5f));
    assert_true(gradients_ratio(1.0, 0.0) == 0.0);
    assert_true(gradients_motion(1.0, 2.0, 3.0) == 18.0);
    assert_true(gradients_inner(9.0, 1.0, 2.0, 2.0, 3.0) == 6.0);
}

/* The block of a spring that repels is the derivative of its force. */
static void test_repelling_grows_with_depth(void **state) {
    (void)state;
    const v3 n = along(1, 1.0f);
    const float rest = 0.01f, stiffness = 5.0f, closer = 1e-3f;
    const float deep = repel_depth(v3_scale(n, rest - closer), n, rest);
    assert_float_equal(deep, closer, 1e-8);
    assert_true(repel_acting(stiffness, deep) == stiffness);
    assert_true(repel_acting(stiffness, repel_depth(v3_scale(n, 2.0f * rest), n, rest)) == 0.0f);
    const repelled r = repel_add(repel_none(), n, stiffness, deep);
    const v3 gives = block_times(r.matrix, v3_scale(n, deep));
    assert_float_equal(r.force.y, gives.y, 1e-8);
    assert_float_equal(r.force.y, stiffness * closer, 1e-8);
    const v3 other = repel_product(along(0, 0.0f), n, stiffness, v3_scale(n, deep));
    assert_float_equal(other.y, -gives.y, 1e-8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spring_is_gradient_of_energy),
        cmocka_unit_test(test_spring_damping_opposes_motion_along_it),
        cmocka_unit_test(test_spring_of_no_length_is_finite),
        cmocka_unit_test(test_bending_is_gradient_of_energy),
        cmocka_unit_test(test_bending_of_a_rigid_motion_is_nothing),
        cmocka_unit_test(test_limit_brings_a_thread_back),
        cmocka_unit_test(test_limit_stops_growth_at_the_limit),
        cmocka_unit_test(test_limit_of_immobile_ends_is_nothing),
        cmocka_unit_test(test_shapes_give_the_way_to_their_surface),
        cmocka_unit_test(test_shapes_know_inside_from_outside),
        cmocka_unit_test(test_contact_is_reached_or_not),
        cmocka_unit_test(test_contact_ends_where_it_should),
        cmocka_unit_test(test_contact_gap_is_that_of_the_start),
        cmocka_unit_test(test_contact_friction_is_coulombs),
        cmocka_unit_test(test_contact_surface_turns_with_the_body),
        cmocka_unit_test(test_wind_pushes_what_faces_it),
        cmocka_unit_test(test_wind_takes_nothing_beyond_itself),
        cmocka_unit_test(test_coarsest_numbers_are_those_of_the_block),
        cmocka_unit_test(test_links_lie_between_their_cells),
        cmocka_unit_test(test_iterations_end_when_they_take_little),
        cmocka_unit_test(test_repelling_grows_with_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
