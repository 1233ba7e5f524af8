/* Cloth that is cut and tied again does what it did whole, at about the same cost. */
#include "patchwork.h"

/* ---- a strip ------------------------------------------------------------------------------------
 */

static const float LENGTH = 0.6f, WIDTH = 0.1f;
static const piece whole_strip[1] = {{0.0f, 0.0f, 0.1f, 0.6f, 0.01f}};
/* 0.29 m are 22.3 of the other spacing: the last row of cells is wider. */
static const piece cut_strip[2] = {{0.0f, 0.0f, 0.1f, 0.29f, 0.013f},
                                   {0.0f, 0.29f, 0.1f, 0.6f, 0.01f}};

typedef struct strip_world {
    toile_world *world;
    sheet sheet;
} strip_world;

static strip_world make_strip(bool cut, toile_edge held) {
    const toile_world_def def = film_def();
    strip_world s = {.world = make_world(&def)};
    s.sheet = lay_sheet(s.world, cut ? cut_strip : whole_strip, cut ? 2 : 1, WIDTH, LENGTH);
    pin_edge(s.world, s.sheet.cloths[s.sheet.count - 1], held);
    return s;
}

/* The middle of the lower edge after it swung down for a time. */
static v3 strip_end(bool cut, double seconds) {
    strip_world s = make_strip(cut, TOILE_EDGE_TOP);
    run_seconds(s.world, seconds);
    v3 end = sheet_place(s.world, &s.sheet, 0.5f * WIDTH, 0.0f);
    toile_world_destroy(s.world);
    return end;
}

static void test_cut_strip_ends_where_the_whole_one_does(void **state) {
    (void)state;
    for (int k = 1; k <= 2; k++) {
        v3 whole = strip_end(false, 0.2 * k), cut = strip_end(true, 0.2 * k);
        v3 apart = v3_sub(whole, cut);
        print_message("%.1f s: whole %.4f %.4f m, cut %.4f %.4f m\n", 0.2 * k, (double)whole.y,
                      (double)whole.z, (double)cut.y, (double)cut.z);
        assert_below(sqrt((double)v3_dot(apart, apart)), 0.02 * (double)LENGTH);
    }
}

/* Swings of a strip that was let go from the horizontal: the mean time from one passage of its end
 * below the edge that holds it to the next but one. */
static double strip_period(bool cut) {
    strip_world s = make_strip(cut, TOILE_EDGE_TOP);
    const float axis = -0.5f * LENGTH;
    double first = 0.0, last = 0.0, before = 1.0;
    int passages = 0;
    while (toile_world_time(s.world) < 3.0) {
        run_steps(s.world, 1, 1.0f / 60.0f);
        const double now = (double)(sheet_place(s.world, &s.sheet, 0.5f * WIDTH, 0.0f).z - axis);
        if ((now < 0.0) != (before < 0.0)) {
            last = toile_world_time(s.world) - now / (now - before) / 60.0;
            first = passages == 0 ? last : first;
            passages++;
        }
        before = now;
    }
    toile_world_destroy(s.world);
    assert_true(passages >= 3);
    return 2.0 * (last - first) / (passages - 1);
}

static void test_cut_strip_swings_as_the_whole_one(void **state) {
    (void)state;
    const double whole = strip_period(false), cut = strip_period(true);
    print_message("whole %.5f s, cut %.5f s\n", whole, cut);
    assert_near(cut, whole, 0.02 * whole);
}

/* How far a strip hangs down between its ends, which come nearer. */
static double strip_sag(bool cut) {
    const toile_world_def def = film_def();
    toile_world *world = make_world(&def);
    sheet s = lay_sheet(world, cut ? cut_strip : whole_strip, cut ? 2 : 1, WIDTH, LENGTH);
    toile_pin_def pin = toile_default_pin_def();
    pin.kind = TOILE_PIN_EDGE;
    pin.edge = TOILE_EDGE_BOTTOM;
    pin_and_gather(world, s.cloths[0], pin, 0.0f, -0.04f);
    pin.edge = TOILE_EDGE_TOP;
    pin_and_gather(world, s.cloths[s.count - 1], pin, 0.0f, 0.04f);
    run_seconds(world, 3.0);
    double lowest = 0.0;
    for (int i = 0; i < s.count; i++) {
        lowest = fmin(lowest, measure(world, s.cloths[i]).lowest);
    }
    toile_world_destroy(world);
    return -lowest;
}

static void test_cut_strip_sags_as_the_whole_one(void **state) {
    (void)state;
    const double whole = strip_sag(false), cut = strip_sag(true);
    print_message("whole %.5f m, cut %.5f m\n", whole, cut);
    assert_near(cut, whole, 0.02 * whole);
}

/* ---- a square -----------------------------------------------------------------------------------
 */

/* The middle of the lower edge of a square metre after half a second, at default settings. */
static v3 swung(const piece *pieces, int count) {
    const toile_world_def def = newton_def();
    toile_world *world = make_world(&def);
    const sheet s = lay_sheet(world, pieces, count, 1.0f, 1.0f);
    hang_by_corners(world, &s);
    run_seconds(world, 0.5);
    v3 middle = sheet_place(world, &s, 0.5f, 0.0f);
    toile_world_destroy(world);
    return middle;
}

static void test_cut_square_swings_as_the_whole_one(void **state) {
    (void)state;
    const piece whole[1] = {{0.0f, 0.0f, 1.0f, 1.0f, 0.025f}};
    const piece cut[2] = {{0.0f, 0.0f, 0.5f, 1.0f, 0.025f}, {0.5f, 0.0f, 1.0f, 1.0f, 0.02f}};
    const v3 one = swung(whole, 1), two = swung(cut, 2), apart = v3_sub(one, two);
    print_message("whole %.4f %.4f m, cut %.4f %.4f m\n", (double)one.y, (double)one.z,
                  (double)two.y, (double)two.z);
    assert_below(sqrt((double)v3_dot(apart, apart)), 0.02);
}

/* ---- iterations ---------------------------------------------------------------------------------
 */

/* The mean number of iterations of conjugate gradients in a substep, while the world goes on for
 * half a second. Steps that end at the most iterations say nothing about what is needed. */
static double gradients_of(toile_world *world) {
    double sum = 0.0;
    int substeps = 0, steps = 0;
    for (int step = 0; step < 30; step++) {
        run_steps(world, 1, 1.0f / 60.0f);
        const toile_solver_info info = toile_world_get_solver_info(world);
        sum += info.converged ? info.gradients : 0;
        substeps += info.converged ? info.substeps : 0;
        steps += info.converged;
    }
    assert_true(steps >= 28);
    toile_world_destroy(world);
    return sum / substeps;
}

/* A square metre that swings by two corners, in pieces. */
static double patchwork_gradients(const piece *pieces, int count) {
    const toile_world_def def = converged_def(1e-5f);
    toile_world *world = make_world(&def);
    const sheet s = lay_sheet(world, pieces, count, 1.0f, 1.0f);
    hang_by_corners(world, &s);
    return gradients_of(world);
}

static const float FINE = 1.0f / 40.0f;

static void test_two_panels_take_as_many_iterations(void **state) {
    (void)state;
    const piece whole[1] = {{0.0f, 0.0f, 1.0f, 1.0f, FINE}};
    const piece upright[2] = {{0.0f, 0.0f, 0.47f, 1.0f, FINE},
                              {0.47f, 0.0f, 1.0f, 1.0f, 1.15f * FINE}};
    const piece across[2] = {{0.0f, 0.0f, 1.0f, 0.47f, 1.15f * FINE},
                             {0.0f, 0.47f, 1.0f, 1.0f, FINE}};
    const double one = patchwork_gradients(whole, 1);
    const double two = patchwork_gradients(upright, 2), other = patchwork_gradients(across, 2);
    print_message("whole %.1f, cut upright %.1f, across %.1f\n", one, two, other);
    assert_below(two, 1.3 * one);
    assert_below(other, 1.3 * one);
}

static void test_eight_panels_take_few_more_iterations(void **state) {
    (void)state;
    const piece whole[1] = {{0.0f, 0.0f, 1.0f, 1.0f, FINE}};
    piece pieces[8];
    for (int i = 0; i < 8; i++) {
        const float u = 0.25f * (float)(i % 4), v = 0.5f * (float)(i / 4);
        pieces[i] = (piece){u, v, u + 0.25f, v + 0.5f, FINE * (1.0f + 0.07f * (float)(i % 3))};
    }
    const double one = patchwork_gradients(whole, 1), eight = patchwork_gradients(pieces, 8);
    print_message("whole %.1f, in eight %.1f\n", one, eight);
    assert_below(eight, 1.6 * one);
}

/* A square metre, rolled up along u, which swings by two points of one end; tied to a tube, or not.
 * A tube is held against what is rolled and not tied, which moves alike but for the seam. That of a
 * flat sheet is another motion: it takes a third of the iterations. */
static double rolled_gradients(bool tied) {
    const toile_world_def def = converged_def(1e-5f);
    toile_world *world = make_world(&def);
    const int n = 33;
    toile_cloth_def flat = lying_def(n, 0.0f);
    const toile_cloth_id cloth = add_cloth(world, &flat);
    const float sides[2][4] = {{0.0f, 0.0f, 0.0f, 1.0f}, {1.0f, 0.0f, 1.0f, 1.0f}};
    float *x = texel_positions(world, cloth);
    for (int t = 0; t < n * n; t++) {
        const float angle = 6.2831853f * (x[3 * t] + 0.5f), radius = 1.0f / 6.2831853f;
        x[3 * t] = radius * sinf(angle);
        x[3 * t + 1] = radius * cosf(angle);
    }
    assert_ok(toile_cloth_set_texel_positions(world, cloth, x, (size_t)(n * n)));
    free(x);
    for (int k = 0; k < 2; k++) {
        toile_pin_def pin = toile_default_pin_def();
        pin.kind = TOILE_PIN_POINT;
        pin.point[0] = 0.25f + 0.5f * (float)k;
        pin.point[1] = 1.0f;
        add_pin(world, cloth, &pin);
    }
    toile_tie_def tie = toile_default_tie_def();
    tie.bend = true;
    for (int r = 0; r < 2; r++) {
        tie.runs[r] = (toile_tie_run){cloth, sides[r], 2};
    }
    if (tied) {
        add_tie(world, &tie);
    }
    return gradients_of(world);
}

static void test_tube_takes_at_most_twice_as_many_iterations(void **state) {
    (void)state;
    const double rolled = rolled_gradients(false), tube = rolled_gradients(true);
    print_message("rolled %.1f, tube %.1f\n", rolled, tube);
    assert_below(tube, 2.0 * rolled);
}

/* ---- with the rest of a world -------------------------------------------------------------------
 */

/* The stiffness of a seam follows the cloth from substep to substep: that gives none either. A
 * strip swings without air, and what it has never exceeds what it had. */
static void test_seams_give_no_energy(void **state) {
    (void)state;
    toile_world_def def = newton_def();
    def.solver.damping = 0.0f;
    toile_world *world = make_world(&def);
    const sheet s = lay_sheet(world, cut_strip, 2, WIDTH, LENGTH);
    pin_edge(world, s.cloths[1], TOILE_EDGE_TOP);
    double first = 0.0, least = 0.0, weight = 0.0;
    for (int step = 0; step <= 360; step++) {
        double now = 0.0;
        for (int i = 0; i < 2; i++) {
            const toile_metrics m = measure(world, s.cloths[i]);
            now += m.kinetic_energy + m.potential_energy + m.elastic_energy;
            weight += step == 0 ? 9.81 * toile_cloth_get_info(world, s.cloths[i]).mass : 0.0;
        }
        first = step == 0 ? now : first;
        least = step == 0 ? now : fmin(least, now);
        assert_below(now, least + 1e-3 * weight * (double)LENGTH);
        run_steps(world, 1, 1.0f / 60.0f);
    }
    print_message("lost %.4f J in 6 s, of a weight times length of %.4f J\n", first - least,
                  weight * (double)LENGTH);
    toile_world_destroy(world);
}

/* Texels of both sides would keep a spacing apart; and triangles of one lie in the other by the
 * gap, which does not count as cutting. */
static void test_self_collision_leaves_ties_alone(void **state) {
    (void)state;
    static const piece pieces[2] = {{0.0f, 0.0f, 0.5f, 1.0f, 0.025f},
                                    {0.5f, 0.0f, 1.0f, 1.0f, 0.02f}};
    toile_world_def def = newton_def();
    def.solver.self_collision = true;
    toile_world *world = make_world(&def);
    const sheet s = lay_sheet(world, pieces, 2, 1.0f, 1.0f);
    hang_by_corners(world, &s);
    uint64_t cuts = 0;
    for (int step = 0; step < 20; step++) {
        run_steps(world, 1, 1.0f / 60.0f);
        cuts += measure(world, (toile_cloth_id){0}).cloth_intersections;
    }
    toile_tie_id tie;
    assert_int_equal(toile_world_get_ties(world, &tie, 1), 1);
    const double gap = toile_tie_get_info(world, tie).mean_gap;
    print_message("mean gap %.1f um\n", 1e6 * gap);
    assert_below(gap, 1e-4);
    assert_int_equal(cuts, 0);
    toile_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_strip_ends_where_the_whole_one_does),
        cmocka_unit_test(test_cut_strip_swings_as_the_whole_one),
        cmocka_unit_test(test_cut_strip_sags_as_the_whole_one),
        cmocka_unit_test(test_cut_square_swings_as_the_whole_one),
        cmocka_unit_test(test_two_panels_take_as_many_iterations),
        cmocka_unit_test(test_eight_panels_take_few_more_iterations),
        cmocka_unit_test(test_tube_takes_at_most_twice_as_many_iterations),
        cmocka_unit_test(test_seams_give_no_energy),
        cmocka_unit_test(test_self_collision_leaves_ties_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
