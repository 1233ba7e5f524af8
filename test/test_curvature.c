/* Fabrics that are curved by themselves. */
#include "outlines.h"
#include "truths.h"

/* A strip along u, a fifth as wide, that floats; its front is +z. */
static toile_cloth_def strip_def(float length, float spacing, float kappa_u, float kappa_v) {
    toile_cloth_def strip = toile_default_cloth_def();
    strip.size[0] = length;
    strip.size[1] = length / 5.0f;
    strip.spacing = spacing;
    strip.fabric = toile_fabric_named("denim");
    strip.fabric.curvature[0] = kappa_u;
    strip.fabric.curvature[1] = kappa_v;
    return strip;
}

static toile_world_def floating_def(float damping) {
    toile_world_def def = implicit_def(1, damping);
    def.gravity[1] = 0.0f;
    return def;
}

/* The mean curvature along u of the middle row, 1/m, positive towards +z at its middle: the angle
 * between its first and last thread by the way between their middles. */
static double curvature_of(toile_world *world, toile_cloth_id cloth) {
    toile_cloth_info info = toile_cloth_get_info(world, cloth);
    float *x = texel_positions(world, cloth);
    const float *row = x + 3 * (size_t)info.columns * (size_t)(info.rows / 2);
    double turned = 0.0, way = 0.0;
    for (int i = 1; i + 1 < info.columns; i++) {
        double a[2], b[2];
        for (int k = 0; k < 2; k++) { /* x and z */
            a[k] = (double)row[3 * i + 2 * k] - (double)row[3 * (i - 1) + 2 * k];
            b[k] = (double)row[3 * (i + 1) + 2 * k] - (double)row[3 * i + 2 * k];
        }
        turned += atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]);
        way += hypot(a[0], a[1]);
    }
    free(x);
    return turned / way;
}

static bool on_cpu(void) {
    return strcmp(test_device(), "cpu") == 0;
}

static void test_radius(void **state) {
    (void)state;
    if (!on_cpu()) {
        skip(); /* slow on a machine without a GPU, as most of the others */
    }
    const float kappas[3] = {10.0f, -10.0f, 25.0f};
    for (int i = 0; i < 4; i++) {
        toile_world_def def = floating_def(4.0f);
        toile_world *world = make_world(&def);
        float kappa = kappas[i % 3];
        toile_cloth_def strip = strip_def(0.2f, i < 3 ? 0.01f : 0.005f, kappa, 0.0f);
        toile_cloth_id cloth = add_cloth(world, &strip);
        run_seconds(world, 2.5);
        toile_metrics m = measure(world, cloth);
        print_message(
            "spacing %g mm, %g 1/m: %.3f 1/m, %.2g J of %.2g J, kinetic %.2g, strain %.2g\n",
            (double)strip.spacing * 1e3, (double)kappa, curvature_of(world, cloth),
            m.elastic_energy,
            0.5 * (double)strip.fabric.bend * (double)(kappa * kappa) * 0.2 * 0.04,
            m.kinetic_energy, m.strain.max);
        assert_near(curvature_of(world, cloth), (double)kappa, 0.02 * fabs((double)kappa));
        toile_world_destroy(world);
    }
}

/* Inner forces: a strip that curls stays where it is, and one that turns goes on turning. With
 * normals from the start of the substep it lost up to 4.5 %. */
static void test_no_force_from_nowhere(void **state) {
    (void)state;
    if (!on_cpu()) {
        skip();
    }
    const double spin = 3.0;
    double loss[3][2];
    for (int axis = 0; axis < 3; axis++) {
        for (int curled = 0; curled < 2; curled++) {
            toile_world_def def = implicit_def(2, 0.0f);
            def.gravity[1] = 0.0f;
            def.solver.substeps = 8;
            def.solver.iterations = 100;
            toile_world *world = make_world(&def);
            toile_cloth_def strip = strip_def(0.2f, 0.01f, curled ? 15.0f : 0.0f, 0.0f);
            strip.fabric.damping = 0.0f; /* it resists any turn of what is bent */
            toile_cloth_id cloth = add_cloth(world, &strip);
            motion_of m = {.spin = {0.0, 0.0, 0.0}};
            m.spin[axis] = spin;
            set_motion(world, cloth, m);
            double start = angular_momentum(world, cloth, axis);
            for (int step = 0; step < 25; step++) {
                run_steps(world, 1, 1.0f / 60.0f);
                toile_metrics now = measure(world, cloth);
                for (int k = 0; k < 3; k++) {
                    assert_near(now.momentum[k] / toile_cloth_get_info(world, cloth).mass, 0.0,
                                1e-4);
                }
            }
            loss[axis][curled] = 1.0 - angular_momentum(world, cloth, axis) / start;
            toile_world_destroy(world);
        }
        assert_below(fabs(loss[axis][1]), 0.01);
        print_message("spin about %d: %.3f %% lost flat, %.3f %% curling\n", axis,
                      100.0 * loss[axis][0], 100.0 * loss[axis][1]);
    }
}

/* Along both threads a panel cannot be curved, as it does not stretch: it takes the stronger one.
 */
static void test_panel(void **state) {
    (void)state;
    if (!on_cpu()) {
        skip();
    }
    toile_world_def def = floating_def(4.0f);
    toile_world *world = make_world(&def);
    toile_cloth_def panel = strip_def(0.2f, 0.01f, 8.0f, 3.0f);
    panel.size[1] = 0.2f;
    toile_cloth_id cloth = add_cloth(world, &panel);
    run_seconds(world, 3.0);
    toile_metrics m = measure(world, cloth);
    double least = 0.5 * (double)panel.fabric.bend * 9.0 * 0.04;
    print_message("panel: %.3f 1/m, %.3g J of %.3g J, kinetic %.2g J\n", curvature_of(world, cloth),
                  m.elastic_energy, least, m.kinetic_energy);
    assert_near(curvature_of(world, cloth), 8.0, 0.05 * 8.0);
    assert_below(m.elastic_energy, least);
    assert_below(m.strain.max, 0.01);
    toile_world_destroy(world);
}

/* Whatever the fabric and the spacing, curling gives off what was stored and no more, with the
 * substeps and iterations that the library chooses. */
static void test_energy(void **state) {
    (void)state;
    if (!on_cpu()) {
        skip();
    }
    for (int k = 0; k < 2 * toile_fabric_count(); k++) {
        const int i = k / 2;
        toile_world_def def = floating_def(1.0f);
        def.solver.quality = k % 2 ? TOILE_QUALITY_GAME : TOILE_QUALITY_DEFAULT;
        toile_world *world = make_world(&def);
        toile_cloth_def strip = strip_def(0.2f, i % 2 ? 0.02f : 0.01f, 0.0f, 0.0f);
        strip.fabric = toile_fabric_named(toile_fabric_name(i));
        strip.fabric.curvature[0] = 25.0f;
        toile_cloth_id cloth = add_cloth(world, &strip);
        double stored = 0.5 * (double)strip.fabric.bend * 25.0 * 25.0 * 0.2 * 0.04;
        double most = 0.0, end = 0.0;
        for (int step = 0; step < 45; step++) {
            run_steps(world, 1, 1.0f / 60.0f);
            toile_metrics m = measure(world, cloth);
            end = (m.kinetic_energy + m.elastic_energy) / stored;
            most = fmax(most, end);
        }
        print_message("%s, spacing %g: %.3f at most, %.3f at the end\n", toile_fabric_name(i),
                      (double)strip.spacing, most, end);
        assert_below(most, 1.02);
        assert_below(end, 0.8);
        toile_world_destroy(world);
    }
}

static uint64_t hash_with(int threads) {
    toile_world_def def = floating_def(0.1f);
    def.threads = threads;
    toile_world *world = make_world(&def);
    toile_cloth_def panel = strip_def(0.5f, 0.01f, 8.0f, -5.0f);
    panel.size[1] = 0.43f;
    pin_corner(world, add_cloth(world, &panel), TOILE_CORNER_TOP_LEFT);
    run_steps(world, 1, 1.0f / 60.0f);
    uint64_t hash = toile_world_hash(world);
    toile_world_destroy(world);
    return hash;
}

static void test_threads(void **state) {
    (void)state;
    if (!on_cpu()) {
        skip();
    }
    uint64_t one = hash_with(1);
    for (int threads = 2; threads <= 3; threads++) {
        assert_true(hash_with(threads) == one);
    }
}

/* An outline, pinned, on a device and on the CPU. */
static float *places_after(const char *device, int steps, size_t *texels) {
    toile_world_def def = implicit_def(1, 0.1f);
    def.device = device;
    def.solver.substeps = 4;
    toile_world *world = make_world(&def);
    test_outline ring;
    make_ring(&ring);
    toile_panel *panel = cook_outline(&ring, 0.05f, 10.0f);
    toile_cloth_def sheet = toile_default_cloth_def();
    sheet.panel = panel;
    sheet.fabric.curvature[0] = 4.0f;
    sheet.fabric.curvature[1] = -3.0f;
    toile_cloth_id cloth = add_cloth(world, &sheet);
    toile_panel_destroy(panel);
    pin_corner(world, cloth, TOILE_CORNER_TOP_LEFT);
    run_steps(world, steps, 1.0f / 60.0f);
    *texels = toile_cloth_get_info(world, cloth).texels;
    float *x = texel_positions(world, cloth);
    toile_world_destroy(world);
    return x;
}

static void test_devices_agree(void **state) {
    (void)state;
    size_t texels;
    float *cpu = places_after("cpu", 2, &texels), *other = places_after(test_device(), 2, &texels);
    double apart = 0.0;
    for (size_t i = 0; i < 3 * texels; i++) {
        apart = fmax(apart, fabs((double)cpu[i] - (double)other[i]));
    }
    print_message("%.2g m apart\n", apart);
    assert_below(apart, 1e-5);
    free(cpu);
    free(other);
}

static void test_other_solvers_refuse(void **state) {
    (void)state;
    for (int kind = TOILE_SOLVER_MASS_SPRING; kind <= TOILE_SOLVER_MULTILEVEL; kind++) {
        toile_world_def def = test_world_def();
        def.solver.kind = (toile_solver_kind)kind;
        toile_world *world = make_world(&def);
        toile_cloth_def strip = strip_def(0.2f, 0.01f, 0.0f, 5.0f);
        assert_int_equal(toile_world_add_cloth(world, &strip).slot, 0);
        assert_message("curvature[1] is 5 1/m, and only the implicit solver");
        toile_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_radius),
        cmocka_unit_test(test_no_force_from_nowhere),
        cmocka_unit_test(test_panel),
        cmocka_unit_test(test_energy),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_devices_agree),
        cmocka_unit_test(test_other_solvers_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
