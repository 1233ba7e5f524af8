/* The simulator against what physics says. Every tolerance has its reason beside it. */
#include "truths.h"

/* Velocity Verlet is exact for a constant acceleration but for rounding. 480 additions to a
 * velocity below 16 m/s err by 5e-7 m/s at most each, which moves the cloth by 1e-4 m within the
 * second, and 240 to a position below 8 m by 2e-7 m each. */
static void test_free_fall(void **state) {
    (void)state;
    toile_world_def def = quiet_def();
    def.solver.substeps = 4;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = lying_def(11, 0.0f);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    run_seconds(world, 1.0);
    toile_metrics m = measure(world, cloth);
    assert_near(m.lowest, -0.5 * 9.81, 2e-4);
    assert_near(m.highest, -0.5 * 9.81, 2e-4);
    assert_below(m.strain.max, 1e-5);
    double mass = toile_cloth_get_info(world, cloth).mass;
    assert_near(m.momentum[1] / mass, -9.81, 3e-4);
    toile_world_destroy(world);
}

/* Forces come in pairs whose two halves are computed apart; they differ by rounding, a part in 1e7
 * of forces that are some hundred times the momentum's share. */
static void test_momentum_is_kept(void **state) {
    (void)state;
    assert_momentum_kept(quiet_def(), 1e-4);
}

static void test_pendulum_period(void **state) {
    (void)state;
    toile_world_def def = quiet_def();
    pendulum p = swing_pendulum(&def, 1.0f / 240.0f, 8.0);
    assert_near(p.period, p.wanted, 0.01 * p.wanted);
}

/* How much longer a strip becomes that hangs by one end. */
static double strip_elongation(float length, bool along_u, const toile_fabric *fabric) {
    toile_world_def def = test_world_def();
    def.solver.damping = 3.0f;
    def.solver.stiffness = TOILE_STIFFNESS_TRUE;
    toile_world *world = make_world(&def);
    toile_cloth_def strip = toile_default_cloth_def();
    strip.size[0] = along_u ? length : 0.1f;
    strip.size[1] = along_u ? 0.1f : length;
    strip.spacing = 0.025f;
    strip.fabric = *fabric;
    strip.transform.rotate[2] = along_u ? 90.0f : 0.0f;
    toile_cloth_id cloth = add_cloth(world, &strip);
    pin_edge(world, cloth, along_u ? TOILE_EDGE_RIGHT : TOILE_EDGE_TOP);
    run_seconds(world, 6.0);
    toile_cloth_info info = toile_cloth_get_info(world, cloth);
    float *mesh = malloc(info.vertices * 3 * sizeof *mesh);
    assert_non_null(mesh);
    assert_ok(toile_cloth_get_mesh_positions(world, cloth, mesh, info.vertices));
    double low = INFINITY, high = -INFINITY;
    for (size_t v = 0; v < info.vertices; v++) {
        low = fmin(low, (double)mesh[3 * v + 1]);
        high = fmax(high, (double)mesh[3 * v + 1]);
    }
    assert_below(measure(world, cloth).kinetic_energy, 1e-6);
    free(mesh);
    toile_world_destroy(world);
    return high - low - (double)length;
}

/* A strip that hangs by its upper edge is longer by density * g * L^2 / (2 stretch), each way by
 * its own stretch. Springs are linear in the strain; the diagonals let the strip become narrower,
 * which costs a little. Where the length is no multiple of the spacing, the pinned texels on both
 * sides of the edge hold up to a spacing more or less of the strip than its end. */
static void test_hanging_strip(void **state) {
    (void)state;
    toile_fabric fabric = toile_fabric_named("cotton");
    fabric.stretch[0] = 20.0f;
    fabric.stretch[1] = 12.0f;
    fabric.shear = 1.0f;
    fabric.limit = 1.0f;
    double weight = (double)fabric.density * 9.81;
    assert_near(strip_elongation(1.0f, true, &fabric), weight / 40.0, 0.02 * weight / 40.0);
    assert_near(strip_elongation(1.0f, false, &fabric), weight / 24.0, 0.02 * weight / 24.0);
    const double lengths[2] = {39.51 * 0.025, 39.49 * 0.025};
    for (int i = 0; i < 2; i++) {
        double wanted = weight * lengths[i] * lengths[i] / 24.0;
        assert_near(strip_elongation((float)lengths[i], false, &fabric), wanted, 0.05 * wanted);
    }
}

static void test_cantilever(void **state) {
    (void)state;
    toile_world_def def = test_world_def();
    def.solver.damping = 20.0f;
    def.solver.stiffness = TOILE_STIFFNESS_TRUE;
    const double spacings[2] = {0.002, 0.001};
    for (int i = 0; i < 2; i++) {
        cantilever c = bend_cantilever(&def, spacings[i], 0.006, 3.0);
        assert_true(c.wanted > 0.5 * c.length); /* well beyond what a straight beam would do */
        assert_near(c.drop, c.wanted, 0.02 * c.wanted);
    }
}

/* Air that is denser than cloth, and a damping faster than a substep, slow it down and no more. */
static void test_thick_air(void **state) {
    (void)state;
    toile_world_def def = test_world_def();
    def.wind.velocity[0] = 3.0f;
    def.wind.air_density = 1000.0f;
    def.solver.damping = 1000.0f;
    for (int i = 0; i < 3; i++) {
        def.solver.integrator = (toile_integrator)i;
        toile_world *world = make_world(&def);
        toile_cloth_def sheet = square_def(5);
        sheet.fabric = toile_fabric_named("jersey");
        toile_cloth_id cloth = add_cloth(world, &sheet);
        pin_edge(world, cloth, TOILE_EDGE_LEFT);
        run_seconds(world, 1.0);
        assert_below(measure(world, cloth).kinetic_energy, 0.5 * 0.5 * 9.0);
        toile_world_destroy(world);
    }
}

/* Kinetic, elastic and potential energy together, frame by frame. The elongation limit works
 * against no energy that is counted, so what it does may only take energy away. The tolerance is
 * the rounding of sums of some joules. */
static void check_energy_falls(toile_integrator integrator) {
    toile_world_def def = test_world_def();
    def.solver.integrator = integrator;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = lying_def(31, 0.0f);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    pin_corner(world, cloth, TOILE_CORNER_TOP_LEFT);
    pin_corner(world, cloth, TOILE_CORNER_TOP_RIGHT);
    double before = INFINITY, first = 0.0;
    for (int frame = 0; frame < 240; frame++) {
        run_steps(world, 1, 1.0f / 60.0f);
        toile_metrics m = measure(world, cloth);
        double energy = m.kinetic_energy + m.elastic_energy + m.potential_energy;
        if (frame == 0) {
            first = energy;
        } else if (energy > before + 2e-5) {
            fail_msg("integrator %d, frame %d: energy rose from %.9g to %.9g J", (int)integrator,
                     frame, before, energy);
        }
        before = energy;
    }
    assert_below(before, first - 0.1);
    toile_world_destroy(world);
}

static void test_energy_never_grows(void **state) {
    (void)state;
    check_energy_falls(TOILE_INTEGRATOR_EULER);
    check_energy_falls(TOILE_INTEGRATOR_VERLET);
    check_energy_falls(TOILE_INTEGRATOR_VELOCITY_VERLET);
}

/* Sums run in mirrored pairs, so the tolerance is nothing at all. The cloth is turned by hand, for
 * the cosine of 90 degrees is not quite zero. */
static void check_symmetry(int n) {
    toile_world_def def = test_world_def();
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = square_def(n);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    float *x = texel_positions(world, cloth);
    size_t texels = (size_t)n * (size_t)n;
    for (size_t i = 0; i < texels; i++) {
        x[3 * i + 2] = -x[3 * i + 1];
        x[3 * i + 1] = 0.27f;
    }
    assert_ok(toile_cloth_set_texel_positions(world, cloth, x, texels));
    add_ball(world, 0.0f, 0.25f);
    run_seconds(world, 1.0);
    free(x);
    x = texel_positions(world, cloth);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            const float *a = x + 3 * (i + j * n), *b = x + 3 * (n - 1 - i + j * n),
                        *c = x + 3 * (i + (n - 1 - j) * n);
            if (a[0] != -b[0] || a[1] != b[1] || a[2] != b[2] || a[0] != c[0] || a[1] != c[1] ||
                a[2] != -c[2]) {
                fail_msg("%d x %d: texel (%d, %d) at (%g, %g, %g) has no mirror image", n, n, i, j,
                         (double)a[0], (double)a[1], (double)a[2]);
            }
        }
    }
    free(x);
    toile_world_destroy(world);
}

static void test_symmetric_drape_stays_symmetric(void **state) {
    (void)state;
    if (strcmp(test_device(), "cpu") != 0) {
        print_message("skipped: compilers of shaders may add up in another order\n");
        return;
    }
    check_symmetry(32);
    check_symmetry(37);
}

/* Cloth held by two edges hangs like a chain of its length. It is a little longer by its own weight
 * (less than 0.1 %) and by that much a straight piece between texels cuts the curve short. */
static void test_trough_is_a_catenary(void **state) {
    (void)state;
    toile_world_def def = test_world_def();
    def.solver.damping = 2.0f;
    double wanted = catenary_sag();
    assert_near(trough_sag(&def, 26), wanted, 0.01 * wanted);
    assert_near(trough_sag(&def, 51), wanted, 0.01 * wanted);
}

static void test_sag_does_not_depend_on_spacing(void **state) {
    (void)state;
    toile_world_def def = test_world_def();
    def.solver.damping = 2.0f;
    double coarse = hammock_sag(&def, 51), fine = hammock_sag(&def, 101);
    assert_true(coarse > 0.2);
    assert_near(fine, coarse, 0.02 * coarse);
}

/* Cloth that hangs still says so, though its threads pull at their limits. Half a substep's pull on
 * the texels beside a pin is 0.4 m/s; of that the passes at the end of a step leave some. */
static void test_velocities_at_rest(void **state) {
    (void)state;
    toile_world_def def = test_world_def();
    def.solver.damping = 4.0f;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = square_def(51);
    toile_cloth_id cloth = add_cloth(world, &sheet);
    pin_corner(world, cloth, TOILE_CORNER_TOP_LEFT);
    pin_corner(world, cloth, TOILE_CORNER_TOP_RIGHT);
    run_seconds(world, 4.0);
    toile_metrics m = measure(world, cloth);
    assert_true(m.strain.max > 0.029); /* at the limit of 0.03 */
    size_t texels = toile_cloth_get_info(world, cloth).texels;
    float *v = malloc(texels * 3 * sizeof *v);
    assert_non_null(v);
    assert_ok(toile_cloth_get_texel_velocities(world, cloth, v, texels));
    for (size_t i = 0; i < 3 * texels; i++) {
        assert_below(fabs((double)v[i]), 0.1);
    }
    free(v);
    toile_world_destroy(world);
}

/* Rabenius figure 13: 50 x 50 texels fold well, 51 x 51 do not. Here they are the same cloth. */
static void test_odd_is_as_good_as_even(void **state) {
    (void)state;
    toile_world_def def = test_world_def();
    def.solver.damping = 2.0f;
    double even = hammock_sag(&def, 50), odd = hammock_sag(&def, 51);
    assert_near(odd, even, 0.01 * even);
}

/* 2000 integration steps of sizes beyond 106 x 106, where Rabenius' program fails (section 5). */
static void test_large_sizes_stay_finite(void **state) {
    (void)state;
    const int sizes[2] = {107, 300};
    for (int i = 0; i < 2; i++) {
        toile_world_def def = test_world_def();
        def.solver.substeps = 20;
        toile_world *world = make_world(&def);
        toile_cloth_def sheet = lying_def(sizes[i], 0.26f);
        toile_cloth_id cloth = add_cloth(world, &sheet);
        pin_corner(world, cloth, TOILE_CORNER_TOP_LEFT);
        add_ball(world, 0.0f, 0.25f);
        run_steps(world, 100, 1.0f / 60.0f);
        toile_metrics m = measure(world, cloth);
        assert_true(isfinite(m.kinetic_energy));
        assert_below(m.highest, 0.5);
        assert_below(-1.5, m.lowest);
        toile_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_fall),
        cmocka_unit_test(test_momentum_is_kept),
        cmocka_unit_test(test_pendulum_period),
        cmocka_unit_test(test_hanging_strip),
        cmocka_unit_test(test_cantilever),
        cmocka_unit_test(test_thick_air),
        cmocka_unit_test(test_energy_never_grows),
        cmocka_unit_test(test_symmetric_drape_stays_symmetric),
        cmocka_unit_test(test_trough_is_a_catenary),
        cmocka_unit_test(test_sag_does_not_depend_on_spacing),
        cmocka_unit_test(test_velocities_at_rest),
        cmocka_unit_test(test_odd_is_as_good_as_even),
        cmocka_unit_test(test_large_sizes_stay_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
