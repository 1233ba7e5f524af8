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
 *
 * How many of conjugate gradients a substep takes in the mean, while a sheet swings for half a
 * second: at default settings, and until no texel moves further than 10 um. The latter is much
 * more, most of it while the sheet folds. */

typedef enum accuracy { USUAL, EXACT, ACCURACIES } accuracy;
static const char *const accuracies[ACCURACIES] = {"default", "10 um"};

static toile_world_def accurate_def(accuracy a) {
    return a == EXACT ? converged_def(1e-5f) : newton_def();
}

/* Some steps of a sheet that folds may end at the most iterations: they count with those. */
static double gradients_of(toile_world *world) {
    double sum = 0.0;
    int substeps = 0, converged = 0;
    for (int step = 0; step < 30; step++) {
        run_steps(world, 1, 1.0f / 60.0f);
        const toile_solver_info info = toile_world_get_solver_info(world);
        sum += info.gradients;
        substeps += info.substeps;
        converged += info.converged;
    }
    assert_true(converged >= 28);
    toile_world_destroy(world);
    return sum / substeps;
}

/* A square metre that swings by two corners, in pieces. */
static double patchwork_gradients(const piece *pieces, int count, accuracy a) {
    const toile_world_def def = accurate_def(a);
    toile_world *world = make_world(&def);
    const sheet s = lay_sheet(world, pieces, count, 1.0f, 1.0f);
    hang_by_corners(world, &s);
    return gradients_of(world);
}

typedef struct cut {
    const char *name;
    double most; /* times the iterations of the whole sheet */
    int count;
    piece pieces[8];
} cut;

/* Eight pieces of three spacings. */
static cut cut_in_eight(float spacing) {
    cut c = {.name = "eight", .most = 1.6, .count = 8};
    for (int i = 0; i < 8; i++) {
        const float u = 0.25f * (float)(i % 4), v = 0.5f * (float)(i / 4);
        c.pieces[i] = (piece){u, v, u + 0.25f, v + 0.5f, spacing * (1.0f + 0.07f * (float)(i % 3))};
    }
    return c;
}

static void assert_few_more_iterations(int n, accuracy a) {
    const float fine = 1.0f / (float)(n - 1), coarse = 1.15f * fine;
    const cut cuts[4] = {
        {"meeting", 1.3, 2, {{0.0f, 0.0f, 0.5f, 1.0f, fine}, {0.5f, 0.0f, 1.0f, 1.0f, fine}}},
        {"apart", 1.3, 2, {{0.0f, 0.0f, 0.47f, 1.0f, fine}, {0.47f, 0.0f, 1.0f, 1.0f, coarse}}},
        {"across", 1.3, 2, {{0.0f, 0.0f, 1.0f, 0.47f, coarse}, {0.0f, 0.47f, 1.0f, 1.0f, fine}}},
        cut_in_eight(fine)};
    const piece all[1] = {{0.0f, 0.0f, 1.0f, 1.0f, fine}};
    const double whole = patchwork_gradients(all, 1, a);
    print_message("%d x %d, %s: whole %.1f", n, n, accuracies[a], whole);
    for (int k = 0; k < 4; k++) {
        const double own = patchwork_gradients(cuts[k].pieces, cuts[k].count, a);
        print_message(", %s %.1f", cuts[k].name, own);
        assert_below(own, cuts[k].most * whole);
    }
    print_message("\n");
}

static void test_panels_take_few_more_iterations(void **state) {
    (void)state;
    for (accuracy a = USUAL; a < ACCURACIES; a++) {
        assert_few_more_iterations(33, a);
        assert_few_more_iterations(65, a);
        assert_few_more_iterations(129, a);
    }
}

/* Rolls up a sheet along u. */
static void roll(toile_world *world, toile_cloth_id cloth) {
    const size_t texels = toile_cloth_get_info(world, cloth).texels;
    float *x = texel_positions(world, cloth);
    for (size_t t = 0; t < texels; t++) {
        const float angle = 6.2831853f * (x[3 * t] + 0.5f), radius = 1.0f / 6.2831853f;
        x[3 * t] = radius * sinf(angle);
        x[3 * t + 1] = radius * cosf(angle);
    }
    assert_ok(toile_cloth_set_texel_positions(world, cloth, x, texels));
    free(x);
}

/* A square metre that swings by two points of one edge: flat, or rolled up and tied to a tube. */
static double two_point_gradients(int n, bool tube, accuracy a) {
    const toile_world_def def = accurate_def(a);
    toile_world *world = make_world(&def);
    const toile_cloth_def flat = lying_def(n, 0.0f);
    const toile_cloth_id cloth = add_cloth(world, &flat);
    if (tube) {
        const float sides[2][4] = {{0.0f, 0.0f, 0.0f, 1.0f}, {1.0f, 0.0f, 1.0f, 1.0f}};
        toile_tie_def tie = toile_default_tie_def();
        tie.runs[0] = (toile_tie_run){cloth, sides[0], 2};
        tie.runs[1] = (toile_tie_run){cloth, sides[1], 2};
        roll(world, cloth);
        add_tie(world, &tie);
    }
    for (int k = 0; k < 2; k++) {
        toile_pin_def pin = toile_default_pin_def();
        pin.kind = TOILE_PIN_POINT;
        pin.point[0] = 0.25f + 0.5f * (float)k;
        pin.point[1] = 1.0f;
        add_pin(world, cloth, &pin);
    }
    return gradients_of(world);
}

static void test_tube_takes_at_most_twice_as_many_iterations(void **state) {
    (void)state;
    for (accuracy a = USUAL; a < ACCURACIES; a++) {
        const double flat = two_point_gradients(33, false, a);
        const double tube = two_point_gradients(33, true, a);
        print_message("%s: flat %.1f, tube %.1f\n", accuracies[a], flat, tube);
        assert_below(tube, 2.0 * flat);
    }
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
        cmocka_unit_test(test_panels_take_few_more_iterations),
        cmocka_unit_test(test_tube_takes_at_most_twice_as_many_iterations),
        cmocka_unit_test(test_seams_give_no_energy),
        cmocka_unit_test(test_self_collision_leaves_ties_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
