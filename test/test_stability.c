/* The library knows the longest stable substep: for every fabric and spacing nothing grows at it,
 * and not far beyond it something does. */
#include "worlds.h"

#include <stdio.h>

/* A small crumpled cloth by itself. */
static toile_world *make_crumpled(const char *fabric, float spacing, toile_stiffness stiffness,
                                  int substeps, toile_integrator integrator,
                                  toile_cloth_id *cloth) {
    toile_world_def def = test_world_def();
    def.gravity[1] = 0.0f;
    def.solver.stiffness = stiffness;
    def.solver.substeps = substeps;
    def.solver.integrator = integrator;
    def.solver.limit_iterations = 0;
    def.solver.damping = 0.0f;
    toile_world *world = make_world(&def);
    toile_cloth_def sheet = toile_default_cloth_def();
    sheet.fabric = toile_fabric_named(fabric);
    sheet.spacing = spacing;
    sheet.size[0] = 8.0f * spacing;
    sheet.size[1] = 10.0f * spacing;
    *cloth = add_cloth(world, &sheet);
    float *x = texel_positions(world, *cloth);
    size_t texels = toile_cloth_get_info(world, *cloth).texels;
    unsigned seed = 5;
    for (size_t i = 0; i < 3 * texels; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] += 0.01f * spacing * ((float)(seed >> 8) / 8388608.0f - 1.0f);
    }
    assert_ok(toile_cloth_set_texel_positions(world, *cloth, x, texels));
    free(x);
    return world;
}

static double energy(const toile_world *world, toile_cloth_id cloth) {
    toile_metrics m = measure(world, cloth);
    return m.kinetic_energy + m.elastic_energy;
}

static const float SPACINGS[] = {0.001f, 0.005f, 0.02f, 0.1f};

static void test_every_fabric_at_every_spacing(void **state) {
    (void)state;
    for (int f = 0; f < toile_fabric_count(); f++) {
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < 6; i++) {
                toile_cloth_id cloth;
                toile_world *world =
                    make_crumpled(toile_fabric_name(f), SPACINGS[s], (toile_stiffness)(i / 3), 0,
                                  (toile_integrator)(i % 3), &cloth);
                run_steps(world, 1, 1.0f / 60.0f);
                int steps = 1 + 500 / toile_world_get_solver_info(world).substeps;
                double start = energy(world, cloth);
                run_steps(world, steps, 1.0f / 60.0f);
                if (!(energy(world, cloth) <= 1.001 * start + 1e-12)) {
                    fail_msg("%s at %g m: %g J became %g J", toile_fabric_name(f),
                             (double)SPACINGS[s], start, energy(world, cloth));
                }
                toile_world_destroy(world);
            }
        }
    }
}

/* A flat cloth, whose threads do not all point the same way, could bear 1.4 times the substep that
 * the library calls the longest; at 1.6 times it explodes. The step that fails says so and leaves
 * the state before it. */
static void test_the_bound_is_near(void **state) {
    (void)state;
    for (int f = 0; f < toile_fabric_count(); f++) {
        toile_cloth_id cloth;
        toile_world *world = make_crumpled(toile_fabric_name(f), 0.01f, TOILE_STIFFNESS_TRUE, 200,
                                           TOILE_INTEGRATOR_VELOCITY_VERLET, &cloth);
        run_steps(world, 1, 1e-6f);
        float longest = (float)toile_world_get_solver_info(world).true_substep;
        uint64_t hash = toile_world_hash(world);
        toile_result result = toile_world_step(world, 200.0f * 1.6f * longest);
        assert_int_equal(result, TOILE_ERROR_NUMERICAL);
        assert_true(toile_world_hash(world) == hash);
        assert_true(isfinite(energy(world, cloth)));
        toile_world_destroy(world);
    }
}

/* A ring whose border lies across the grid, 1 m wide, its warp turned. */
static toile_panel *cook_ring(float grain) {
    const float radii[2] = {0.5f, 0.2f};
    toile_curve curves[2][2];
    toile_loop loops[2];
    for (int i = 0; i < 2; i++) {
        float r = radii[i];
        curves[i][0] = (toile_curve){TOILE_CURVE_ARC, {-r, 0.0f}, {{0.0f, r}}};
        curves[i][1] = (toile_curve){TOILE_CURVE_ARC, {r, 0.0f}, {{0.0f, -r}}};
        loops[i] = (toile_loop){{r, 0.0f}, curves[i], 2};
    }
    const toile_outline outline = {loops, 2};
    toile_panel_def def = toile_default_panel_def();
    def.outline = &outline;
    def.spacing = 0.01f;
    def.grain = grain;
    toile_panel *panel;
    assert_ok(toile_panel_cook(&def, &panel));
    return panel;
}

/* Whatever stands aside at a border, coarse levels leave flat cloth alone: nothing grows out of
 * rounding. */
static void test_flat_panels_stay_at_rest_on_all_levels(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        toile_panel *ring = cook_ring(i == 2 ? 45.0f : 30.0f * (float)i);
        toile_world_def def = test_world_def();
        def.gravity[1] = 0.0f;
        def.solver.kind = TOILE_SOLVER_MULTILEVEL;
        toile_world *world = make_world(&def);
        toile_cloth_def sheet = toile_default_cloth_def();
        sheet.panel = ring;
        toile_cloth_id cloth = add_cloth(world, &sheet);
        run_steps(world, 30, 1.0f / 60.0f);
        toile_metrics m = measure(world, cloth);
        assert_true(toile_world_get_solver_info(world).levels >= 4);
        assert_true(m.strain.max < 1e-3);
        assert_true(m.kinetic_energy < 1e-8);
        toile_world_destroy(world);
        toile_panel_destroy(ring);
    }
}

/* What levels do within a cloth leaves its momentum as it is, though coarse texels at one side of a
 * border are made of fewer fine ones than at the other. */
static void test_levels_keep_the_momentum(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        toile_panel *ring = cook_ring(30.0f * (float)i);
        toile_world_def def = test_world_def();
        def.gravity[1] = 0.0f;
        def.solver.kind = TOILE_SOLVER_MULTILEVEL;
        toile_world *world = make_world(&def);
        toile_cloth_def sheet = toile_default_cloth_def();
        sheet.panel = ring;
        toile_cloth_id cloth = add_cloth(world, &sheet);
        float *x = texel_positions(world, cloth);
        size_t texels = toile_cloth_get_info(world, cloth).texels;
        for (size_t k = 0; k < 3 * texels; k++) {
            x[k] *= 1.02f;
        }
        assert_ok(toile_cloth_set_texel_positions(world, cloth, x, texels));
        free(x);
        run_steps(world, 3, 1.0f / 60.0f);
        toile_metrics m = measure(world, cloth);
        double mass = (double)sheet.fabric.density * 3.14159265 * (0.5 * 0.5 - 0.2 * 0.2);
        double all = sqrt(2.0 * mass * m.kinetic_energy); /* if it went one way */
        for (int axis = 0; axis < 2; axis++) {
            assert_true(fabs(m.momentum[axis]) < 1e-3 * all);
        }
        toile_world_destroy(world);
        toile_panel_destroy(ring);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_fabric_at_every_spacing),
        cmocka_unit_test(test_the_bound_is_near),
        cmocka_unit_test(test_flat_panels_stay_at_rest_on_all_levels),
        cmocka_unit_test(test_levels_keep_the_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
